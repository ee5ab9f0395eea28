package io.policyscheduler.cmd.page;

import io.policyscheduler.cmd.kube.connection.KubeConnection.Observer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.concurrent.atomic.LongAdder;

/** Counts and times what a scheduler does, as long as somebody looks; otherwise it costs the reading of a flag. Thread-safe. */
public final class PageRates implements SchedulerListener, Observer {
    private final LongAdder decided = new LongAdder();
    private final LongAdder bound = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LatencyWindow decisions = new LatencyWindow();
    private final LatencyWindow calls = new LatencyWindow();
    private volatile boolean watched;

    /**
     * What happened since the last look.
     *
     * @param failed attempts that ended without a node, and binds that failed
     */
    record Sample(
            long decided, long bound, long failed, LatencyWindow.Quantiles decisions, LatencyWindow.Quantiles calls) {}

    void setWatched(boolean value) {
        watched = value;
    }

    /** What happened since the last call; belongs to one thread. */
    Sample take() {
        return new Sample(
                decided.sumThenReset(), bound.sumThenReset(), failed.sumThenReset(), decisions.take(), calls.take());
    }

    @Override
    public void onDecision(PodInfo pod, Decision decision, long nanos) {
        if (watched) {
            decided.increment();
            decisions.add(nanos);
            if (!decision.isPlaced()) {
                failed.increment();
            }
        }
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        if (watched) {
            bound.increment();
        }
    }

    @Override
    public void onBindFailed(QueuedPod entry, String node, String message) {
        if (watched) {
            failed.increment();
        }
    }

    @Override
    public void called(String method, String host, int code, long nanos) {
        if (watched) {
            calls.add(nanos);
        }
    }
}
