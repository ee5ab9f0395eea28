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
 * The part of the cluster state that algorithms read: nodes with their pods, and the other objects. Only the thread that owns the
 * state may use it, and only during one scheduling cycle.
 */
public interface ClusterView extends ClusterObjects {
    /** All known nodes in the order in which they are examined: zones in turn (v1.17's zone tree). */
    List<NodeInfo> nodes();

    /**
     * How many there are. What an algorithm of {@code Scope.NODE} says must not depend on it; how
     * much it may work may.
     */
    default int nodeCount() {
        return nodes().size();
    }

    /** Nodes that carry at least one pod with inter-pod affinity, in the order of {@link #nodes()}. */
    List<NodeInfo> nodesWithAffinity();

    /** The node of this name, or null when there is no such node object. */
    @Nullable
    NodeInfo node(String name);

    /** What is known of an image now, by the name that nodes report; null when no node holds it. */
    @Nullable
    ImageState image(String name);

    /** A claim with this scheduler's own unconfirmed decisions applied, or null. */
    @Override
    @Nullable
    ClaimInfo claim(String namespace, String name);

    /** A volume with this scheduler's own unconfirmed decisions applied, or null. */
    @Override
    @Nullable
    PersistentVolumeInfo volume(String name);

    /** All volumes whose {@code spec.storageClassName} is this, in name order, with this scheduler's own unconfirmed decisions applied. */
    @Override
    Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName);

    /** The moment at which the cycle began: one for all that is asked in it. */
    Instant now();

    /** This scheduler's own unconfirmed decisions about claims and volumes; for those who decide, to add to. */
    AssumedVolumes assumedVolumes();

    /** Resource claims with this scheduler's own decisions; for those who decide, to add to. */
    AssumedClaims assumedClaims();

    /** Number of pods on nodes whose required anti-affinity has an invalid selector; 0 in any cluster with API validation. */
    int podsWithInvalidAntiAffinity();

    /** What is known of {@link #nodes()} without walking over them, or null: walk. */
    default @Nullable ClusterIndex index() {
        return null;
    }
}
