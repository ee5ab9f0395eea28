package io.policyscheduler.framework.scheduler.binding;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the state of a pod by events and its PodScheduled condition. Failures to write are only logged. */
public final class PodReports {
    /** The reason of the event about an unscheduled pod. */
    public static final String FAILED_SCHEDULING = "FailedScheduling";

    private static final Logger log = LoggerFactory.getLogger(PodReports.class);

    /**
     * The watch soon returns what is written. An evicted entry only means that a pod's latest condition may be missing for a while.
     */
    private static final int MOST_REMEMBERED = 1000;

    private final ClusterWriter writer;
    private final Clock clock;
    private final CurrentProfiles profiles;
    /** By UID the last written status, which the cached pod may not have yet. */
    private final Cache<String, Written> written =
            CacheBuilder.newBuilder().maximumSize(MOST_REMEMBERED).build();

    /** Fields that were not written have the previous value of the pod. */
    private record Written(PodInfo.@Nullable ScheduledCondition condition, String nominatedNode) {}

    /** @param clock for timestamps that users see */
    public PodReports(ClusterWriter writer, Clock clock, CurrentProfiles profiles) {
        this.writer = writer;
        this.clock = clock;
        this.profiles = profiles;
    }

    /** The pod is bound. */
    void scheduled(PodInfo pod, String node, long generation) {
        event(pod, "Normal", "Scheduled", "Successfully assigned " + pod.key() + " to " + node, generation);
    }

    /** Emits a warning event about a pod. */
    public void warn(PodInfo pod, String reason, String message) {
        event(pod, "Warning", reason, message, profiles.all().generation());
    }

    private void event(PodInfo pod, String type, String reason, String message, long generation) {
        try {
            writer.event(pod, type, reason, message, generation);
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("reason", reason)
                    .setCause(e)
                    .log("recording the event failed");
        }
    }

    /**
     * The pod is not scheduled; writes the condition only if it changed.
     *
     * @param nominatedNode its nominated node; empty for none, null if preemption manages the nomination
     */
    void notScheduled(PodInfo pod, String reason, String message, @Nullable String nominatedNode) {
        Written before = written.getIfPresent(pod.uid());
        if (before == null) {
            before = new Written(pod.scheduled(), pod.nominatedNodeName());
        }
        boolean isReported =
                isReported(pod.scheduled(), reason, message) && isReported(before.condition(), reason, message);
        boolean hasNomination = nominatedNode == null
                || (nominatedNode.equals(pod.nominatedNodeName()) && nominatedNode.equals(before.nominatedNode()));
        if (isReported && hasNomination) {
            return;
        }
        PodInfo.ScheduledCondition condition = isReported ? null : condition(pod, reason, message);
        written.put(
                pod.uid(),
                new Written(
                        condition == null ? before.condition() : condition,
                        nominatedNode == null ? before.nominatedNode() : nominatedNode));
        try {
            writer.updateStatus(pod, condition, hasNomination ? null : nominatedNode);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("updating the status of the pod failed");
        }
    }

    /** Writes the node into the status of a pod that is about to be bound but has work to do before: other programs read it. */
    void binding(PodInfo pod, String node) {
        Written before = written.getIfPresent(pod.uid());
        if (before == null) {
            before = new Written(pod.scheduled(), pod.nominatedNodeName());
        }
        if (node.equals(pod.nominatedNodeName()) && node.equals(before.nominatedNode())) {
            return;
        }
        written.put(pod.uid(), new Written(before.condition(), node));
        try {
            writer.updateStatus(pod, null, node);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("updating the status of the pod failed");
        }
    }

    private static boolean isReported(PodInfo.@Nullable ScheduledCondition condition, String reason, String message) {
        return condition != null
                && condition.status().equals("False")
                && condition.reason().equals(reason)
                && condition.message().equals(message);
    }

    private PodInfo.ScheduledCondition condition(PodInfo pod, String reason, String message) {
        PodInfo.ScheduledCondition old = pod.scheduled();
        boolean isSinceKnown =
                old != null && old.status().equals("False") && old.lastTransitionMillis() != PodInfo.NO_TIME;
        long since = old != null && isSinceKnown ? old.lastTransitionMillis() : clock.millis();
        return new PodInfo.ScheduledCondition("False", reason, message, since);
    }

    /** Records why a pod was not scheduled and starts its requeue. Mirrors {@code recordSchedulingFailure}. */
    public static final class FailureRecorder {
        /** The reason of the condition if no node is feasible. */
        public static final String UNSCHEDULABLE = "Unschedulable";
        /** The reason of the condition after other failures. */
        public static final String SCHEDULER_ERROR = "SchedulerError";

        static final String VOLUME_BINDING_FAILED = "VolumeBindingFailed";

        private static final Logger log = LoggerFactory.getLogger(FailureRecorder.class);

        private final Requeuer requeuer;
        private final PodReports reports;
        private final SchedulerListener listener;
        private final SchedulingQueue queue;

        public FailureRecorder(
                Requeuer requeuer, PodReports reports, SchedulerListener listener, SchedulingQueue queue) {
            this.queue = queue;
            this.requeuer = requeuer;
            this.reports = reports;
            this.listener = listener;
        }

        /**
         * Records a failed attempt.
         *
         * @param reason of the condition
         * @param message of the condition and of the event
         */
        public void record(QueuedPod entry, String reason, String message) {
            record(entry, reason, message, message, null);
        }

        /**
         * Records a failed attempt of a pod of a policy, and ends its nomination, because preemption does not run for the pod.
         *
         * @param reason of the condition
         * @param message of the condition and of the event
         */
        public void recordWithoutNomination(QueuedPod entry, String reason, String message) {
            queue.nominated().end(entry.pod());
            record(entry, reason, message, message, null, "");
        }

        /**
         * The same with different texts for condition and event.
         *
         * @param note of the event
         * @param unconfirmed the bind without a response, or null
         */
        void record(QueuedPod entry, String reason, String message, String note, @Nullable Binding unconfirmed) {
            record(entry, reason, message, note, unconfirmed, null);
        }

        private void record(
                QueuedPod entry,
                String reason,
                String message,
                String note,
                @Nullable Binding unconfirmed,
                @Nullable String nominatedNode) {
            PodInfo pod = entry.pod();
            log.atDebug().addKeyValue("pod", pod.key()).log("unable to schedule: {}", message);
            requeuer.start(entry, unconfirmed, !reason.equals(UNSCHEDULABLE));
            reports.warn(pod, PodReports.FAILED_SCHEDULING, note);
            if (queue.waitsForEvents(pod)) {
                String node = queue.nominated().nodeOf(pod);
                reports.notScheduled(pod, reason, message, node == null ? "" : node);
            } else {
                reports.notScheduled(pod, reason, message, nominatedNode);
            }
            listener.onFailure(entry, reason, message);
        }

        /** Requeues a pod if it still exists, without condition and event: the API server reports that it does not exist. */
        void readAgain(QueuedPod entry) {
            requeuer.start(entry, null, true);
        }
    }
}
