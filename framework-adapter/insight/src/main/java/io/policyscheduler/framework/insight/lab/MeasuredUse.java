package io.policyscheduler.framework.insight.lab;

import java.util.Arrays;

/**
 * The CPU and memory that a pod uses, as measured: a function of time that changes in steps. A sample is valid until the next one, and
 * not longer than its validity. Immutable.
 */
public final class MeasuredUse {
    /** A pod that was not measured. */
    public static final MeasuredUse NONE = new Builder().build();

    private static final long UNKNOWN = -1;

    private final long[] from;
    /** {@link #UNKNOWN} for a step without a valid sample. */
    private final long[] nanoCores;

    private final long[] bytes;

    private MeasuredUse(long[] from, long[] nanoCores, long[] bytes) {
        this.from = from;
        this.nanoCores = nanoCores;
        this.bytes = bytes;
    }

    /** Collects the samples of a pod. */
    public static final class Builder {
        private long[] from = new long[4];
        private long[] nanoCores = new long[4];
        private long[] bytes = new long[4];
        private int size;
        /** When the last sample expires. */
        private long end = Long.MAX_VALUE;

        /**
         * Adds a sample.
         *
         * @param nanos its time, not before that of the sample before
         * @param nanoCoresUsed CPU in nanocores, not negative
         * @param bytesUsed memory in bytes, not negative
         * @param validNanos how long it is valid
         */
        public Builder add(long nanos, long nanoCoresUsed, long bytesUsed, long validNanos) {
            if (size > 0 && nanos < from[size - 1]) {
                throw new IllegalArgumentException("a sample is not later than the one before");
            }
            expireBefore(nanos);
            step(nanos, nanoCoresUsed, bytesUsed);
            end = nanos + validNanos;
            return this;
        }

        private void expireBefore(long nanos) {
            if (end < nanos) {
                step(end, UNKNOWN, 0);
            }
        }

        private void step(long nanos, long nanoCoresUsed, long bytesUsed) {
            if (size == from.length) {
                from = Arrays.copyOf(from, 2 * size);
                nanoCores = Arrays.copyOf(nanoCores, 2 * size);
                bytes = Arrays.copyOf(bytes, 2 * size);
            }
            from[size] = nanos;
            nanoCores[size] = nanoCoresUsed;
            bytes[size++] = bytesUsed;
        }

        /**
         * Returns the function.
         *
         * @param origin the time that is 0 in the result
         */
        public MeasuredUse since(long origin) {
            expireBefore(Long.MAX_VALUE);
            long[] times = new long[size];
            Arrays.setAll(times, i -> from[i] - origin);
            return new MeasuredUse(times, Arrays.copyOf(nanoCores, size), Arrays.copyOf(bytes, size));
        }

        /** Returns the function with the times of the samples. */
        public MeasuredUse build() {
            return since(0);
        }
    }

    /** Returns the number of steps. */
    int steps() {
        return from.length;
    }

    /** Returns the step at a time; -1 before the first one. */
    int stepAt(long nanos) {
        int found = Arrays.binarySearch(from, nanos);
        while (found >= 0 && found + 1 < from.length && from[found + 1] == nanos) {
            found++;
        }
        return found >= 0 ? found : -found - 2;
    }

    /** Returns when a step begins, in nanoseconds. */
    long from(int step) {
        return from[step];
    }

    /** Returns whether a sample is valid in a step. */
    boolean isMeasured(int step) {
        return step >= 0 && nanoCores[step] != UNKNOWN;
    }

    /** Returns the CPU in nanocores; 0 without a sample. */
    long nanoCores(int step) {
        return isMeasured(step) ? nanoCores[step] : 0;
    }

    /** Returns the memory in bytes; 0 without a sample. */
    long bytes(int step) {
        return isMeasured(step) ? bytes[step] : 0;
    }
}
