package io.policyscheduler.framework.scheduler.backend;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The backoff of failed pods, which doubles with each failure. In 1.17, records by {@code namespace/name} count the failures; in later
 * releases, the entry of the pod in the queue does. Mirrors {@code pkg/scheduler/internal/queue/pod_backoff.go}.
 */
public final class PodBackoff {
    private record Entry(int attempts, Instant lastUpdate) {}

    private final Duration initial;
    private final Duration max;
    /** Least recently updated first, so that old records are found at the front. */
    private final Map<String, Entry> records = new LinkedHashMap<>();

    /** Waits from {@code initial}, doubling, to {@code max}. */
    public PodBackoff(Duration initial, Duration max) {
        this.initial = initial;
        this.max = max;
    }

    /** The wait after so many attempts. */
    public Duration duration(int attempts) {
        Duration duration = initial;
        for (int i = 1; i < attempts && duration.compareTo(max) <= 0; i++) {
            duration = duration.multipliedBy(2);
        }
        return duration.compareTo(max) > 0 ? max : duration;
    }

    /** Zero for an entry that has never failed. */
    private Duration duration(QueuedPod entry) {
        int count = count(entry);
        return count == 0 ? Duration.ZERO : duration(count);
    }

    private static int count(QueuedPod entry) {
        return entry.consecutiveErrors() > 0 ? entry.consecutiveErrors() : entry.unschedulableCount();
    }

    /**
     * Returns the second in which the backoff of an entry ends, from what the entry has counted. The backoff lasts until the second is
     * over. Mirrors {@code backoff_queue.go} of 1.34.
     */
    Instant expiry(QueuedPod entry) {
        return entry.timestamp().plus(duration(entry)).truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns whether an entry backs off; never for one that has not failed. */
    boolean isBackingOff(QueuedPod entry, Instant now) {
        return count(entry) > 0 && !expiry(entry).isBefore(now.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Notes a failure, unless the pod is still backing off from the last one. Drops records that nobody renewed. */
    public void backOff(String key, Instant now) {
        collectGarbage(now);
        Instant expiry = expiry(key);
        if (expiry == null || expiry.isBefore(now)) {
            add(key, now);
        }
    }

    /** The same for a pod whose last backoff counts as over, whatever the clock says. */
    void backOffAgain(String key, Instant now) {
        collectGarbage(now);
        add(key, now);
    }

    private void add(String key, Instant now) {
        Entry old = records.remove(key);
        records.put(key, new Entry(old == null ? 1 : old.attempts() + 1, now));
    }

    private void collectGarbage(Instant now) {
        Iterator<Entry> oldest = records.values().iterator();
        while (oldest.hasNext()
                && oldest.next().lastUpdate().plus(max).plus(max).isBefore(now)) {
            oldest.remove();
        }
    }

    /** When the backoff of a pod ends; null without a record. */
    public @Nullable Instant expiry(String key) {
        Entry entry = records.get(key);
        return entry == null ? null : entry.lastUpdate().plus(duration(entry.attempts()));
    }

    /** True when there is a record whose end lies after {@code now}. */
    public boolean isBackingOff(String key, Instant now) {
        Instant expiry = expiry(key);
        return expiry != null && expiry.isAfter(now);
    }

    /** Attempts on record, 0 without a record. */
    public int attempts(String key) {
        Entry entry = records.get(key);
        return entry == null ? 0 : entry.attempts();
    }

    /** Forgets a pod. */
    public void clear(String key) {
        records.remove(key);
    }

    /** Number of records. */
    public int size() {
        return records.size();
    }

    /**
     * When a pod may be tried again: after the backoff of its failures, and after the wait of those that take far more work than others,
     * whatever becomes of them meanwhile.
     */
    static final class RequeueStrategy {
        /** Twice the longest backoff of v1.17, doubling. */
        private static final Duration SLOW_AT_FIRST = Duration.ofSeconds(20);

        private static final Duration SLOW_AT_MOST = Duration.ofMinutes(5);

        private final PodBackoff backoff;
        private final PodBackoff slow = new PodBackoff(SLOW_AT_FIRST, SLOW_AT_MOST);

        RequeueStrategy(PodBackoff backoff) {
            this.backoff = backoff;
        }

        void failed(String key, Instant now) {
            backoff.backOff(key, now);
        }

        /** Takes note of a slow pod; says how long it will wait at least. */
        Duration wasSlow(String key, Instant now) {
            slow.backOffAgain(key, now);
            return slow.duration(slow.attempts(key));
        }

        /** When all waits of a pod are over; null when it has none. */
        @Nullable
        Instant end(String key) {
            Instant usual = backoff.expiry(key);
            Instant extra = slow.expiry(key);
            if (usual == null || extra == null) {
                return usual == null ? extra : usual;
            }
            return usual.isAfter(extra) ? usual : extra;
        }

        /** When the wait of a slow pod is over; null when it is none. */
        @Nullable
        Instant endOfSlow(String key) {
            return slow.expiry(key);
        }

        void endBackoff(String key) {
            backoff.clear(key);
        }

        void endSlow(String key) {
            slow.clear(key);
        }
    }
}
