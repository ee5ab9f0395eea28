package io.policyscheduler.engine.cluster.resource;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** The treatment of amounts and sums that do not fit in 64 bits. */
public enum Arithmetic {
    /** Clamps to the largest or smallest number, so that a larger request never looks smaller. */
    SATURATING(true),
    /** As in kube-scheduler v1.17: sums wrap around, quantities wrap around or become 0. */
    WRAPPING(false);

    private static final long SMALL = 1L << 46;
    private static final long HUNDREDTHS = 100;

    private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal MIN = BigDecimal.valueOf(Long.MIN_VALUE);

    // Called for every node: a class with a flag is inlined, two classes with overridden methods are not.
    private final boolean saturates;

    Arithmetic(boolean saturates) {
        this.saturates = saturates;
    }

    /** {@code a + b}. */
    public long add(long a, long b) {
        long sum = a + b;
        return ((a ^ sum) & (b ^ sum)) < 0 && saturates ? limit(a) : sum;
    }

    /** {@code a - b}. */
    public long subtract(long a, long b) {
        long difference = a - b;
        return ((a ^ b) & (a ^ difference)) < 0 && saturates ? limit(a) : difference;
    }

    /** {@code a * b}. */
    public long multiply(long a, long b) {
        long product = a * b;
        return saturates && overflows(a, b, product) ? limit(a ^ b) : product;
    }

    /** {@code part * scale / all}, truncated; {@code all} is not 0. */
    public long share(long part, long scale, long all) {
        if (part >= 0 && part <= all && all < SMALL && scale >= 0 && scale <= HUNDREDTHS) {
            // Exact: the distance of a fractional quotient from the next integer is larger than the rounding error of
            // doubles.
            return (long) ((double) (part * scale) / (double) all);
        }
        long product = part * scale;
        if (!saturates || !overflows(part, scale, product)) {
            return product / all;
        }
        BigInteger exact = BigInteger.valueOf(part).multiply(BigInteger.valueOf(scale));
        return whole(new BigDecimal(exact.divide(BigInteger.valueOf(all))));
    }

    private static boolean overflows(long a, long b, long product) {
        return Math.multiplyHigh(a, b) != product >> (Long.SIZE - 1);
    }

    /**
     * A quantity rounded up (away from zero) to a whole number.
     *
     * @throws IllegalArgumentException if the text is not a quantity; the message contains it
     */
    public long value(String quantity) {
        if (!saturates) {
            return Quantity.value(quantity);
        }
        long plain = Quantity.plainDigits(quantity);
        return plain >= 0 ? plain : whole(Quantity.parse(quantity).exact());
    }

    /**
     * A thousand times a quantity, rounded likewise.
     *
     * @throws IllegalArgumentException if the text is not a quantity; the message contains it
     */
    public long milliValue(String quantity) {
        if (!saturates) {
            return Quantity.milliValue(quantity);
        }
        long plain = Quantity.plainThousandths(quantity);
        return plain >= 0 ? plain : whole(Quantity.parse(quantity).exact().scaleByPowerOfTen(3));
    }

    private static long limit(long sign) {
        return sign < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /** An exact amount rounded up (away from zero) and clamped to 64 bits. */
    public static long whole(BigDecimal amount) {
        BigDecimal whole = amount.setScale(0, RoundingMode.UP);
        return whole.max(MIN).min(MAX).longValue();
    }
}
