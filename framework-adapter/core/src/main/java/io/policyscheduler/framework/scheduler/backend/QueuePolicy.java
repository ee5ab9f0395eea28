package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import org.jspecify.annotations.Nullable;

/** The parts of profiles that the queue uses: order, gates and requeue hints. */
public interface QueuePolicy {
    /** Orders by priority, then by timestamp; no gates and no hints. */
    QueuePolicy BY_PRIORITY = new QueuePolicy() {};

    /** Negative if {@code a} is scheduled first, 0 if they are equal. */
    default int compare(QueueItem a, QueueItem b) {
        int byPriority = Integer.compare(b.pod().priority(), a.pod().priority());
        return byPriority != 0 ? byPriority : a.timestamp().compareTo(b.timestamp());
    }

    /** False for a gated pod. */
    default boolean mayEnter(PodInfo pod) {
        return true;
    }

    /**
     * Whether the pod waits for events that the plugins which rejected it are registered for, as in current releases. Pods of a
     * policy wait for any change.
     */
    default boolean waitsForEvents(PodInfo pod) {
        return false;
    }

    /**
     * The PreEnqueue plugin that gates the pod; empty if none does.
     *
     * @param first the plugin to call first; empty for none
     */
    default String gatingPlugin(PodInfo pod, String first) {
        return mayEnter(pod) ? "" : "PreEnqueue";
    }

    /** Whether a plugin of some profile is registered for such events. */
    default boolean isOfInterest(EventKind kind) {
        return false;
    }

    /** Whether the plugin that gates the pod is registered for such events. */
    default boolean mayUngate(QueuedPod entry, EventKind kind) {
        return true;
    }

    /** Whether any pod that gets a node may help this pod, which waits for any change. */
    default boolean waitsForPods(QueuedPod entry) {
        return false;
    }

    /** Whether an event may make a pod schedulable that {@link #waitsForEvents}. */
    default boolean mayHelp(QueuedPod entry, ObjectEvent event) {
        return true;
    }

    /** Whether a plugin reads changes that are not events of current releases. */
    default boolean registersChanges() {
        return false;
    }

    /** Whether a plugin of a profile whose pods wait for any change reads such changes. */
    default boolean isRegistered(ClusterEvent event) {
        return false;
    }

    /**
     * Whether a change that is not an event of current releases may make a pod schedulable that {@link #waitsForEvents}: because a
     * plugin that rejected it reads such changes, or does not declare what it reads.
     *
     * @param changed as for {@link #mayHelp(QueuedPod, ClusterEvent, ClusterObject)}
     */
    default boolean mayHelpByOtherChange(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
        return false;
    }

    /**
     * Whether a change may make a pod schedulable that waits for any change.
     *
     * @param changed the current object; null if it was deleted or the event is not about a single object
     */
    default boolean mayHelp(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
        return true;
    }
}
