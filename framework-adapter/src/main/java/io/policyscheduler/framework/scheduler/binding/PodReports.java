package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells users what becomes of a pod, by events and its PodScheduled condition. A failure to do so is only logged. */
public final class PodReports {
    /** Reason of the event about a pod that is not placed. */
    public static final String FAILED_SCHEDULING = "FailedScheduling";

    private static final Logger log = LoggerFactory.getLogger(PodReports.class);

    private final ClusterWriter writer;
    private final Clock clock;
    private final ProfilesInForce profiles;

    /** @param clock of the times that users see */
    public PodReports(ClusterWriter writer, Clock clock, ProfilesInForce profiles) {
        this.writer = writer;
        this.clock = clock;
        this.profiles = profiles;
    }

    /** The pod is on its node. */
    void scheduled(PodInfo pod, String node, long generation) {
        event(pod, "Normal", "Scheduled", "Successfully assigned " + pod.key() + " to " + node, generation);
    }

    /** Something is wrong with the pod or its place. */
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
     * The pod has no node yet; said again only when it is for another reason.
     *
     * @param nominatedNode where it is nominated to now; empty for nowhere
     */
    void notScheduled(PodInfo pod, String reason, String message, String nominatedNode) {
        PodInfo.ScheduledCondition condition = condition(pod, reason, message);
        String nomination = nominatedNode.equals(pod.nominatedNodeName()) ? null : nominatedNode;
        if (condition == null && nomination == null) {
            return;
        }
        try {
            writer.updateStatus(pod, condition, nomination);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("updating the status of the pod failed");
        }
    }

    /** The same where somebody else sees to nominations. */
    void notScheduled(PodInfo pod, String reason, String message) {
        PodInfo.ScheduledCondition condition = condition(pod, reason, message);
        if (condition == null) {
            return;
        }
        try {
            writer.updateScheduledCondition(pod, condition);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("updating the condition of the pod failed");
        }
    }

    /** Null when the pod says so already. */
    private PodInfo.@Nullable ScheduledCondition condition(PodInfo pod, String reason, String message) {
        PodInfo.ScheduledCondition old = pod.scheduled();
        boolean alreadyFalse = old != null && old.status().equals("False");
        if (old != null
                && alreadyFalse
                && old.reason().equals(reason)
                && old.message().equals(message)) {
            return null;
        }
        boolean isSinceKnown = old != null && alreadyFalse && old.lastTransitionMillis() != PodInfo.NO_TIME;
        long since = old != null && isSinceKnown ? old.lastTransitionMillis() : clock.millis();
        return new PodInfo.ScheduledCondition("False", reason, message, since);
    }
}
