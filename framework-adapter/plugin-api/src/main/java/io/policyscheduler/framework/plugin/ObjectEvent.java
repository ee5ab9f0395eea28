package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import org.jspecify.annotations.Nullable;

/**
 * A change of one object, of one kind; an update that changes several things is several of these.
 *
 * @param old the object before; null when it is new
 * @param now the object as it is now; null when it is gone
 */
public record ObjectEvent(
        EventKind kind,
        @Nullable ClusterObject old,
        @Nullable ClusterObject now) {
    /** A new object. */
    public static ObjectEvent added(EventResource resource, ClusterObject now) {
        return new ObjectEvent(new EventKind(resource, EventAction.ADD), null, now);
    }

    /** An object is gone. */
    public static ObjectEvent deleted(EventResource resource, ClusterObject old) {
        return new ObjectEvent(new EventKind(resource, EventAction.DELETE), old, null);
    }

    /** An object has changed in this way. */
    public static ObjectEvent updated(
            EventResource resource, EventAction action, ClusterObject old, ClusterObject now) {
        return new ObjectEvent(new EventKind(resource, action), old, now);
    }

    /** The object, as it is now where it is still there. */
    public ClusterObject object() {
        ClusterObject object = now == null ? old : now;
        if (object == null) {
            throw new IllegalStateException("an event about nothing: " + kind);
        }
        return object;
    }

    /** The node that an event is about, as it is now where it is still there. */
    public Node node() {
        return (Node) object();
    }

    /**
     * The node as it was before an update.
     *
     * @throws IllegalStateException when this is no update of a node
     */
    public Node nodeBefore() {
        if (old instanceof Node node) {
            return node;
        }
        throw new IllegalStateException("not an update of a node: " + this);
    }

    /** The pod that an event is about, as it is now, or was last. */
    public PodInfo pod() {
        return (PodInfo) object();
    }

    /** True when the event is about the waiting pod itself. */
    public boolean isAbout(PodInfo pod) {
        return pod().uid().equals(pod.uid());
    }
}
