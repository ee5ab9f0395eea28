package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.scheduler.PodsInFlight.Binding;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.time.Clock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells users why a pod was not placed and starts its way back. Mirrors {@code recordSchedulingFailure}. */
final class FailureRecorder {
    static final String UNSCHEDULABLE = "Unschedulable";
    static final String SCHEDULER_ERROR = "SchedulerError";
    static final String VOLUME_BINDING_FAILED = "VolumeBindingFailed";
    static final String FAILED_SCHEDULING = "FailedScheduling";

    private static final Logger log = LoggerFactory.getLogger(FailureRecorder.class);

    private final Requeuer requeuer;
    private final ClusterWriter writer;
    private final Clock clock;
    private final SchedulerListener listener;
    private final LongSupplier generation;

    FailureRecorder(
            Requeuer requeuer, ClusterWriter writer, Clock clock, SchedulerListener listener, LongSupplier generation) {
        this.generation = generation;
        this.requeuer = requeuer;
        this.writer = writer;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Records a failed attempt.
     *
     * @param reason of the condition
     * @param message of the condition
     * @param note of the event
     * @param unconfirmed the bind that got no answer, or null
     */
    void record(QueuedPod entry, String reason, String message, String note, @Nullable Binding unconfirmed) {
        PodInfo pod = entry.pod();
        log.debug("Unable to schedule {}: {}", pod.key(), message);
        requeuer.start(entry, unconfirmed, !reason.equals(UNSCHEDULABLE));
        event(pod, "Warning", FAILED_SCHEDULING, note, generation.getAsLong());
        updateCondition(pod, reason, message);
        listener.onFailure(pod, reason, message);
    }

    /** Brings a pod back, if it is still there, without a word about it: the server says that it is gone. */
    void readAgain(QueuedPod entry) {
        requeuer.start(entry, null, true);
    }

    private void updateCondition(PodInfo pod, String reason, String message) {
        PodInfo.ScheduledCondition old = pod.scheduled();
        boolean alreadyFalse = old != null && old.status().equals("False");
        if (old != null
                && alreadyFalse
                && old.reason().equals(reason)
                && old.message().equals(message)) {
            return;
        }
        boolean isSinceKnown = old != null && alreadyFalse && old.lastTransitionMillis() != PodInfo.NO_TIME;
        long since = old != null && isSinceKnown ? old.lastTransitionMillis() : clock.millis();
        try {
            writer.updateScheduledCondition(pod, new PodInfo.ScheduledCondition("False", reason, message, since));
        } catch (RuntimeException e) {
            log.error("Error updating the condition of the pod {}", pod.key(), e);
        }
    }

    /** Records an event; a failure to do so is only logged. */
    void event(PodInfo pod, String type, String reason, String message, long decidedBy) {
        try {
            writer.event(pod, type, reason, message, decidedBy);
        } catch (RuntimeException e) {
            log.error("Error recording event {} of the pod {}", reason, pod.key(), e);
        }
    }
}
