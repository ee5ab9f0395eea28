package io.policyscheduler.framework.insight.lab;

import io.policyscheduler.framework.insight.lab.RunEvents.Order;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a run share: its clock, the events to come, the receivers of changes, which are the scheduler under test and the
 * autoscaler, and the metrics. Belongs to one thread.
 */
final class RunEvents {
    /** Classes of the events of one instant, in their order. */
    enum Order {
        NODES,
        ENDS,
        OBJECTS,
        ARRIVALS,
        BINDINGS,
        AUTOSCALER,
        SAMPLES
    }

    private final VirtualTime<Runnable> time;
    private final RunMetrics metrics;
    private final List<Consumer<ClusterChange>> receivers = new ArrayList<>();
    private @Nullable RunMetrics block;
    private long revision;

    /** @param metrics of the whole window */
    RunEvents(VirtualTime<Runnable> time, RunMetrics metrics) {
        this.time = time;
        this.metrics = metrics;
    }

    /** Returns the time, nanoseconds since the start. */
    long nanos() {
        return time.nanos();
    }

    /** Returns the time as an instant. */
    Instant instant() {
        return time.instant(time.nanos());
    }

    /** Returns the clock. */
    Clock clock() {
        return time.clock();
    }

    /** Adds an event; one in the past is due now. */
    void at(long nanos, Order order, Runnable event) {
        time.at(nanos, order.ordinal(), event);
    }

    /** Adds an event that is due after a delay. */
    void in(Duration delay, Order order, Runnable event) {
        at(time.nanos() + delay.toNanos(), order, event);
    }

    /** Returns the time of the next event, {@link VirtualTime#NEVER} if there is none. */
    long next() {
        return time.next();
    }

    /** Executes the next event, without moving the clock. */
    void execute() {
        VirtualTime.Timed<Runnable> due = time.poll();
        if (due != null) {
            due.event().run();
        }
    }

    /** Moves the clock, and the metrics with it; never back. */
    void advanceTo(long nanos) {
        if (nanos > time.nanos()) {
            time.advanceTo(nanos);
            each(one -> one.advanceTo(nanos));
        }
    }

    /** Adds a receiver of all later changes. */
    void addReceiver(Consumer<ClusterChange> receiver) {
        receivers.add(receiver);
    }

    /** The API server has a change, which all receivers get now. */
    void post(ClusterChange change) {
        revision++;
        receivers.forEach(receiver -> receiver.accept(change));
    }

    /** Something has changed that is no change of the API server, but that an autoscaler considers. */
    void touch() {
        revision++;
    }

    /** Returns a number that grows with each change. */
    long revision() {
        return revision;
    }

    /** Returns the metrics of the whole window. */
    RunMetrics metrics() {
        return metrics;
    }

    /** Returns the metrics of the block of now; null outside of blocks. */
    @Nullable
    RunMetrics block() {
        return block;
    }

    /** Sets the metrics of the block of now; null outside of blocks. */
    void block(@Nullable RunMetrics next) {
        block = next;
    }

    /** Updates the metrics of the window and of the block. */
    void each(Consumer<RunMetrics> action) {
        action.accept(metrics);
        RunMetrics ofBlock = block;
        if (ofBlock != null) {
            action.accept(ofBlock);
        }
    }
}
