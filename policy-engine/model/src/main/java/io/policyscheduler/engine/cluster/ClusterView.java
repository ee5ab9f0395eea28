package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the cluster state that algorithms read: nodes with their pods, and the other objects. Only the owning thread may use
 * it, and only during one scheduling cycle.
 */
public interface ClusterView extends ClusterObjects {
    /** All known nodes in evaluation order: zones in turn (v1.17's zone tree). */
    List<NodeInfo> nodes();

    /** The number of nodes. Results of algorithms with {@code Scope.NODE} must not depend on it, but optimizations may. */
    default int nodeCount() {
        return nodes().size();
    }

    /** Nodes with at least one pod with inter-pod affinity, in the order of {@link #nodes()}. */
    List<NodeInfo> nodesWithAffinity();

    /** The node of this name, or null if there is no node object. */
    @Nullable
    NodeInfo node(String name);

    /** The current state of an image, by the name in node status; null if no node has it. */
    @Nullable
    ImageState image(String name);

    /**
     * Whether plugins use {@link NodeInfo#images} instead of {@link #image}: the counts of the last event of each node. kube-scheduler
     * before 1.29 counts then, and later ones when anything on the node changes. A snapshot does not contain these moments.
     */
    default boolean hasImageCountsOfEvents() {
        return false;
    }

    /** The claim, including unconfirmed changes of this scheduler, or null. */
    @Override
    @Nullable
    ClaimInfo claim(String namespace, String name);

    /** The volume, including unconfirmed changes of this scheduler, or null. */
    @Override
    @Nullable
    PersistentVolumeInfo volume(String name);

    /** All volumes with this {@code spec.storageClassName}, in name order, including unconfirmed changes of this scheduler. */
    @Override
    Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName);

    /** The time at which the cycle began; constant during the cycle. */
    Instant now();

    /** The unconfirmed claims and volumes of this scheduler; mutable. */
    AssumedVolumes assumedVolumes();

    /** Resource claims with this scheduler's own allocations; mutable. */
    AssumedClaims assumedClaims();

    /** The number of pods on nodes whose required anti-affinity has an invalid selector; 0 in any cluster with API validation. */
    int podsWithInvalidAntiAffinity();

    /** The index of {@link #nodes()}, or null if callers have to iterate. */
    default @Nullable ClusterIndex index() {
        return null;
    }
}
