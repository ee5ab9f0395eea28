package io.policyscheduler.framework.scheduler.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long a failed pod must wait. Records live on their own, by {@code namespace/name}. Mirrors
 * {@code pkg/scheduler/internal/queue/pod_backoff.go}.
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
        for (int i = 1; i < attempts; i++) {
            duration = duration.multipliedBy(2);
            if (duration.compareTo(max) > 0) {
                return max;
            }
        }
        return duration;
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
}
