package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The API resources that are read, listed, and watched: one row for each that an algorithm or the queue reads, in the order of
 * lists and reports.
 */
public enum ResourceKind {
    NODES(Node.class, "Node", Scope.CLUSTER, Reader.V1_17, "", "nodes", "v1"),
    PODS(PodInfo.class, "Pod", Scope.NAMESPACE, Reader.V1_17, "", "pods", "v1"),
    SERVICES(ServiceInfo.class, "Service", Scope.NAMESPACE, Reader.V1_17, "", "services", "v1"),
    REPLICATION_CONTROLLERS(
            WorkloadInfo.class,
            "ReplicationController",
            Scope.NAMESPACE,
            Reader.V1_17,
            "",
            "replicationcontrollers",
            "v1"),
    REPLICA_SETS(WorkloadInfo.class, "ReplicaSet", Scope.NAMESPACE, Reader.V1_17, "apps", "replicasets", "v1"),
    STATEFUL_SETS(WorkloadInfo.class, "StatefulSet", Scope.NAMESPACE, Reader.V1_17, "apps", "statefulsets", "v1"),
    CLAIMS(ClaimInfo.class, "PersistentVolumeClaim", Scope.NAMESPACE, Reader.V1_17, "", "persistentvolumeclaims", "v1"),
    VOLUMES(PersistentVolumeInfo.class, "PersistentVolume", Scope.CLUSTER, Reader.V1_17, "", "persistentvolumes", "v1"),
    STORAGE_CLASSES(
            StorageClassInfo.class,
            "StorageClass",
            Scope.CLUSTER,
            Reader.V1_17,
            Group.STORAGE,
            "storageclasses",
            "v1",
            "v1beta1"),
    CSI_NODES(CsiNodeInfo.class, "CSINode", Scope.CLUSTER, Reader.V1_17, Group.STORAGE, "csinodes", "v1", "v1beta1"),
    CSI_DRIVERS(
            CsiDriverInfo.class,
            "CSIDriver",
            Scope.CLUSTER,
            Reader.LATER,
            Group.STORAGE,
            "csidrivers",
            "v1",
            "v1beta1"),
    STORAGE_CAPACITIES(
            StorageCapacityInfo.class,
            "CSIStorageCapacity",
            Scope.NAMESPACE,
            Reader.LATER,
            Group.STORAGE,
            "csistoragecapacities",
            "v1",
            "v1beta1"),
    VOLUME_ATTACHMENTS(
            VolumeAttachmentInfo.class,
            "VolumeAttachment",
            Scope.CLUSTER,
            Reader.LATER,
            Group.STORAGE,
            "volumeattachments",
            "v1",
            "v1beta1"),
    DISRUPTION_BUDGETS(
            DisruptionBudgetInfo.class,
            "PodDisruptionBudget",
            Scope.NAMESPACE,
            Reader.V1_17,
            "policy",
            "poddisruptionbudgets",
            "v1",
            "v1beta1"),
    NAMESPACES(NamespaceInfo.class, "Namespace", Scope.CLUSTER, Reader.LATER, "", "namespaces", "v1"),
    RESOURCE_CLAIMS(
            ResourceClaimInfo.class,
            "ResourceClaim",
            Scope.NAMESPACE,
            Reader.LATER,
            Group.RESOURCE,
            "resourceclaims",
            "v1",
            "v1beta2",
            "v1beta1"),
    RESOURCE_SLICES(
            ResourceSliceInfo.class,
            "ResourceSlice",
            Scope.CLUSTER,
            Reader.LATER,
            Group.RESOURCE,
            "resourceslices",
            "v1",
            "v1beta2",
            "v1beta1"),
    DEVICE_CLASSES(
            DeviceClassInfo.class,
            "DeviceClass",
            Scope.CLUSTER,
            Reader.LATER,
            Group.RESOURCE,
            "deviceclasses",
            "v1",
            "v1beta2",
            "v1beta1");

    private enum Scope {
        CLUSTER,
        NAMESPACE
    }

    /** The first scheduler that reads a resource. */
    private enum Reader {
        V1_17,
        LATER
    }

    private static final class Group {
        static final String STORAGE = "storage.k8s.io";
        static final String RESOURCE = "resource.k8s.io";
    }

    private static final ImmutableMap<String, ResourceKind> BY_OBJECT_KIND =
            Maps.uniqueIndex(Arrays.asList(values()), ResourceKind::objectKind);

    private final Class<? extends ClusterObject> type;
    private final String objectKind;
    private final Scope scope;
    private final Reader reader;
    private final String group;
    private final String plural;
    private final ImmutableList<String> versions;

    ResourceKind(
            Class<? extends ClusterObject> type,
            String objectKind,
            Scope scope,
            Reader reader,
            String group,
            String plural,
            String... versions) {
        this.type = type;
        this.objectKind = objectKind;
        this.scope = scope;
        this.reader = reader;
        this.group = group;
        this.plural = plural;
        this.versions = ImmutableList.copyOf(versions);
    }

    /** The kind with this {@code kind} field, such as {@code CSINode}; null if the scheduler does not read it. */
    public static @Nullable ResourceKind ofObjectKind(String objectKind) {
        return BY_OBJECT_KIND.get(objectKind);
    }

    /** The class of its objects. */
    public Class<? extends ClusterObject> type() {
        return type;
    }

    /** The {@code kind} field of its objects, such as {@code CSINode}. */
    public String objectKind() {
        return objectKind;
    }

    /** True if its objects are namespaced. */
    public boolean isNamespaced() {
        return scope == Scope.NAMESPACE;
    }

    /** True if the scheduler of 1.17 reads it, and must be synced before it schedules. */
    public boolean isReadByV117() {
        return reader == Reader.V1_17;
    }

    /** API group, empty for the core group. */
    public String group() {
        return group;
    }

    /** The name in paths and RBAC rules, such as {@code csinodes}. */
    public String plural() {
        return plural;
    }

    /** Supported versions of the group, preferred first. */
    public List<String> versions() {
        return versions;
    }
}
