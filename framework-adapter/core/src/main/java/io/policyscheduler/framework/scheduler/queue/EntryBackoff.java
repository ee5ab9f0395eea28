package io.policyscheduler.framework.scheduler.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How long current releases let a failed pod wait: it depends on what the pod's entry has counted, and ends on a whole second. Mirrors
 * {@code backoff_queue.go} of 1.34.
 */
final class EntryBackoff {
    private final Duration initial;
    private final Duration max;

    /** Waits from {@code initial}, doubling, to {@code max}. */
    EntryBackoff(Duration initial, Duration max) {
        this.initial = initial;
        this.max = max;
    }

    private static int count(QueuedPod entry) {
        return entry.consecutiveErrors() > 0 ? entry.consecutiveErrors() : entry.unschedulableCount();
    }

    /** Zero for an entry that has never failed. */
    private Duration duration(int count) {
        if (count == 0) {
            return Duration.ZERO;
        }
        Duration duration = initial;
        for (int i = 1; i < count; i++) {
            if (duration.compareTo(max.dividedBy(2)) > 0) {
                return max;
            }
            duration = duration.multipliedBy(2);
        }
        return duration.compareTo(max) > 0 ? max : duration;
    }

    /** The second in which the backoff of a failed pod ends; it goes on until the second is over. */
    Instant expiry(QueuedPod entry) {
        return entry.timestamp().plus(duration(count(entry))).truncatedTo(ChronoUnit.SECONDS);
    }

    /** True while the pod must wait; never for one that has not been tried. */
    boolean isBackingOff(QueuedPod entry, Instant now) {
        return count(entry) > 0 && !expiry(entry).isBefore(now.truncatedTo(ChronoUnit.SECONDS));
    }
}
