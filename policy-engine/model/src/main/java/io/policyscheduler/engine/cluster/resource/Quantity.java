package io.policyscheduler.engine.cluster.resource;

import io.policyscheduler.engine.cluster.selector.LabelSyntax;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Kubernetes quantities: {@code 500m}, {@code 1.5Gi}, {@code 1e3}. Exact decimal arithmetic, rounded up (away from zero) to whole
 * units. {@link #value()} and {@link #milliValue()} return amounts beyond 64 bits as the Go code of 1.17 does, wrapped or zero;
 * {@link Arithmetic} can clamp them. Only the first 1,000 digits count, rounded up, to limit the cost of huge numbers. Mirrors
 * {@code apimachinery/pkg/api/resource/quantity.go}.
 */
public final class Quantity {
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int FINEST_SCALE = 9;
    /** More digits are not stored as a 64-bit mantissa. */
    private static final int SMALL_DIGITS = 18;

    private static final int KIBI = 1024;
    private static final String[] BINARY_SUFFIXES = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    /** From a billionth to 10^18. */
    private static final String[] DECIMAL_SUFFIXES = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};

    private static final int MAX_DIGITS = 1000;
    private static final int MAX_SHOWN = 60;

    private final boolean binary;
    private final BigDecimal amount;
    private final BigInteger mantissa;
    private final int exponent;
    private final boolean small;

    private Quantity(boolean binary, BigDecimal amount, BigInteger mantissa, int exponent, boolean small) {
        this.binary = binary;
        this.amount = amount;
        this.mantissa = mantissa;
        this.exponent = exponent;
        this.small = small;
    }

    /**
     * Parses a quantity.
     *
     * @throws IllegalArgumentException if the text is not a quantity; the message contains it
     */
    public static Quantity parse(String text) {
        int at = 0;
        int length = text.length();
        boolean negative = false;
        if (at < length && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
            negative = text.charAt(at) == '-';
            at++;
        }
        int digitsStart = at;
        while (at < length && isDigit(text.charAt(at))) {
            at++;
        }
        String whole = text.substring(digitsStart, at);
        String fraction = "";
        if (at < length && text.charAt(at) == '.') {
            int start = ++at;
            while (at < length && isDigit(text.charAt(at))) {
                at++;
            }
            fraction = text.substring(start, at);
        }
        if (whole.isEmpty() && fraction.isEmpty()) {
            throw malformed(text);
        }
        String suffix = text.substring(at);
        String digits = whole + fraction;
        int scale = fraction.length();
        if (digits.length() > MAX_DIGITS) {
            int start = firstNonZero(digits, 0);
            int end = Math.min(digits.length(), start + MAX_DIGITS);
            boolean lost = firstNonZero(digits, end) < digits.length();
            scale += (lost ? 1 : 0) - (digits.length() - end);
            digits = lost ? digits.substring(start, end) + "1" : "0" + digits.substring(start, end);
        }
        BigInteger mantissa = new BigInteger(digits);
        if (negative) {
            mantissa = mantissa.negate();
        }
        int power = binaryPower(suffix);
        if (power > 0) {
            BigDecimal amount = new BigDecimal(mantissa, Math.max(scale, -MAX_DIGITS))
                    .multiply(new BigDecimal(BigInteger.TWO.pow(power)))
                    .setScale(FINEST_SCALE, RoundingMode.UP);
            if (amount.abs().compareTo(new BigDecimal(MAX)) > 0) {
                amount = new BigDecimal(negative ? MAX.negate() : MAX);
            }
            return new Quantity(true, amount, BigInteger.ZERO, 0, false);
        }
        int exponent = decimalExponent(suffix, text);
        return ofDecimal(mantissa, exponent - scale, digits.length());
    }

    /**
     * The canonical text of the quantity in Kubernetes: with a binary suffix if it was parsed with one, and with as few digits as
     * possible. Mirrors {@code CanonicalizeBytes}.
     */
    public String canonical() {
        boolean isWhole = amount.stripTrailingZeros().scale() <= 0;
        boolean isSmall = amount.abs().compareTo(BigDecimal.valueOf(KIBI)) < 0;
        return binary && isWhole && !isSmall ? binaryText(amount.toBigIntegerExact()) : decimalText();
    }

    /** The text of a whole amount with a binary suffix, as of {@code NewQuantity(n, BinarySI)}. */
    public static String binaryText(BigInteger number) {
        BigInteger left = number;
        int power = 0;
        BigInteger kibi = BigInteger.valueOf(KIBI);
        while (left.signum() != 0
                && power < BINARY_SUFFIXES.length - 1
                && left.abs().compareTo(kibi) >= 0
                && left.mod(kibi).signum() == 0) {
            left = left.divide(kibi);
            power++;
        }
        return left + BINARY_SUFFIXES[power];
    }

    private String decimalText() {
        if (amount.signum() == 0) {
            return "0";
        }
        BigDecimal shortest = amount.stripTrailingZeros();
        int thousands = Math.floorDiv(-shortest.scale(), 3);
        int power = Math.max(-3, Math.min(thousands, DECIMAL_SUFFIXES.length - 4));
        return shortest.scaleByPowerOfTen(-3 * power).toPlainString() + DECIMAL_SUFFIXES[power + 3];
    }

    private static int firstNonZero(String digits, int from) {
        int at = from;
        while (at < digits.length() && digits.charAt(at) == '0') {
            at++;
        }
        return at;
    }

    private static Quantity ofDecimal(BigInteger mantissa, int exponent, int digits) {
        BigInteger unscaled = mantissa;
        int scale = exponent;
        if (scale < -FINEST_SCALE) {
            // Guards against 1e-999999999, which becomes one unit of the smallest scale, or zero.
            int drop = Math.min(-FINEST_SCALE - scale, digits + 1);
            BigDecimal rounded = new BigDecimal(unscaled, drop).setScale(0, RoundingMode.UP);
            unscaled = rounded.unscaledValue();
            scale = -FINEST_SCALE;
        }
        boolean small = digits <= SMALL_DIGITS;
        BigDecimal amount = small || scale <= 0 ? new BigDecimal(unscaled, Math.max(-scale, 0)) : BigDecimal.ZERO;
        return new Quantity(false, amount, unscaled, scale, small);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static IllegalArgumentException malformed(String text) {
        String shortened = text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
        return new IllegalArgumentException("\"" + shortened + "\" is not a quantity");
    }

    private static int binaryPower(String suffix) {
        return switch (suffix) {
            case "Ki" -> 10;
            case "Mi" -> 20;
            case "Gi" -> 30;
            case "Ti" -> 40;
            case "Pi" -> 50;
            case "Ei" -> 60;
            default -> 0;
        };
    }

    private static int decimalExponent(String suffix, String text) {
        return switch (suffix) {
            case "n" -> -9;
            case "u" -> -6;
            case "m" -> -3;
            case "" -> 0;
            case "k" -> 3;
            case "M" -> 6;
            case "G" -> 9;
            case "T" -> 12;
            case "P" -> 15;
            case "E" -> 18;
            default -> writtenExponent(suffix, text);
        };
    }

    private static int writtenExponent(String suffix, String text) {
        char first = suffix.charAt(0);
        if ((first != 'e' && first != 'E') || suffix.length() < 2) {
            throw malformed(text);
        }
        Long exponent = LabelSyntax.parseInt64(suffix.substring(1));
        if (exponent == null || exponent < Integer.MIN_VALUE / 2 || exponent > Integer.MAX_VALUE / 2) {
            throw malformed(text);
        }
        return exponent.intValue();
    }

    /** The amount rounded up to a whole number. */
    public long value() {
        return scaled(0);
    }

    /** The exact amount. */
    public BigDecimal exact() {
        return binary ? amount : new BigDecimal(mantissa).scaleByPowerOfTen(clamp(exponent));
    }

    /** A thousand times the amount, rounded up. */
    public long milliValue() {
        return scaled(3);
    }

    private long scaled(int shift) {
        if (binary || !small) {
            BigDecimal exact = binary ? amount : new BigDecimal(mantissa, 0).scaleByPowerOfTen(clamp(exponent));
            return exact.scaleByPowerOfTen(shift)
                    .setScale(0, RoundingMode.UP)
                    .unscaledValue()
                    .longValue();
        }
        int up = exponent + shift;
        if (up <= 0) {
            return amount.scaleByPowerOfTen(shift).setScale(0, RoundingMode.UP).longValue();
        }
        // Go multiplies by these powers without an overflow check and by every other power with one.
        boolean unchecked = up == 1 || up == 2 || up == 3 || up == 6 || up == 9;
        if (mantissa.signum() == 0) {
            return 0;
        }
        if (up > 2 * SMALL_DIGITS) {
            return 0;
        }
        BigInteger product = mantissa.multiply(BigInteger.TEN.pow(up));
        if (unchecked || product.bitLength() <= 63) {
            return product.longValue();
        }
        return 0;
    }

    private static int clamp(int exponent) {
        // 2^64 divides 10^64, so larger powers also wrap to zero.
        return Math.min(exponent, 64);
    }

    /** The value of {@code text}, rounded up; see {@link #parse}. */
    public static long value(String text) {
        long plain = plainDigits(text);
        return plain >= 0 ? plain : parse(text).value();
    }

    /** The thousandfold of {@code text}, rounded up; see {@link #parse}. */
    public static long milliValue(String text) {
        long plain = plainThousandths(text);
        return plain >= 0 ? plain : parse(text).milliValue();
    }

    /** The thousandfold of up to 12 digits, with or without an m, else -1. */
    static long plainThousandths(String text) {
        int last = text.length() - 1;
        if (last > 0 && text.charAt(last) == 'm') {
            return plainDigits(text.substring(0, last));
        }
        long plain = plainDigits(text);
        return plain >= 0 ? plain * 1000 : plain;
    }

    /** The number for up to 12 digits, else -1: avoids big numbers in the usual case. */
    static long plainDigits(String text) {
        int length = text.length();
        if (length == 0 || length > 12) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (!isDigit(c)) {
                return -1;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }
}
