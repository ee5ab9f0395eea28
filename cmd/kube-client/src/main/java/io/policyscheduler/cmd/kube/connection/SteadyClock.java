package io.policyscheduler.cmd.kube.connection;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.LongSupplier;

/**
 * A clock that never jumps: the time of another clock at the start, plus the monotonic time since then. It is for waiting. For
 * timestamps, it drifts, and it stops while the machine sleeps.
 */
public final class SteadyClock extends Clock {
    private final Instant start;
    private final ZoneId zone;
    private final LongSupplier nanos;
    private final long startNanos;

    /** Returns a clock that starts at the time of the system. */
    public static Clock system() {
        return new SteadyClock(Clock.systemUTC(), System::nanoTime);
    }

    /** @param nanos such as {@link System#nanoTime} */
    public SteadyClock(Clock clock, LongSupplier nanos) {
        this(clock.instant(), clock.getZone(), nanos, nanos.getAsLong());
    }

    private SteadyClock(Instant start, ZoneId zone, LongSupplier nanos, long startNanos) {
        this.start = start;
        this.zone = zone;
        this.nanos = nanos;
        this.startNanos = startNanos;
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanos.getAsLong() - startNanos);
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new SteadyClock(start, other, nanos, startNanos);
    }

    /** Waits for a time. It belongs to a clock: with a virtual clock, it does not stop the thread. */
    @FunctionalInterface
    public interface Sleeper {
        /** Waits with {@link Thread#sleep}. */
        Sleeper REAL = delay -> Thread.sleep(delay.toMillis());

        /** Returns after the delay, which is not negative. */
        void sleep(Duration delay) throws InterruptedException;

        /** Returns the body of a thread that runs an action after each period, until it is interrupted. */
        default Runnable polling(Duration period, Runnable action) {
            return () -> {
                try {
                    while (!Thread.currentThread().isInterrupted()) {
                        sleep(period);
                        action.run();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
        }
    }
}
