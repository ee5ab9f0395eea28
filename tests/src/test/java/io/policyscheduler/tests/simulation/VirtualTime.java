package io.policyscheduler.tests.simulation;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Time that passes only when nothing is left to do before, and what is to happen later. */
public final class VirtualTime {
    /** Something that happens at a time; of the process that it dies with, 0 for none. */
    record Event(long atMillis, long sequence, int process, String name, Runnable action) {}

    private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::sequence));
    private long nowMillis;
    private long sequence;
    private long wallOffsetMillis;

    /** Milliseconds since the start. */
    long now() {
        return nowMillis;
    }

    void in(long millis, int process, String name, Runnable action) {
        events.add(new Event(nowMillis + Math.max(0, millis), sequence++, process, name, action));
    }

    /** When the next event happens; far away when there is none. */
    long next() {
        Event event = events.peek();
        return event == null ? Long.MAX_VALUE : event.atMillis();
    }

    @Nullable
    Event poll() {
        return events.poll();
    }

    void advanceTo(long millis) {
        nowMillis = Math.max(nowMillis, millis);
    }

    /** Someone sets the machine's clock. */
    void jumpWallClock(long millis) {
        wallOffsetMillis += millis;
    }

    /** Time that never jumps. */
    Clock steady() {
        return new Reading(false);
    }

    /** The machine's clock, which may jump either way. */
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
            return START.plusMillis(nowMillis + (wall ? wallOffsetMillis : 0));
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

    /** An instant of {@link #steady()} as milliseconds since the start. */
    static long millis(Instant instant) {
        return instant.toEpochMilli() - START.toEpochMilli();
    }
}
