package io.policyscheduler.framework.insight.lab;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A clock that only moves when it is advanced, and the heap of events that are due on it. Events of one instant are ordered by class and
 * then by insertion, so that equal inputs give equal runs. Not thread-safe.
 *
 * @param <E> the type of the events
 */
public final class VirtualTime<E> {
    /** A time that is never reached. */
    public static final long NEVER = Long.MAX_VALUE;

    /**
     * An event and its time.
     *
     * @param nanos nanoseconds since the start
     * @param order class of the event; lower classes come first within one instant
     * @param sequence number of the insertion
     */
    public record Timed<E>(long nanos, int order, long sequence, E event) {}

    private final PriorityQueue<Timed<E>> events = new PriorityQueue<>(Comparator.<Timed<E>>comparingLong(Timed::nanos)
            .thenComparingInt(Timed::order)
            .thenComparingLong(Timed::sequence));
    private final Instant start;
    private long now;
    private long sequence;

    /** @param start the instant that the clock shows at 0 nanoseconds */
    public VirtualTime(Instant start) {
        this.start = start;
    }

    /** Returns the nanoseconds since the start. */
    public long nanos() {
        return now;
    }

    /** Returns the instant of a time in nanoseconds since the start. */
    public Instant instant(long nanos) {
        return start.plusNanos(nanos);
    }

    /** Adds an event; one in the past is due now. */
    public void at(long nanos, int order, E event) {
        events.add(new Timed<>(Math.max(now, nanos), order, sequence++, event));
    }

    /** Returns the time of the first event, {@link #NEVER} if there is none. */
    public long next() {
        Timed<E> first = events.peek();
        return first == null ? NEVER : first.nanos();
    }

    /** Removes and returns the first event; null if there is none. The clock does not move. */
    public @Nullable Timed<E> poll() {
        return events.poll();
    }

    /** Moves the clock; never back. */
    public void advanceTo(long nanos) {
        now = Math.max(now, nanos);
    }

    /** Returns the clock. */
    public Clock clock() {
        return new Reading();
    }

    private final class Reading extends Clock {
        @Override
        public Instant instant() {
            return start.plusNanos(now);
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
}
