package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
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
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The cluster's objects other than pods and nodes, by kind, namespace and name. Owned by one thread. */
final class ObjectStore {
    private final Map<String, SortedMap<String, ServiceInfo>> services = new HashMap<>();
    private final Map<WorkloadInfo.Kind, Map<String, SortedMap<String, WorkloadInfo>>> workloads =
            new EnumMap<>(WorkloadInfo.Kind.class);
    private final Map<String, SortedMap<String, ClaimInfo>> claims = new HashMap<>();
    private final Map<String, SortedMap<String, DisruptionBudgetInfo>> budgets = new HashMap<>();
    private final SortedMap<String, PersistentVolumeInfo> volumes = new TreeMap<>();
    private final Map<String, SortedMap<String, PersistentVolumeInfo>> volumesByClass = new HashMap<>();
    private final SortedMap<String, StorageClassInfo> classes = new TreeMap<>();
    private final SortedMap<String, CsiNodeInfo> csiNodes = new TreeMap<>();
    private final SortedMap<String, NamespaceInfo> namespaces = new TreeMap<>();
    private final SortedMap<String, CsiDriverInfo> csiDrivers = new TreeMap<>();
    private final SortedMap<String, StorageCapacityInfo> capacities = new TreeMap<>();
    private final Map<String, SortedMap<String, StorageCapacityInfo>> capacitiesByClass = new HashMap<>();
    private final SortedMap<String, VolumeAttachmentInfo> attachments = new TreeMap<>();
    private final Map<String, SortedMap<String, VolumeAttachmentInfo>> attachmentsByNode = new HashMap<>();

    ObjectStore() {
        for (WorkloadInfo.Kind kind : WorkloadInfo.Kind.values()) {
            workloads.put(kind, new HashMap<>());
        }
    }

    /** Adds or replaces; false for pods and nodes, which do not live here. */
    boolean put(ClusterObject object) {
        if (object instanceof ServiceInfo service) {
            put(services, service);
        } else if (object instanceof WorkloadInfo workload) {
            put(workloadsOf(workload.kind()), workload);
        } else if (object instanceof ClaimInfo claim) {
            put(claims, claim);
        } else if (object instanceof DisruptionBudgetInfo budget) {
            put(budgets, budget);
        } else if (object instanceof PersistentVolumeInfo volume) {
            removeVolume(volume.name());
            volumes.put(volume.name(), volume);
            volumesByClass
                    .computeIfAbsent(volume.storageClassName(), c -> new TreeMap<>())
                    .put(volume.name(), volume);
        } else if (object instanceof StorageClassInfo storageClass) {
            classes.put(storageClass.name(), storageClass);
        } else if (object instanceof CsiNodeInfo csiNode) {
            csiNodes.put(csiNode.name(), csiNode);
        } else if (object instanceof NamespaceInfo namespace) {
            namespaces.put(namespace.name(), namespace);
        } else if (object instanceof CsiDriverInfo driver) {
            csiDrivers.put(driver.name(), driver);
        } else if (object instanceof StorageCapacityInfo capacity) {
            removeCapacity(capacity.key());
            capacities.put(capacity.key(), capacity);
            capacitiesByClass
                    .computeIfAbsent(capacity.storageClassName(), c -> new TreeMap<>())
                    .put(capacity.key(), capacity);
        } else if (object instanceof VolumeAttachmentInfo attachment) {
            removeAttachment(attachment.name());
            attachments.put(attachment.name(), attachment);
            attachmentsByNode
                    .computeIfAbsent(attachment.nodeName(), n -> new TreeMap<>())
                    .put(attachment.name(), attachment);
        } else {
            return false;
        }
        return true;
    }

    /** Removes; false for pods and nodes. An unknown object is no error. */
    boolean remove(ClusterObject object) {
        if (object instanceof ServiceInfo) {
            remove(services, object);
        } else if (object instanceof WorkloadInfo workload) {
            remove(workloadsOf(workload.kind()), object);
        } else if (object instanceof ClaimInfo) {
            remove(claims, object);
        } else if (object instanceof DisruptionBudgetInfo) {
            remove(budgets, object);
        } else if (object instanceof PersistentVolumeInfo) {
            removeVolume(object.name());
        } else if (object instanceof StorageClassInfo) {
            classes.remove(object.name());
        } else if (object instanceof CsiNodeInfo) {
            csiNodes.remove(object.name());
        } else if (object instanceof NamespaceInfo) {
            namespaces.remove(object.name());
        } else if (object instanceof CsiDriverInfo) {
            csiDrivers.remove(object.name());
        } else if (object instanceof StorageCapacityInfo) {
            removeCapacity(object.key());
        } else if (object instanceof VolumeAttachmentInfo) {
            removeAttachment(object.name());
        } else {
            return false;
        }
        return true;
    }

    private static <T extends ClusterObject> void put(Map<String, SortedMap<String, T>> map, T object) {
        map.computeIfAbsent(object.namespace(), n -> new TreeMap<>()).put(object.name(), object);
    }

    private static <T extends ClusterObject> void remove(Map<String, SortedMap<String, T>> map, ClusterObject object) {
        SortedMap<String, T> inNamespace = map.get(object.namespace());
        if (inNamespace != null) {
            inNamespace.remove(object.name());
            if (inNamespace.isEmpty()) {
                map.remove(object.namespace());
            }
        }
    }

    private void removeVolume(String name) {
        PersistentVolumeInfo old = volumes.remove(name);
        if (old != null) {
            SortedMap<String, PersistentVolumeInfo> ofClass = volumesByClass.get(old.storageClassName());
            if (ofClass != null) {
                ofClass.remove(name);
            }
        }
    }

    private void removeCapacity(String key) {
        StorageCapacityInfo old = capacities.remove(key);
        if (old != null) {
            removeFrom(capacitiesByClass, old.storageClassName(), key);
        }
    }

    private void removeAttachment(String name) {
        VolumeAttachmentInfo old = attachments.remove(name);
        if (old != null) {
            removeFrom(attachmentsByNode, old.nodeName(), name);
        }
    }

    private static <T> void removeFrom(Map<String, SortedMap<String, T>> index, String group, String key) {
        SortedMap<String, T> ofGroup = index.get(group);
        if (ofGroup != null) {
            ofGroup.remove(key);
            if (ofGroup.isEmpty()) {
                index.remove(group);
            }
        }
    }

    private Map<String, SortedMap<String, WorkloadInfo>> workloadsOf(WorkloadInfo.Kind kind) {
        return Objects.requireNonNull(workloads.get(kind));
    }

    private static <T> Collection<T> in(Map<String, SortedMap<String, T>> map, String namespace) {
        SortedMap<String, T> inNamespace = map.get(namespace);
        return inNamespace == null ? Collections.emptyList() : Collections.unmodifiableCollection(inNamespace.values());
    }

    Collection<ServiceInfo> services(String namespace) {
        return in(services, namespace);
    }

    Collection<WorkloadInfo> workloads(WorkloadInfo.Kind kind, String namespace) {
        return in(workloadsOf(kind), namespace);
    }

    Collection<DisruptionBudgetInfo> budgets(String namespace) {
        return in(budgets, namespace);
    }

    @Nullable
    ClaimInfo claim(String namespace, String name) {
        SortedMap<String, ClaimInfo> inNamespace = claims.get(namespace);
        return inNamespace == null ? null : inNamespace.get(name);
    }

    @Nullable
    PersistentVolumeInfo volume(String name) {
        return volumes.get(name);
    }

    Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName) {
        return in(volumesByClass, storageClassName);
    }

    @Nullable
    StorageClassInfo storageClass(String name) {
        return classes.get(name);
    }

    @Nullable
    CsiNodeInfo csiNode(String name) {
        return csiNodes.get(name);
    }

    @Nullable
    NamespaceInfo namespace(String name) {
        return namespaces.get(name);
    }

    @Nullable
    WorkloadInfo workload(WorkloadInfo.Kind kind, String namespace, String name) {
        SortedMap<String, WorkloadInfo> inNamespace = workloadsOf(kind).get(namespace);
        return inNamespace == null ? null : inNamespace.get(name);
    }

    Collection<NamespaceInfo> namespaces() {
        return Collections.unmodifiableCollection(namespaces.values());
    }

    @Nullable
    CsiDriverInfo csiDriver(String name) {
        return csiDrivers.get(name);
    }

    Collection<StorageCapacityInfo> storageCapacities(String storageClassName) {
        return in(capacitiesByClass, storageClassName);
    }

    Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName) {
        return in(attachmentsByNode, nodeName);
    }
}
