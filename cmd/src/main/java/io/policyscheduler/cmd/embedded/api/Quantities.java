package io.policyscheduler.cmd.embedded.api;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Resource quantities, as far as admission needs them (apimachinery api/resource). */
public final class Quantities {
    private static final Pattern FORM = Pattern.compile(
            "([+-]?(?:[0-9]{1,60}(?:\\.[0-9]{0,60})?|\\.[0-9]{1,60}))(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]{1,3})?");
    private static final Map<String, Integer> DECIMAL =
            Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
    private static final String BINARY = "KMGTPE";

    private Quantities() {}

    /** The value, or empty when the text is not a quantity. */
    public static Optional<BigDecimal> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String suffix = matcher.group(2);
        if (suffix == null) {
            return Optional.of(number);
        }
        if (suffix.endsWith("i")) {
            int power = BINARY.indexOf(suffix.charAt(0)) + 1;
            return Optional.of(number.multiply(BigDecimal.valueOf(1024).pow(power)));
        }
        Integer exponent = DECIMAL.get(suffix);
        int shift = exponent != null ? exponent : Integer.parseInt(suffix.substring(1));
        return Optional.of(number.scaleByPowerOfTen(shift));
    }
}
