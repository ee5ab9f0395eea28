package io.policyscheduler.framework.scheduler.queue;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a pod may be tried again: after the backoff of its failures, and after the wait of those that take far more work than others,
 * whatever becomes of them meanwhile.
 */
final class RequeueStrategy {
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
