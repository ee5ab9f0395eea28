package io.policyscheduler.cmd.page;

import io.policyscheduler.cmd.kube.connection.KubeConnection.Observer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** Rates and durations of a scheduler, once a page uses them; until then, each call only reads a flag. Thread-safe. */
public final class PageRates implements SchedulerListener, Observer {
    private final LongAdder decided = new LongAdder();
    private final LongAdder bound = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LatencyWindow decisions = new LatencyWindow();
    private final LatencyWindow calls = new LatencyWindow();
    private volatile boolean watched;

    /**
     * Events since the last call.
     *
     * @param failed attempts that ended without a node, and binds that failed
     */
    record Sample(
            long decided, long bound, long failed, LatencyWindow.Quantiles decisions, LatencyWindow.Quantiles calls) {}

    void setWatched(boolean value) {
        watched = value;
    }

    /** Events since the last call; belongs to one thread. */
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

    /**
     * A histogram of durations since the last read, in buckets that are an eighth wider each. A write is one atomic addition.
     * Thread-safe.
     */
    static final class LatencyWindow {
        private static final int PARTS = 8;
        private static final int BUCKETS = Long.SIZE * PARTS;

        private final AtomicIntegerArray buckets = new AtomicIntegerArray(BUCKETS);

        /**
         * Two quantiles in nanoseconds; -1 without values.
         *
         * @param count how many times were measured
         */
        record Quantiles(long median, long high, long count) {}

        void add(long nanos) {
            buckets.incrementAndGet(bucket(Math.max(1, nanos)));
        }

        private static int bucket(long nanos) {
            int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
            long part = power < 3 ? 0 : (nanos >>> (power - 3)) & (PARTS - 1);
            return power * PARTS + (int) part;
        }

        /** The middle of a bucket. */
        private static long value(int bucket) {
            int power = bucket / PARTS;
            long base = 1L << power;
            return power < 3 ? base : base + (base >>> 3) * (bucket % PARTS) + (base >>> 4);
        }

        /** Returns the median and the 99th percentile since the last call, and resets the histogram. */
        Quantiles take() {
            int[] counts = new int[BUCKETS];
            long all = 0;
            for (int i = 0; i < BUCKETS; i++) {
                counts[i] = buckets.getAndSet(i, 0);
                all += counts[i];
            }
            return new Quantiles(at(counts, all, 0.5), at(counts, all, 0.99), all);
        }

        private static long at(int[] counts, long all, double share) {
            long rank = (long) Math.ceil(all * share);
            long seen = 0;
            for (int i = 0; i < BUCKETS; i++) {
                seen += counts[i];
                if (rank > 0 && seen >= rank) {
                    return value(i);
                }
            }
            return -1;
        }
    }
}
