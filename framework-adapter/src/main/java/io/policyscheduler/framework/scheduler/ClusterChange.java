package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.ClusterObject;
import io.policyscheduler.engine.cluster.Node;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.List;

/**
 * Something for the scheduling thread to know, posted to its {@link EventInbox} by any thread. A {@code ...Replaced}
 * change is a complete list; what is known but not in it has been deleted meanwhile.
 */
public sealed interface ClusterChange {
    /**
     * The complete list of pods; finished pods may be in it or not.
     *
     * @param unreadable those that could not be read
     * @param resourceVersion what the list is as of; empty when not known
     */
    record PodsReplaced(List<PodInfo> pods, List<UnreadablePod> unreadable, String resourceVersion)
            implements ClusterChange {
        public PodsReplaced {
            pods = List.copyOf(pods);
            unreadable = List.copyOf(unreadable);
        }

        /** A list that could be read. */
        public PodsReplaced(List<PodInfo> pods, String resourceVersion) {
            this(pods, List.of(), resourceVersion);
        }

        /** A list of now. */
        public PodsReplaced(List<PodInfo> pods) {
            this(pods, "");
        }
    }

    /** A pod was added or changed. */
    record PodUpserted(PodInfo pod) implements ClusterChange {}

    /** A pod was added or changed, and cannot be read. */
    record PodUnreadable(UnreadablePod pod) implements ClusterChange {}

    /**
     * A pod was deleted.
     *
     * @param uid which incarnation; empty when not known
     */
    record PodDeleted(String namespace, String name, String uid) implements ClusterChange {}

    /** The complete list of nodes. */
    record NodesReplaced(List<Node> nodes) implements ClusterChange {
        public NodesReplaced {
            nodes = List.copyOf(nodes);
        }
    }

    /** A node was added or changed. */
    record NodeUpserted(Node node) implements ClusterChange {}

    /** A node was deleted. */
    record NodeDeleted(String name) implements ClusterChange {}

    /** The complete list of a kind other than pods and nodes; empty also for kinds that the server does not have. */
    record ObjectsReplaced(ResourceKind kind, List<? extends ClusterObject> objects) implements ClusterChange {
        public ObjectsReplaced {
            objects = List.copyOf(objects);
        }
    }

    /** An object that is neither pod nor node was added or changed. */
    record ObjectUpserted(ClusterObject object) implements ClusterChange {}

    /**
     * An object that is neither pod nor node was deleted.
     *
     * @param namespace empty for cluster-scoped kinds
     */
    record ObjectDeleted(ResourceKind kind, String namespace, String name) implements ClusterChange {}

    /** Something to run on the scheduling thread: a look at its state, an outcome of preemption. */
    record Task(String description, Runnable action) implements ClusterChange {}

    /** Scheduling may go on or must stop; everything else goes on. */
    record SchedulingEnabled(boolean enabled) implements ClusterChange {}

    /** Other profiles are to decide from now on. */
    record ProfilesReplaced(Profiles profiles) implements ClusterChange {}

    /** A plugin lets a waiting pod go on. */
    record PermitAllowed(String podId, long token, String plugin) implements ClusterChange {}

    /** A waiting pod is rejected. */
    record PermitRejected(String podId, long token, String message) implements ClusterChange {}

    /** The pre-bind and bind plugins of a pod being bound have run. */
    record PluginsRan(String podId, long token, PluginBinding.Result result) implements ClusterChange {}

    /** The volumes of a pod being bound are ready, or not: {@code error} is empty on success. */
    record VolumesBound(String podId, long token, String error) implements ClusterChange {}

    /** The API server answers again, after it could not be reached. */
    record ServerBack() implements ClusterChange {}

    /** The API server answered a bind. */
    record BindFinished(String podId, long token, BindOutcome outcome) implements ClusterChange {}

    /** What has become of a pod that was on a node and is no longer shown. */
    record FinishedPodRead(PodInfo pod) implements ClusterChange {}

    /** The server has said how a pod is that a list and the watch disagree about; it was known like this when it was asked. */
    record DoubtRead(PodInfo asked, PodRead read) implements ClusterChange {}

    /** The API server answered a read of a failed pod. */
    record PodReRead(String podId, long token, PodRead read) implements ClusterChange {}
}
