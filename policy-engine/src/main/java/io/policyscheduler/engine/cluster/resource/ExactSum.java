package io.policyscheduler.engine.cluster.resource;

/**
 * A sum that is never lost, however large it was in between: what was added can be taken away again. Holds 128 bits, too many for
 * the amounts of any number of pods.
 */
final class ExactSum {
    private long high;
    private long low;

    ExactSum() {}

    ExactSum(ExactSum other) {
        this.high = other.high;
        this.low = other.low;
    }

    void add(long amount) {
        low += amount;
        high += (amount >> (Long.SIZE - 1)) + (Long.compareUnsigned(low, amount) < 0 ? 1 : 0);
    }

    void subtract(long amount) {
        high -= (amount >> (Long.SIZE - 1)) + (Long.compareUnsigned(low, amount) < 0 ? 1 : 0);
        low -= amount;
    }

    /** The sum, or what stands for it. */
    long value(Arithmetic arithmetic) {
        if (arithmetic == Arithmetic.WRAPPING || high == low >> (Long.SIZE - 1)) {
            return low;
        }
        return high < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
