package io.policyscheduler.cmd.world;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.framework.scheduler.cache.ResourceKind;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An API resource that the scheduler lists and watches.
 *
 * @param kind what it is to the scheduler
 * @param objectKind {@code kind} of its objects
 * @param group API group, empty for the core group
 * @param versions acceptable versions, best first
 * @param resource plural name in the path
 * @param fieldSelector which objects are wanted, or null for all
 */
public record WatchedResource(
        ResourceKind kind,
        String objectKind,
        String group,
        List<String> versions,
        String resource,
        @Nullable String fieldSelector) {
    private static final String UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed";

    /** Everything that some algorithm or the queue looks at. */
    public static List<WatchedResource> all() {
        return List.of(
                core(ResourceKind.NODES, "Node", "nodes"),
                new WatchedResource(ResourceKind.PODS, "Pod", "", List.of("v1"), "pods", UNFINISHED),
                core(ResourceKind.SERVICES, "Service", "services"),
                core(ResourceKind.REPLICATION_CONTROLLERS, "ReplicationController", "replicationcontrollers"),
                of(ResourceKind.REPLICA_SETS, "ReplicaSet", "apps", "replicasets", "v1"),
                of(ResourceKind.STATEFUL_SETS, "StatefulSet", "apps", "statefulsets", "v1"),
                core(ResourceKind.CLAIMS, "PersistentVolumeClaim", "persistentvolumeclaims"),
                core(ResourceKind.VOLUMES, "PersistentVolume", "persistentvolumes"),
                of(ResourceKind.STORAGE_CLASSES, "StorageClass", "storage.k8s.io", "storageclasses", "v1", "v1beta1"),
                of(ResourceKind.CSI_NODES, "CSINode", "storage.k8s.io", "csinodes", "v1", "v1beta1"),
                of(ResourceKind.CSI_DRIVERS, "CSIDriver", "storage.k8s.io", "csidrivers", "v1", "v1beta1"),
                of(
                        ResourceKind.STORAGE_CAPACITIES,
                        "CSIStorageCapacity",
                        "storage.k8s.io",
                        "csistoragecapacities",
                        "v1",
                        "v1beta1"),
                of(
                        ResourceKind.VOLUME_ATTACHMENTS,
                        "VolumeAttachment",
                        "storage.k8s.io",
                        "volumeattachments",
                        "v1",
                        "v1beta1"),
                of(
                        ResourceKind.DISRUPTION_BUDGETS,
                        "PodDisruptionBudget",
                        "policy",
                        "poddisruptionbudgets",
                        "v1",
                        "v1beta1"),
                core(ResourceKind.NAMESPACES, "Namespace", "namespaces"));
    }

    /** Whether no Kubernetes server is without it. */
    private boolean isEverywhere() {
        return group.isEmpty() || group.equals("apps");
    }

    /**
     * The URL path of the collection.
     *
     * @return empty when the server does not have it
     * @throws ApiIoException when it does not say, or denies what every server has
     */
    public Optional<String> path(ApiDiscovery discovery) throws ApiIoException {
        Optional<String> path = discovery.path(group, resource, versions);
        if (path.isEmpty() && isEverywhere()) {
            throw new ApiIoException("the server says that it has no " + resource, 0);
        }
        return path;
    }

    private static WatchedResource core(ResourceKind kind, String objectKind, String resource) {
        return of(kind, objectKind, "", resource, "v1");
    }

    private static WatchedResource of(
            ResourceKind kind, String objectKind, String group, String resource, String... versions) {
        return new WatchedResource(kind, objectKind, group, List.of(versions), resource, null);
    }
}
