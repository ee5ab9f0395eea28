package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays the first decision until the cache contains all pods that the previous leader placed. A list from the watch cache of the
 * API server is fastest, but it can be stale. Before v1.31, only the next change of any pod shows that it is current. If a pod of
 * this scheduler is pending and nothing changes, the gate writes a condition of that pod to cause a change.
 */
final class StartGate {
    private static final Logger LOG = LoggerFactory.getLogger(StartGate.class);
    private static final Duration STEP = Duration.ofMillis(20);
    /** More than the delay between a write and its watch event. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final int ATTEMPTS = 3;

    /** The pods in the caches. */
    interface Pods {
        /** Whether the list is at least as new as etcd when this process started. */
        boolean areCurrent();

        /** Lists all pods from etcd. */
        void listFromStorage();

        /** Returns a pending pod of this scheduler, or none; later, or never after the scheduler has ended. */
        void firstWaiting(Consumer<Optional<PodInfo>> receiver);

        /** Changes a pod that waits. */
        void touch(PodInfo pod) throws ApiIoException;
    }

    private final Pods pods;
    private final Executor calls;
    private final Delayed timer;
    private final InstantSource clock;
    private final Runnable open;
    private final Object lock = new Object();
    private boolean started;
    private boolean closed;
    private boolean asking;
    private Instant nextRequest = Instant.MIN;
    private int touched;

    /**
     * A closed gate.
     *
     * @param calls for requests
     * @param timer runs delayed checks
     * @param clock for durations
     * @param open is run once, when pods may be placed
     */
    StartGate(Pods pods, Executor calls, Delayed timer, InstantSource clock, Runnable open) {
        this.pods = pods;
        this.calls = calls;
        this.timer = timer;
        this.clock = clock;
        this.open = open;
    }

    /** Starts scheduling as soon as the cache is current, immediately if it is. */
    void start() {
        synchronized (lock) {
            if (started) {
                return;
            }
            started = true;
        }
        step();
    }

    /** It is not any more. */
    void close() {
        synchronized (lock) {
            closed = true;
        }
    }

    private void step() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            if (pods.areCurrent()) {
                closed = true;
                open.run();
                return;
            }
            if (!asking && !clock.instant().isBefore(nextRequest)) {
                asking = true;
                pods.firstWaiting(this::found);
            }
        }
        timer.execute(this::step, STEP);
    }

    private void found(Optional<PodInfo> pod) {
        if (pod.isEmpty()) {
            // No scheduling is requested yet; the event is a change.
            answered(STEP.multipliedBy(5));
        } else {
            calls.execute(() -> touchOrList(pod.get()));
        }
    }

    private void touchOrList(PodInfo pod) {
        if (touched >= ATTEMPTS) {
            LOG.warn("W115 the watch cache of the API server is stale: listing all pods from etcd before scheduling");
            touched = 0;
            pods.listFromStorage();
            answered(PATIENCE.multipliedBy(60));
            return;
        }
        touched++;
        try {
            pods.touch(pod);
        } catch (ApiIoException e) {
            LOG.atDebug().addKeyValue("pod", pod.key()).log("not touched: {}", e.getMessage());
            touched = e.code() == 0 ? touched : ATTEMPTS;
        }
        answered(PATIENCE);
    }

    private void answered(Duration pause) {
        synchronized (lock) {
            asking = false;
            nextRequest = clock.instant().plus(pause);
        }
    }

    /** The pods in the caches of a connected scheduler. */
    static final class CachedPods implements StartGate.Pods {
        private static final Logger LOG = LoggerFactory.getLogger(CachedPods.class);

        private final ClusterFeed feed;
        private final Scheduler scheduler;
        private final PodWriter writer;

        CachedPods(ClusterFeed feed, Scheduler scheduler, PodWriter writer) {
            this.feed = feed;
            this.scheduler = scheduler;
            this.writer = writer;
        }

        @Override
        public boolean areCurrent() {
            return feed.hasCurrentPods();
        }

        @Override
        public void listFromStorage() {
            feed.listPodsFromStorage();
        }

        @Override
        public void firstWaiting(Consumer<Optional<PodInfo>> receiver) {
            scheduler.post(new ClusterChange.Task(
                    "find a pending pod",
                    () -> receiver.accept(
                            scheduler.queue().pendingPods().stream().findFirst())));
        }

        @Override
        public void touch(PodInfo pod) throws ApiIoException {
            boolean written = writer.touch(pod.namespace(), pod.name(), pod.uid());
            LOG.atInfo()
                    .addKeyValue("pod", pod.key())
                    .log(written ? "touched, to see that the watch is up to date" : "has changed meanwhile");
        }
    }
}
