package io.policyscheduler.tests.simulation;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Time that advances only when nothing is left to do before, and the planned events. */
public final class VirtualTime {
    /** A planned event; it is dropped when its process, if any (0 for none), crashes. */
    record Event(long atMillis, int process, String name, Runnable action) {}

    private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");

    private final io.policyscheduler.framework.insight.lab.VirtualTime<Event> time =
            new io.policyscheduler.framework.insight.lab.VirtualTime<>(START);
    private long wallOffsetMillis;

    /** Milliseconds since the start. */
    long now() {
        return TimeUnit.NANOSECONDS.toMillis(time.nanos());
    }

    void in(long millis, int process, String name, Runnable action) {
        long at = now() + Math.max(0, millis);
        time.at(TimeUnit.MILLISECONDS.toNanos(at), 0, new Event(at, process, name, action));
    }

    /** Returns the time of the next event; the largest value if there is none. */
    long next() {
        long next = time.next();
        return next == Long.MAX_VALUE ? next : TimeUnit.NANOSECONDS.toMillis(next);
    }

    @Nullable
    Event poll() {
        io.policyscheduler.framework.insight.lab.VirtualTime.Timed<Event> timed = time.poll();
        return timed == null ? null : timed.event();
    }

    void advanceTo(long millis) {
        time.advanceTo(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Sets the wall clock. */
    void jumpWallClock(long millis) {
        wallOffsetMillis += millis;
    }

    /** The monotonic clock. */
    Clock steady() {
        return new Reading(false);
    }

    /** The wall clock, which may jump in either direction. */
    Clock wall() {
        return new Reading(true);
    }

    private final class Reading extends Clock {
        private final boolean wall;

        Reading(boolean wall) {
            this.wall = wall;
        }

        @Override
        public Instant instant() {
            return START.plusMillis(now() + (wall ? wallOffsetMillis : 0));
        }

        @Override
        public long millis() {
            return instant().toEpochMilli();
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

    /** Returns an instant of {@link #steady()} in milliseconds since the start. */
    static long millis(Instant instant) {
        return instant.toEpochMilli() - START.toEpochMilli();
    }
}
