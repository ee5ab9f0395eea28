package io.policyscheduler.framework.devices.cel.function;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/** Numbers as {@code format} writes them. Mirrors {@code ext/formatting_v2.go} of cel-go, and Go's {@code strconv} for the shortest. */
final class NumberTexts {
    private static final int FIRST_WITH_EXPONENT = 6;
    private static final int LAST_WITH_EXPONENT = -5;
    private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

    private NumberTexts() {}

    /** With this many decimals, in groups of three digits. */
    static String fixed(double number, int precision) {
        if (!Double.isFinite(number)) {
            return notFinite(number);
        }
        DecimalFormat format = new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ROOT));
        format.setMinimumFractionDigits(precision);
        format.setMaximumFractionDigits(precision);
        format.setRoundingMode(RoundingMode.HALF_EVEN);
        return format.format(new BigDecimal(number));
    }

    /** One digit before the point, this many behind it, and a power of ten. */
    static String scientific(double number, int precision) {
        if (!Double.isFinite(number)) {
            return notFinite(number);
        }
        String plain = String.format(Locale.ROOT, "%." + precision + "e", number);
        int exponent = plain.indexOf('e');
        StringBuilder text = new StringBuilder(plain.substring(0, exponent)).append("×10");
        if (plain.charAt(exponent + 1) == '-') {
            text.append('⁻');
        }
        plain.substring(exponent + 2).chars().forEach(digit -> text.append(SUPERSCRIPTS.charAt(digit - '0')));
        return text.toString();
    }

    private static String notFinite(double number) {
        return Double.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
    }

    /** As few digits as tell it from all others. */
    static String shortest(double number) {
        if (!Double.isFinite(number)) {
            return Double.isNaN(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";
        }
        if (number == 0) {
            return 1 / number < 0 ? "-0" : "0";
        }
        BigDecimal exact = new BigDecimal(Double.toString(number)).stripTrailingZeros();
        String digits = exact.unscaledValue().abs().toString();
        int exponent = digits.length() - exact.scale() - 1;
        if (exponent > LAST_WITH_EXPONENT && exponent < FIRST_WITH_EXPONENT) {
            return exact.toPlainString();
        }
        String rest = digits.length() == 1 ? "" : "." + digits.substring(1);
        return (number < 0 ? "-" : "") + digits.charAt(0) + rest + "e" + (exponent < 0 ? "-" : "+")
                + String.format(Locale.ROOT, "%02d", Math.abs(exponent));
    }
}
