package io.policyscheduler.engine.reader;

import org.jspecify.annotations.Nullable;

/**
 * Makes equal values one object, as far as it remembers them. A fixed number of places, a few for each hash, of which the newest
 * values keep theirs: bounded however long a watch lives, and a hit costs few comparisons. Not thread-safe.
 */
final class InternCache<T> {
    /** Values whose hashes meet must not push each other out in turn. */
    private static final int WAYS = 4;

    /** 2^32 divided by the golden ratio: spreads hashes that differ in few bits, as those of numbered names do. */
    private static final int SPREAD = 0x9E3779B9;

    private final @Nullable Object[] values;
    private final int[] hashes;
    private final int shift;

    /** @param size a power of two, at least 8 */
    InternCache(int size) {
        this.values = new @Nullable Object[size];
        this.hashes = new int[size];
        this.shift = Integer.SIZE - Integer.numberOfTrailingZeros(size / WAYS);
    }

    T intern(T value) {
        int hash = value.hashCode();
        int first = (hash * SPREAD >>> shift) * WAYS;
        int last = first + WAYS - 1;
        for (int i = first; i <= last; i++) {
            if (hashes[i] == hash && value.equals(values[i])) {
                @SuppressWarnings("unchecked") // only values of T are ever stored
                T same = (T) values[i];
                return same;
            }
        }
        for (int i = last; i > first; i--) {
            values[i] = values[i - 1];
            hashes[i] = hashes[i - 1];
        }
        values[first] = value;
        hashes[first] = hash;
        return value;
    }
}
