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
    /** Least recently updated first, so that old records come first. */
    private final Map<String, Entry> records = new LinkedHashMap<>();

    /** A backoff from {@code initial}, doubling, to {@code max}. */
    public PodBackoff(Duration initial, Duration max) {
        this.initial = initial;
        this.max = max;
    }

    /** The backoff after this number of attempts. */
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
     * Returns the second in which the backoff of an entry ends, from its counts. The backoff lasts until that second is over.
     * Mirrors {@code backoff_queue.go} of 1.34.
     */
    Instant expiry(QueuedPod entry) {
        return entry.timestamp().plus(duration(entry)).truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns whether an entry is backing off; false for one that has not failed. */
    boolean isBackingOff(QueuedPod entry, Instant now) {
        return count(entry) > 0 && !expiry(entry).isBefore(now.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Records a failure, unless the pod is still backing off from the last one. Removes expired records. */
    public void backOff(String key, Instant now) {
        collectGarbage(now);
        Instant expiry = expiry(key);
        if (expiry == null || expiry.isBefore(now)) {
            add(key, now);
        }
    }

    /** Records a failure even if the last backoff has not ended. */
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

    /** The end of a pod's backoff; null without a record. */
    public @Nullable Instant expiry(String key) {
        Entry entry = records.get(key);
        return entry == null ? null : entry.lastUpdate().plus(duration(entry.attempts()));
    }

    /** Whether there is a record whose end is after {@code now}. */
    public boolean isBackingOff(String key, Instant now) {
        Instant expiry = expiry(key);
        return expiry != null && expiry.isAfter(now);
    }

    /** The number of recorded attempts, 0 without a record. */
    public int attempts(String key) {
        Entry entry = records.get(key);
        return entry == null ? 0 : entry.attempts();
    }

    /** Removes the record of a pod. */
    public void clear(String key) {
        records.remove(key);
    }

    /** The number of records. */
    public int size() {
        return records.size();
    }

    /**
     * The earliest next attempt of a pod: after the backoff of its failures, and after the extended backoff of slow pods, which no
     * change ends.
     */
    static final class RequeueStrategy {
        /** Twice the longest backoff of v1.17; doubles. */
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

        /** Records a slow pod; returns the minimum duration of its backoff. */
        Duration wasSlow(String key, Instant now) {
            slow.backOffAgain(key, now);
            return slow.duration(slow.attempts(key));
        }

        /** The end of all backoffs of a pod; null if it has none. */
        @Nullable
        Instant end(String key) {
            Instant usual = backoff.expiry(key);
            Instant extra = slow.expiry(key);
            if (usual == null || extra == null) {
                return usual == null ? extra : usual;
            }
            return usual.isAfter(extra) ? usual : extra;
        }

        /** The end of the extended backoff of a slow pod; null if it has none. */
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
