package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The objects other than pods and nodes: by kind, namespace and name, and indexed by fields that algorithms look up. */
public interface ClusterObjects {
    /**
     * The stored object, or null.
     *
     * @param kind neither pods nor nodes
     * @param type the class of the kind's objects
     * @param namespace empty for cluster-scoped kinds
     * @throws IllegalArgumentException for pods and nodes
     */
    <T extends ClusterObject> @Nullable T object(ResourceKind kind, Class<T> type, String namespace, String name);

    /**
     * The stored objects of a namespace, in name order.
     *
     * @param kind neither pods nor nodes
     * @param type the class of the kind's objects
     * @param namespace empty for cluster-scoped kinds, which returns all
     * @throws IllegalArgumentException for pods and nodes, and if objects of the kind have another class
     */
    <T extends ClusterObject> Collection<T> objects(ResourceKind kind, Class<T> type, String namespace);

    /** All volumes with this {@code spec.storageClassName}, in name order. */
    Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName);

    /** The CSIStorageCapacity objects of a storage class, in the order of namespace and name. */
    Collection<StorageCapacityInfo> storageCapacities(String storageClassName);

    /** Attachments of a node in name order. */
    Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName);

    /** Resource slices of a node, in name order; for the empty name, those without {@code spec.nodeName}. */
    Collection<ResourceSliceInfo> resourceSlices(String nodeName);

    /** Returns the slices of a pool in name order, for any nodes. */
    Collection<ResourceSliceInfo> resourceSlicesOfPool(String driver, String pool);

    /** Returns the slices that offer shared counters, in name order. */
    Collection<ResourceSliceInfo> resourceSlicesWithCounters();

    /** A device class, or null. */
    default @Nullable DeviceClassInfo deviceClass(String name) {
        return object(ResourceKind.DEVICE_CLASSES, DeviceClassInfo.class, "", name);
    }

    /** Services of a namespace in name order. */
    default Collection<ServiceInfo> services(String namespace) {
        return objects(ResourceKind.SERVICES, ServiceInfo.class, namespace);
    }

    /** Controllers of a kind and namespace in name order. */
    default Collection<WorkloadInfo> workloads(WorkloadInfo.Kind kind, String namespace) {
        return objects(kind.resourceKind(), WorkloadInfo.class, namespace);
    }

    /** A controller, or null. */
    default @Nullable WorkloadInfo workload(WorkloadInfo.Kind kind, String namespace, String name) {
        return object(kind.resourceKind(), WorkloadInfo.class, namespace, name);
    }

    /** A claim, or null. */
    default @Nullable ClaimInfo claim(String namespace, String name) {
        return object(ResourceKind.CLAIMS, ClaimInfo.class, namespace, name);
    }

    /** A volume, or null. */
    default @Nullable PersistentVolumeInfo volume(String name) {
        return object(ResourceKind.VOLUMES, PersistentVolumeInfo.class, "", name);
    }

    /** A storage class, or null. */
    default @Nullable StorageClassInfo storageClass(String name) {
        return object(ResourceKind.STORAGE_CLASSES, StorageClassInfo.class, "", name);
    }

    /** A CSINode, or null. */
    default @Nullable CsiNodeInfo csiNode(String name) {
        return object(ResourceKind.CSI_NODES, CsiNodeInfo.class, "", name);
    }

    /** A CSIDriver, or null. */
    default @Nullable CsiDriverInfo csiDriver(String name) {
        return object(ResourceKind.CSI_DRIVERS, CsiDriverInfo.class, "", name);
    }

    /** Budgets of a namespace in name order. */
    default Collection<DisruptionBudgetInfo> budgets(String namespace) {
        return objects(ResourceKind.DISRUPTION_BUDGETS, DisruptionBudgetInfo.class, namespace);
    }

    /** A namespace object, or null. */
    default @Nullable NamespaceInfo namespace(String name) {
        return object(ResourceKind.NAMESPACES, NamespaceInfo.class, "", name);
    }

    /** All namespace objects in name order. */
    default Collection<NamespaceInfo> namespaces() {
        return objects(ResourceKind.NAMESPACES, NamespaceInfo.class, "");
    }
}
