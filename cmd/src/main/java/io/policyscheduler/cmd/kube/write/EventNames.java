package io.policyscheduler.cmd.kube.write;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Names of events, made of their time. Not thread-safe. */
final class EventNames {
    private long lastNanos;

    /** A name for an event about an object; the time is moved on when the clock has not, so that no two events share one. */
    String next(String object, Instant time) {
        long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
        lastNanos = Math.max(nanos, lastNanos + 1);
        return EventBody.name(object, lastNanos);
    }
}
