package io.policyscheduler.cmd.kube.connection;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;

/** Time that advances only while a thread sleeps; then the actions planned for that time run. */
public final class VirtualTime extends Clock implements Sleeper {
    private static final Instant START = Instant.parse("2024-05-01T12:00:00Z");

    private record Plan(long at, Runnable action) {}

    private final Deque<Plan> plans = new ArrayDeque<>();
    private long nanos;

    /** Plans an action. Actions must be added in the order of time. */
    public VirtualTime at(Duration time, Runnable action) {
        plans.add(new Plan(time.toNanos(), action));
        return this;
    }

    public Duration elapsed() {
        return Duration.ofNanos(nanos);
    }

    public Ticker ticker() {
        return new Ticker() {
            @Override
            public long read() {
                return nanos;
            }
        };
    }

    /** Throws in the sleeping thread if no action is left that could end the sleep. */
    @Override
    public void sleep(Duration delay) throws InterruptedException {
        advance(delay);
        if (plans.isEmpty()) {
            throw new InterruptedException("end of the plan");
        }
    }

    public void advance(Duration delay) {
        long until = nanos + delay.toNanos();
        while (!plans.isEmpty() && plans.getFirst().at() <= until) {
            Plan plan = plans.remove();
            nanos = Math.max(nanos, plan.at());
            plan.action().run();
        }
        nanos = until;
    }

    @Override
    public Instant instant() {
        return START.plusNanos(nanos);
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
