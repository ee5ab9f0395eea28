package io.policyscheduler.cmd.kube.connection;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.LongSupplier;

/**
 * Time that passes evenly, whatever happens to the machine's clock: what that clock said at first, and how long ago that was.
 * For waiting; for dates that others read it drifts, and stands still while the machine sleeps.
 */
public final class SteadyClock extends Clock {
    private final Instant start;
    private final ZoneId zone;
    private final LongSupplier nanos;
    private final long startNanos;

    /** The machine's time of now, going on evenly. */
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

    /** A way to wait, so that tests need not. */
    @FunctionalInterface
    public interface Sleeper {
        /** Really waits. */
        Sleeper REAL = delay -> Thread.sleep(delay.toMillis());

        void sleep(Duration delay) throws InterruptedException;
    }
}
