package io.policyscheduler.cmd.embedded.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest changes of one kind, in a ring. Readers hold a position (the running number of the next event to read); a
 * reader that is slower than the ring turns loses its place and must list again, so that writers never wait for readers.
 * Not thread-safe: {@link StoredObjects} guards it.
 */
final class WatchCache {
    private final @Nullable StoredEvent[] ring;
    private long first;
    private long next;
    private long lostVersion;

    WatchCache(int capacity) {
        this.ring = new StoredEvent[capacity];
    }

    void append(StoredEvent event) {
        int slot = (int) (next % ring.length);
        StoredEvent overwritten = ring[slot];
        if (overwritten != null && next - first == ring.length) {
            lostVersion = overwritten.resourceVersion();
            first++;
        }
        ring[slot] = event;
        next++;
    }

    /** Forgets everything up to the given version. */
    void compact(long version) {
        Arrays.fill(ring, null);
        first = next;
        lostVersion = version;
    }

    /** The position of the next event to come. */
    long end() {
        return next;
    }

    /** The version below which history is lost. */
    long lostVersion() {
        return lostVersion;
    }

    boolean holds(long position) {
        return position >= first;
    }

    /** The position of the first event after the given version; -1 when that part of history is lost. */
    long positionAfter(long version) {
        if (version < lostVersion) {
            return -1;
        }
        long low = first;
        long high = next;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (event(middle).resourceVersion() <= version) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    List<StoredEvent> read(long position, int limit) {
        long to = Math.min(next, position + limit);
        List<StoredEvent> events = new ArrayList<>((int) (to - position));
        for (long at = position; at < to; at++) {
            events.add(event(at));
        }
        return events;
    }

    private StoredEvent event(long position) {
        StoredEvent event = ring[(int) (position % ring.length)];
        if (event == null) {
            throw new IllegalStateException("no event at position " + position);
        }
        return event;
    }
}
