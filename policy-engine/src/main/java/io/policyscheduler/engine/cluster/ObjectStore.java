package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.object.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.VolumeAttachmentInfo;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The cluster's objects other than pods and nodes, by kind, namespace and name. Owned by one thread. */
final class ObjectStore implements ClusterObjects {
    private final Map<ResourceKind, GroupedObjects> stored = new EnumMap<>(ResourceKind.class);
    /** What algorithms look for by something other than the name. */
    private final Map<ResourceKind, GroupedObjects> indexes = new EnumMap<>(ResourceKind.class);

    private final GroupedObjects volumesByClass =
            index(ResourceKind.VOLUMES, PersistentVolumeInfo.class, PersistentVolumeInfo::storageClassName);
    private final GroupedObjects capacitiesByClass =
            index(ResourceKind.STORAGE_CAPACITIES, StorageCapacityInfo.class, StorageCapacityInfo::storageClassName);
    private final GroupedObjects attachmentsByNode =
            index(ResourceKind.VOLUME_ATTACHMENTS, VolumeAttachmentInfo.class, VolumeAttachmentInfo::nodeName);

    private final GroupedObjects slicesByNode =
            index(ResourceKind.RESOURCE_SLICES, ResourceSliceInfo.class, ResourceSliceInfo::nodeName);

    ObjectStore() {
        for (ResourceKind kind : ResourceKind.values()) {
            if (kind != ResourceKind.PODS && kind != ResourceKind.NODES) {
                stored.put(kind, new GroupedObjects(ClusterObject::namespace, ClusterObject::name));
            }
        }
    }

    private <T extends ClusterObject> GroupedObjects index(
            ResourceKind kind, Class<T> type, Function<T, String> group) {
        GroupedObjects index = new GroupedObjects(object -> group.apply(type.cast(object)), ClusterObject::key);
        indexes.put(kind, index);
        return index;
    }

    /** Adds or replaces; false for pods and nodes, which do not live here. */
    boolean put(ClusterObject object) {
        GroupedObjects ofKind = stored.get(object.resourceKind());
        if (ofKind == null) {
            return false;
        }
        ClusterObject old = ofKind.put(object);
        GroupedObjects index = indexes.get(object.resourceKind());
        if (index != null) {
            if (old != null) {
                index.remove(old);
            }
            index.put(object);
        }
        return true;
    }

    /** Removes what has the kind, namespace and name of {@code object}; false for pods and nodes. An unknown one is no error. */
    boolean remove(ClusterObject object) {
        GroupedObjects ofKind = stored.get(object.resourceKind());
        if (ofKind == null) {
            return false;
        }
        ClusterObject old = ofKind.remove(object);
        GroupedObjects index = indexes.get(object.resourceKind());
        if (index != null && old != null) {
            index.remove(old);
        }
        return true;
    }

    private GroupedObjects of(ResourceKind kind) {
        GroupedObjects ofKind = stored.get(kind);
        if (ofKind == null) {
            throw new IllegalArgumentException("not stored here: " + kind.plural());
        }
        return ofKind;
    }

    @Override
    public <T extends ClusterObject> @Nullable T object(
            ResourceKind kind, Class<T> type, String namespace, String name) {
        return type.cast(of(kind).get(namespace, name));
    }

    @Override
    public <T extends ClusterObject> Collection<T> objects(ResourceKind kind, Class<T> type, String namespace) {
        if (kind.type() != type) {
            throw new IllegalArgumentException(kind.plural() + " are no " + type.getSimpleName());
        }
        return typed(of(kind).in(namespace));
    }

    @Override
    public Collection<PersistentVolumeInfo> volumesOfClass(String storageClassName) {
        return typed(volumesByClass.in(storageClassName));
    }

    @Override
    public Collection<StorageCapacityInfo> storageCapacities(String storageClassName) {
        return typed(capacitiesByClass.in(storageClassName));
    }

    @Override
    public Collection<VolumeAttachmentInfo> volumeAttachments(String nodeName) {
        return typed(attachmentsByNode.in(nodeName));
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlices(String nodeName) {
        return typed(slicesByNode.in(nodeName));
    }

    /** What {@link #put} has sorted by the kind that each object says it is. */
    @SuppressWarnings("unchecked")
    private static <T extends ClusterObject> Collection<T> typed(Collection<ClusterObject> objects) {
        return (Collection<T>) (Collection<?>) objects;
    }
}
