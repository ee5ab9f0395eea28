package io.policyscheduler.framework.scheduler.backend;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.EventKind;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import org.jspecify.annotations.Nullable;

/** What profiles say about the queue. */
public interface QueuePolicy {
    /** Higher priority first, then the earlier timestamp; every pod may enter, every change may help. */
    QueuePolicy BY_PRIORITY = new QueuePolicy() {};

    /** Negative when {@code a} goes first, 0 when neither does. */
    default int compare(QueueItem a, QueueItem b) {
        int byPriority = Integer.compare(b.pod().priority(), a.pod().priority());
        return byPriority != 0 ? byPriority : a.timestamp().compareTo(b.timestamp());
    }

    /** False for a pod that must not be tried yet. */
    default boolean mayEnter(PodInfo pod) {
        return true;
    }

    /**
     * True for a pod that waits as current releases let pods wait: for events that the plugins which rejected it ask for. One of a
     * policy waits for any change.
     */
    default boolean waitsForEvents(PodInfo pod) {
        return false;
    }

    /**
     * The plugin that holds the pod back; empty when none does.
     *
     * @param first is asked first; empty for none
     */
    default String heldBackBy(PodInfo pod, String first) {
        return mayEnter(pod) ? "" : "PreEnqueue";
    }

    /** True when a plugin of some profile asks for such events. */
    default boolean isOfInterest(EventKind kind) {
        return false;
    }

    /** True when the plugin that holds the pod back asks for such events. */
    default boolean mayOpen(QueuedPod entry, EventKind kind) {
        return true;
    }

    /** True for a pod that waits for any change, and that any pod which gets a node may help. */
    default boolean waitsForPods(QueuedPod entry) {
        return false;
    }

    /** Whether an event may make a pod schedulable that {@link #waitsForEvents}. */
    default boolean mayHelp(QueuedPod entry, ObjectEvent event) {
        return true;
    }

    /** True when a plugin asks for changes that are no events of current releases. */
    default boolean asksForChanges() {
        return false;
    }

    /** True when a plugin of some profile whose pods wait for any change asks for such changes by name. */
    default boolean isAskedFor(ClusterEvent event) {
        return false;
    }

    /**
     * Whether a change that is no event of current releases may make a pod schedulable that {@link #waitsForEvents}: because a plugin
     * that rejected it asks for such changes, or says nothing about what it asks for.
     *
     * @param changed as for {@link #mayHelp(QueuedPod, ClusterEvent, ClusterObject)}
     */
    default boolean mayHelpBesides(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
        return false;
    }

    /**
     * Whether a change may make an unschedulable pod schedulable that waits for any change.
     *
     * @param changed the object as it is now; null when it is gone or the event is about no single object
     */
    default boolean mayHelp(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
        return true;
    }
}
