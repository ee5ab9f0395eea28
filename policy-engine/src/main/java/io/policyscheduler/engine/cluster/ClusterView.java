package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ServiceInfo;
import io.policyscheduler.engine.cluster.object.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.WorkloadInfo;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What algorithms may look at: nodes with their pods, and the other objects. Only the thread that owns the state may use it,
 * and only during one scheduling cycle.
 */
public interface ClusterView {
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

    /** Services of a namespace in name order. */
    Collection<ServiceInfo> services(String namespace);

    /** Controllers of a kind and namespace in name order. */
    Collection<WorkloadInfo> workloads(WorkloadInfo.Kind kind, String namespace);

    /** A controller, or null. */
    @Nullable
    WorkloadInfo workload(WorkloadInfo.Kind kind, String namespace, String name);

    /** A claim with this scheduler's own unconfirmed decisions applied, or null. */
    @Nullable
    ClaimInfo claim(String namespace, String name);

    /** A volume with this scheduler's own unconfirmed decisions applied, or null. */
    @Nullable
    PersistentVolumeInfo volume(String name);

    /** All volumes whose {@code spec.storageClassName} is this, in name order. */
    Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName);

    /** A storage class, or null. */
    @Nullable
    StorageClassInfo storageClass(String name);

    /** A CSINode, or null. */
    @Nullable
    CsiNodeInfo csiNode(String name);

    /** Budgets of a namespace in name order. */
    Collection<DisruptionBudgetInfo> budgets(String namespace);

    /** A namespace object, or null. */
    @Nullable
    NamespaceInfo namespace(String name);

    /** All namespace objects in name order. */
    Collection<NamespaceInfo> namespaces();

    /** A CSIDriver, or null. */
    @Nullable
    CsiDriverInfo csiDriver(String name);

    /** What is left of a storage class, by place, in the order of namespace and name. */
    Collection<StorageCapacityInfo> storageCapacities(String storageClassName);

    /** Attachments of a node in name order. */
    Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName);

    /** This scheduler's own unconfirmed decisions about claims and volumes; for those who decide, to add to. */
    AssumedVolumes assumedVolumes();

    /** Number of pods on nodes whose required anti-affinity has an invalid selector; 0 in any cluster with API validation. */
    int podsWithInvalidAntiAffinity();

    /** What is known of {@link #nodes()} without walking over them, or null: walk. */
    default @Nullable ClusterIndex index() {
        return null;
    }
}
