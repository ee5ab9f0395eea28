package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import org.jspecify.annotations.Nullable;

/**
 * A change of one object, of one kind; an update of several properties is several events.
 *
 * @param old the previous version; null for a new object
 * @param now the current version; null for a deleted object
 */
public record ObjectEvent(
        EventKind kind,
        @Nullable ClusterObject old,
        @Nullable ClusterObject now) {
    /** A new object. */
    public static ObjectEvent added(EventResource resource, ClusterObject now) {
        return new ObjectEvent(new EventKind(resource, EventAction.ADD), null, now);
    }

    /** An object was deleted. */
    public static ObjectEvent deleted(EventResource resource, ClusterObject old) {
        return new ObjectEvent(new EventKind(resource, EventAction.DELETE), old, null);
    }

    /** An object has changed in this way. */
    public static ObjectEvent updated(
            EventResource resource, EventAction action, ClusterObject old, ClusterObject now) {
        return new ObjectEvent(new EventKind(resource, action), old, now);
    }

    /** The current version of the object, or the last one of a deleted object. */
    public ClusterObject object() {
        ClusterObject object = now == null ? old : now;
        if (object == null) {
            throw new IllegalStateException("an event about nothing: " + kind);
        }
        return object;
    }

    /** The current version of the node, or the last one of a deleted node. */
    public Node node() {
        return (Node) object();
    }

    /**
     * The node before an update.
     *
     * @throws IllegalStateException if this is not an update of a node
     */
    public Node nodeBefore() {
        if (old instanceof Node node) {
            return node;
        }
        throw new IllegalStateException("not an update of a node: " + this);
    }

    /** The current version of the pod, or the last one of a deleted pod. */
    public PodInfo pod() {
        return (PodInfo) object();
    }

    /** True if the event is about the waiting pod itself. */
    public boolean isAbout(PodInfo pod) {
        return pod().uid().equals(pod.uid());
    }
}
