package io.policyscheduler.framework.scheduler.backend;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that a test advances; starts at the epoch. */
public final class TestClock extends Clock {
    private Instant now = Instant.EPOCH;

    public void advance(Duration time) {
        now = now.plus(time);
    }

    public void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
