package io.policyscheduler.framework.scheduler.binding;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
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

    /** The watch shows soon what is written, and a pod of which it is forgotten only does not say its latest reason for a while. */
    private static final int MOST_REMEMBERED = 1000;

    private final ClusterWriter writer;
    private final Clock clock;
    private final CurrentProfiles profiles;
    /** By UID what was written last, which the pod may not show yet. */
    private final Cache<String, Written> written =
            CacheBuilder.newBuilder().maximumSize(MOST_REMEMBERED).build();

    /** As far as nothing was written, what the pod had before. */
    private record Written(PodInfo.@Nullable ScheduledCondition condition, String nominatedNode) {}

    /** @param clock of the times that users see */
    public PodReports(ClusterWriter writer, Clock clock, CurrentProfiles profiles) {
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
     * @param nominatedNode where it is nominated to now; empty for nowhere, null where somebody else sees to nominations
     */
    void notScheduled(PodInfo pod, String reason, String message, @Nullable String nominatedNode) {
        Written before = written.getIfPresent(pod.uid());
        if (before == null) {
            before = new Written(pod.scheduled(), pod.nominatedNodeName());
        }
        boolean isSaid = isSaid(pod.scheduled(), reason, message) && isSaid(before.condition(), reason, message);
        boolean isPromised = nominatedNode == null
                || (nominatedNode.equals(pod.nominatedNodeName()) && nominatedNode.equals(before.nominatedNode()));
        if (isSaid && isPromised) {
            return;
        }
        PodInfo.ScheduledCondition condition = isSaid ? null : condition(pod, reason, message);
        written.put(
                pod.uid(),
                new Written(
                        condition == null ? before.condition() : condition,
                        nominatedNode == null ? before.nominatedNode() : nominatedNode));
        try {
            writer.updateStatus(pod, condition, isPromised ? null : nominatedNode);
        } catch (RuntimeException e) {
            log.atError().addKeyValue("pod", pod.key()).setCause(e).log("updating the status of the pod failed");
        }
    }

    /** The pod is going to be bound to a node, with work to do before: other programs read the node in its status. */
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

    private static boolean isSaid(PodInfo.@Nullable ScheduledCondition condition, String reason, String message) {
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
}
