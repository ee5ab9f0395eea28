package io.policyscheduler.cmd.kube.write;

import java.time.Duration;
import java.time.Instant;

/** A token bucket for one object's events: 25 at once, then one every five minutes (client-go EventSourceObjectSpamFilter). */
final class EventBudget {
    private static final int BURST = 25;
    private static final Duration REFILL = Duration.ofMinutes(5);

    private double tokens = BURST;
    private Instant last;

    EventBudget(Instant now) {
        last = now;
    }

    boolean tryTake(Instant now) {
        double elapsed = Math.max(0, Duration.between(last, now).toNanos());
        tokens = Math.min(BURST, tokens + elapsed / REFILL.toNanos());
        last = now;
        if (tokens < 1) {
            return false;
        }
        tokens -= 1;
        return true;
    }
}
