package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.kube.write.PodWriter.BindResult;
import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The writes of the scheduler, over HTTP on executors of their own. */
final class KubeClusterWriter implements ClusterWriter {
    private static final Logger LOG = LoggerFactory.getLogger(KubeClusterWriter.class);
    private static final int FORBIDDEN = 403;
    private static final int CONFLICT = 409;

    private final PodWriter pods;
    private final EventRecorder events;
    private final Executor binds;
    private final Ordered statuses;
    private final ConditionWrites conditions;
    private final Executor reads;
    private final FeatureGates gates;
    private final InputRecording recording;
    private final JsonFactory json = ClusterFile.jsonFactory();

    /**
     * @param binds runs concurrent binds
     * @param statuses runs the writes of nominations by the UID of the pod
     * @param conditions runs the writes of conditions, separately so that they delay nothing else
     * @param reads runs reads, separately because they release resources
     * @param recording of the pods that are read
     */
    KubeClusterWriter(
            PodWriter pods,
            EventRecorder events,
            Executor binds,
            Ordered statuses,
            ConditionWrites conditions,
            Executor reads,
            FeatureGates gates,
            InputRecording recording) {
        this.pods = pods;
        this.events = events;
        this.binds = binds;
        this.statuses = statuses;
        this.conditions = conditions;
        this.reads = reads;
        this.gates = gates;
        this.recording = recording;
    }

    @Override
    public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
        binds.execute(() -> done.accept(bindNow(pod, node)));
    }

    private BindOutcome bindNow(PodInfo pod, String node) {
        try {
            BindResult result = pods.bind(pod.namespace(), pod.name(), pod.uid(), node);
            return switch (result.outcome()) {
                case BOUND, ALREADY_BOUND_HERE -> BindOutcome.BOUND;
                case CONFLICT -> BindOutcome.conflict(result.text());
                case GONE -> BindOutcome.deleted(result.text());
                case REFUSED -> BindOutcome.failed(result.text());
                case UNKNOWN -> BindOutcome.unknown(result.text());
            };
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("node", node)
                    .setCause(e)
                    .log("binding failed unexpectedly");
            return BindOutcome.unknown(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void updateStatus(
            PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
        if (nominatedNode == null) {
            conditions.put(pod.uid(), () -> writeStatus(pod, condition, null));
            return;
        }
        // A nomination does not wait for queued conditions, also not for one of its own pod; both are written together.
        if (condition != null) {
            conditions.drop(pod.uid());
        }
        statuses.execute(pod.uid(), () -> {
            boolean mayBeOverwritten = condition != null && conditions.isRunning(pod.uid());
            writeStatus(pod, condition, nominatedNode);
            if (mayBeOverwritten) {
                // The last written condition is the final one.
                conditions.put(pod.uid(), () -> writeStatus(pod, condition, null));
            }
        });
    }

    private void writeStatus(
            PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {
        try {
            ApiResponse response = patch(pod, pod.resourceVersion(), condition, nominatedNode);
            if (response.code() == CONFLICT) {
                // Most often changed by a nomination for the same attempt.
                String version = pods.unboundVersion(pod.namespace(), pod.name(), pod.uid());
                if (!version.isEmpty()) {
                    response = patch(pod, version, condition, nominatedNode);
                }
            }
            if (!response.success()) {
                LOG.atLevel(response.code() == FORBIDDEN ? Level.WARN : Level.DEBUG)
                        .addKeyValue("pod", pod.key())
                        .log("W103 condition of the pod not written: {}", response.message());
            }
        } catch (ApiIoException e) {
            LOG.atWarn().addKeyValue("pod", pod.key()).log("W103 condition of the pod not written: {}", e.getMessage());
        }
    }

    private ApiResponse patch(
            PodInfo pod, String version, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode)
            throws ApiIoException {
        PodWriter.Condition written = condition == null
                ? null
                : new PodWriter.Condition(
                        condition.status(),
                        condition.reason(),
                        condition.message(),
                        Instant.ofEpochMilli(condition.lastTransitionMillis()));
        return pods.patchScheduling(
                pod.namespace(), pod.name(), pod.uid(), version, written, nominatedNode, pod.generation());
    }

    @Override
    public void event(PodInfo pod, String type, String reason, String message, long generation) {
        events.record(
                new ObjectReference(pod.namespace(), pod.name(), pod.uid(), pod.resourceVersion()),
                new EventText(pod.spec().schedulerName(), type, reason, message, generation));
    }

    @Override
    public void readPod(PodInfo pod, Consumer<PodRead> done) {
        reads.execute(() -> done.accept(readNow(pod)));
    }

    private PodRead readNow(PodInfo pod) {
        try {
            ApiResponse response = pods.getPod(pod.namespace(), pod.name());
            if (response.isNotFound(pod.name())) {
                return new PodRead.NotFound();
            }
            if (!response.success()) {
                return new PodRead.Failed(response.message());
            }
            try (JsonParser parser = json.createParser(response.body())) {
                parser.nextToken();
                ObjectReader reader = new ObjectReader(gates, false);
                if (recording
                                .decoder(body -> reader.read(body, "Pod"), () -> false)
                                .decode(parser)
                        instanceof PodInfo read) {
                    return new PodRead.Found(read);
                }
            }
            return new PodRead.Failed("not a pod");
        } catch (IOException e) {
            return new PodRead.Failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("pod", pod.key()).setCause(e).log("reading the pod failed unexpectedly");
            return new PodRead.Failed(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The queue of {@code PodScheduled} conditions that are to be written. It holds one write for each pod, the last one, and is bounded:
     * if it is full, the oldest write is dropped, and the pod gets its condition with its next attempt. The writes run on threads of their
     * own, so that binds, evictions, nominations, volumes, and claims never wait for them. Two writes of one pod never run at once.
     * Thread-safe.
     */
    static final class ConditionWrites {
        /** About the number of writes that four threads complete in two minutes if each takes half a second. */
        static final int MOST = 1000;

        private static final Logger LOG = LoggerFactory.getLogger(ConditionWrites.class);

        private final Executor threads;
        /** By UID, the oldest first. */
        private final Map<String, Runnable> waiting = new LinkedHashMap<>();

        private final Set<String> running = new HashSet<>();
        private long dropped;

        /** @param threads runs the writes, with one write per thread at a time */
        ConditionWrites(Executor threads) {
            this.threads = threads;
        }

        /** Queues the write of a pod and replaces an earlier one that has not started. */
        void put(String uid, Runnable write) {
            boolean isNew;
            synchronized (this) {
                isNew = waiting.put(uid, write) == null;
                if (waiting.size() > MOST) {
                    Iterator<String> oldest = waiting.keySet().iterator();
                    oldest.next();
                    oldest.remove();
                    dropped++;
                }
            }
            if (isNew) {
                threads.execute(this::writeNext);
            }
        }

        /** Drops the write of a pod if it has not begun, because something newer is written otherwise. */
        synchronized void drop(String uid) {
            waiting.remove(uid);
        }

        /** Returns true while a write of this pod runs. */
        synchronized boolean isRunning(String uid) {
            return running.contains(uid);
        }

        /** Number of pods whose condition is queued or being written. */
        synchronized int size() {
            return waiting.size() + running.size();
        }

        /** Number of writes that were dropped because the queue was full. */
        synchronized long dropped() {
            return dropped;
        }

        private void writeNext() {
            String uid = null;
            Runnable write = null;
            synchronized (this) {
                Iterator<Map.Entry<String, Runnable>> entries =
                        waiting.entrySet().iterator();
                while (write == null && entries.hasNext()) {
                    Map.Entry<String, Runnable> next = entries.next();
                    if (!running.contains(next.getKey())) {
                        uid = next.getKey();
                        write = next.getValue();
                        entries.remove();
                        running.add(uid);
                    }
                }
            }
            if (uid == null || write == null) {
                // The write was dropped, or the thread that writes the same pod takes it.
                return;
            }
            boolean again = true;
            try {
                write.run();
            } finally {
                synchronized (this) {
                    running.remove(uid);
                    again = waiting.containsKey(uid);
                }
                if (again) {
                    try {
                        threads.execute(this::writeNext);
                    } catch (RejectedExecutionException e) {
                        LOG.debug("a condition is not written: the process ends");
                    }
                }
            }
        }
    }
}
