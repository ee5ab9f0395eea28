package io.policyscheduler.engine.cluster;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** What becomes of amounts and sums that 64 bits cannot hold. */
public enum Arithmetic {
    /** The largest or the smallest number stands for them, so that more asked for never looks like less. */
    SATURATING {
        @Override
        public long add(long a, long b) {
            long sum = a + b;
            return ((a ^ sum) & (b ^ sum)) < 0 ? limit(a) : sum;
        }

        @Override
        public long subtract(long a, long b) {
            long difference = a - b;
            return ((a ^ b) & (a ^ difference)) < 0 ? limit(a) : difference;
        }

        @Override
        public long multiply(long a, long b) {
            long product = a * b;
            return Math.multiplyHigh(a, b) == product >> (Long.SIZE - 1) ? product : limit(a ^ b);
        }

        @Override
        public long share(long part, long scale, long all) {
            long product = part * scale;
            if (Math.multiplyHigh(part, scale) == product >> (Long.SIZE - 1)) {
                return product / all;
            }
            BigInteger exact = BigInteger.valueOf(part).multiply(BigInteger.valueOf(scale));
            return whole(new BigDecimal(exact.divide(BigInteger.valueOf(all))));
        }

        @Override
        public long value(String quantity) {
            long plain = Quantity.plainDigits(quantity);
            return plain >= 0 ? plain : whole(Quantity.parse(quantity).exact());
        }

        @Override
        public long milliValue(String quantity) {
            long plain = Quantity.plainThousandths(quantity);
            return plain >= 0 ? plain : whole(Quantity.parse(quantity).exact().scaleByPowerOfTen(3));
        }
    },
    /** As kube-scheduler v1.17 has them: sums wrap around, quantities wrap around or become 0. */
    WRAPPING {
        @Override
        public long add(long a, long b) {
            return a + b;
        }

        @Override
        public long subtract(long a, long b) {
            return a - b;
        }

        @Override
        public long multiply(long a, long b) {
            return a * b;
        }

        @Override
        public long share(long part, long scale, long all) {
            return part * scale / all;
        }

        @Override
        public long value(String quantity) {
            return Quantity.value(quantity);
        }

        @Override
        public long milliValue(String quantity) {
            return Quantity.milliValue(quantity);
        }
    };

    private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal MIN = BigDecimal.valueOf(Long.MIN_VALUE);

    /** {@code a + b}. */
    public abstract long add(long a, long b);

    /** {@code a - b}. */
    public abstract long subtract(long a, long b);

    /** {@code a * b}. */
    public abstract long multiply(long a, long b);

    /** {@code part * scale / all}, cut off; {@code all} is not 0. */
    public abstract long share(long part, long scale, long all);

    /**
     * A quantity rounded up (away from zero) to a whole number.
     *
     * @throws IllegalArgumentException when the text is not a quantity; the message names it
     */
    public abstract long value(String quantity);

    /**
     * A thousand times a quantity, rounded likewise.
     *
     * @throws IllegalArgumentException when the text is not a quantity; the message names it
     */
    public abstract long milliValue(String quantity);

    private static long limit(long sign) {
        return sign < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    /** An exact amount rounded up (away from zero) to a whole number that 64 bits hold. */
    public static long whole(BigDecimal amount) {
        BigDecimal whole = amount.setScale(0, RoundingMode.UP);
        return whole.max(MIN).min(MAX).longValue();
    }
}
