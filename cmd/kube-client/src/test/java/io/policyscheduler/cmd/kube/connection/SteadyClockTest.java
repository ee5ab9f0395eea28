package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

public class SteadyClockTest {
    private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");

    @Test
    void followsTheNanosecondsAlsoWhenTheyOverflow() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
        Clock clock = new SteadyClock(Clock.fixed(START, ZoneOffset.UTC), nanos::get);
        assertEquals(START, clock.instant());
        nanos.addAndGet(5);
        assertEquals(START.plusNanos(5), clock.instant());
        assertEquals(START.plusNanos(5), clock.withZone(ZoneId.of("Asia/Tokyo")).instant());
    }
}
