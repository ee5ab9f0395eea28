package io.policyscheduler.engine.reader;

import java.util.function.Predicate;
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
        int first = place(hash);
        for (int i = first; i < first + WAYS; i++) {
            if (hashes[i] == hash && value.equals(values[i])) {
                @SuppressWarnings("unchecked") // only values of T are ever stored
                T same = (T) values[i];
                return same;
            }
        }
        keep(hash, value);
        return value;
    }

    /** The remembered value with this hash that the condition holds for; null when there is none. */
    @Nullable
    T find(int hash, Predicate<? super T> condition) {
        int first = place(hash);
        for (int i = first; i < first + WAYS; i++) {
            @SuppressWarnings("unchecked") // only values of T are ever stored
            T candidate = (T) values[i];
            if (hashes[i] == hash && candidate != null && condition.test(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    /** Remembers a value instead of the oldest of those whose hashes meet. */
    void keep(int hash, T value) {
        int first = place(hash);
        for (int i = first + WAYS - 1; i > first; i--) {
            values[i] = values[i - 1];
            hashes[i] = hashes[i - 1];
        }
        values[first] = value;
        hashes[first] = hash;
    }

    private int place(int hash) {
        return (hash * SPREAD >>> shift) * WAYS;
    }
}
