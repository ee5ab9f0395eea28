package io.policyscheduler.engine.reader;

import org.jspecify.annotations.Nullable;

/**
 * Makes equal values one object, as far as it remembers them. A fixed number of slots, the newest value wins a slot: bounded
 * however long a watch lives, and a hit costs one comparison. Not thread-safe.
 */
final class InternCache<T> {
    private final @Nullable Object[] slots;

    /** @param slotCount a power of two */
    InternCache(int slotCount) {
        this.slots = new @Nullable Object[slotCount];
    }

    T intern(T value) {
        int hash = value.hashCode();
        int slot = (hash ^ (hash >>> 16)) & (slots.length - 1);
        Object known = slots[slot];
        if (value.equals(known)) {
            @SuppressWarnings("unchecked") // only values of T are ever stored
            T same = (T) known;
            return same;
        }
        slots[slot] = value;
        return value;
    }
}
