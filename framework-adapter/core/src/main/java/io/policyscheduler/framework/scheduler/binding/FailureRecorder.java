package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight.Binding;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records why a pod was not scheduled and starts its requeue. Mirrors {@code recordSchedulingFailure}. */
public final class FailureRecorder {
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

    public FailureRecorder(Requeuer requeuer, PodReports reports, SchedulerListener listener, SchedulingQueue queue) {
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
