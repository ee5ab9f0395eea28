package io.policyscheduler.cmd.page;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Times that were measured since the last look, as numbers in buckets that are an eighth wider each. Writing costs one atomic
 * addition. Thread-safe.
 */
final class LatencyWindow {
    private static final int PARTS = 8;
    private static final int BUCKETS = Long.SIZE * PARTS;

    private final AtomicIntegerArray buckets = new AtomicIntegerArray(BUCKETS);

    /**
     * Two quantiles, in nanoseconds; -1 when nothing was measured.
     *
     * @param count how many times were measured
     */
    record Quantiles(long median, long high, long count) {}

    void add(long nanos) {
        buckets.incrementAndGet(bucket(Math.max(1, nanos)));
    }

    private static int bucket(long nanos) {
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        long part = power < 3 ? 0 : (nanos >>> (power - 3)) & (PARTS - 1);
        return power * PARTS + (int) part;
    }

    /** The middle of a bucket. */
    private static long value(int bucket) {
        int power = bucket / PARTS;
        long base = 1L << power;
        return power < 3 ? base : base + (base >>> 3) * (bucket % PARTS) + (base >>> 4);
    }

    /** The median and the 99th percentile of what was measured since the last call, which are then forgotten. */
    Quantiles take() {
        int[] counts = new int[BUCKETS];
        long all = 0;
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] = buckets.getAndSet(i, 0);
            all += counts[i];
        }
        return new Quantiles(at(counts, all, 0.5), at(counts, all, 0.99), all);
    }

    private static long at(int[] counts, long all, double share) {
        long wanted = (long) Math.ceil(all * share);
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (wanted > 0 && seen >= wanted) {
                return value(i);
            }
        }
        return -1;
    }
}
