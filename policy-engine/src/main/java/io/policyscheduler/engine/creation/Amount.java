package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.resource.Quantity;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * An amount of a resource as API servers compare it and write it down ({@code apimachinery/pkg/api/resource/quantity.go}).
 *
 * @param exact the amount
 * @param form how it is written
 */
record Amount(BigDecimal exact, Form form) {
    /** How an amount is written. */
    enum Form {
        /** {@code 500m}, {@code 2}, {@code 3G}. */
        DECIMAL,
        /** {@code 64Mi}; amounts below 1Ki, and those with a fraction, as decimals. */
        BINARY,
        /** {@code 1e3}. */
        EXPONENT
    }

    static final Amount ZERO = new Amount(BigDecimal.ZERO, Form.DECIMAL);

    private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
    private static final String BINARY_SUFFIXES = "KMGTPE";
    private static final String[] DECIMAL_SUFFIXES = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    private static final int FINEST = -9;
    private static final int THOUSAND = 3;
    /** Above this, thousandths do not fit into 64 bits. */
    private static final BigDecimal MOST_WITH_THOUSANDTHS = BigDecimal.valueOf(Long.MAX_VALUE / 1000);

    /**
     * Rounded up to thousandths, as every amount of a resource is stored. Zero for what is no quantity, which is refused when the
     * object is read.
     */
    static Amount of(JsonNode quantity) {
        String text = quantity.asText("");
        try {
            BigDecimal exact = Quantity.parse(text).exact();
            return new Amount(exact.scale() > THOUSAND ? exact.setScale(THOUSAND, RoundingMode.UP) : exact, form(text));
        } catch (IllegalArgumentException e) {
            return ZERO;
        }
    }

    private static Form form(String text) {
        if (text.endsWith("i")) {
            return Form.BINARY;
        }
        boolean exponent = text.toLowerCase(Locale.ROOT).matches(".*e[+-]?[0-9]+");
        return exponent ? Form.EXPONENT : Form.DECIMAL;
    }

    /** The sum, written as this one is, unless this one is nothing. */
    Amount plus(Amount other) {
        return new Amount(exact.add(other.exact), exact.signum() == 0 ? other.form : form);
    }

    /** Compares as admission does: by thousandths, or by whole units where one of all three is too large for that. */
    static int compare(Amount one, Amount two, Amount third) {
        boolean fine = one.hasThousandths() && two.hasThousandths() && third.hasThousandths();
        int scale = fine ? THOUSAND : 0;
        return one.exact.setScale(scale, RoundingMode.UP).compareTo(two.exact.setScale(scale, RoundingMode.UP));
    }

    /** How many times the second the first is, both rounded as {@link #compare} rounds them beside a third. */
    static double ratio(Amount one, Amount two, Amount third) {
        boolean fine = one.hasThousandths() && two.hasThousandths() && third.hasThousandths();
        int scale = fine ? THOUSAND : 0;
        return one.exact.setScale(scale, RoundingMode.UP).doubleValue()
                / two.exact.setScale(scale, RoundingMode.UP).doubleValue();
    }

    /** Whether it has no fraction. */
    boolean isWhole() {
        return exact.stripTrailingZeros().scale() <= 0;
    }

    private boolean hasThousandths() {
        return exact.setScale(0, RoundingMode.UP).compareTo(MOST_WITH_THOUSANDTHS) <= 0;
    }

    /** The one way in which API servers write the amount. */
    @Override
    public String toString() {
        if (form == Form.BINARY && isWhole() && exact.abs().compareTo(KIBI) >= 0) {
            return binary();
        }
        if (exact.signum() == 0) {
            return "0";
        }
        BigDecimal stripped = exact.setScale(-FINEST, RoundingMode.UP).stripTrailingZeros();
        int exponent = Math.floorDiv(-stripped.scale(), THOUSAND) * THOUSAND;
        String number =
                stripped.scaleByPowerOfTen(-exponent).toBigIntegerExact().toString();
        int suffix = (exponent - FINEST) / THOUSAND;
        if (exponent != 0 && (form == Form.EXPONENT || suffix >= DECIMAL_SUFFIXES.length)) {
            return number + "e" + exponent;
        }
        return number + DECIMAL_SUFFIXES[suffix];
    }

    private String binary() {
        BigInteger kibi = KIBI.toBigIntegerExact();
        BigInteger rest = exact.toBigIntegerExact();
        int power = 0;
        while (power < BINARY_SUFFIXES.length() && rest.mod(kibi).signum() == 0) {
            rest = rest.divide(kibi);
            power++;
        }
        return power == 0 ? rest.toString() : rest + BINARY_SUFFIXES.substring(power - 1, power) + "i";
    }
}
