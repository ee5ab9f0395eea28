package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The cluster's objects other than pods and nodes, by kind, namespace and name. Owned by one thread. */
final class ObjectStore implements ClusterObjects {
    private static final String WITH_COUNTERS = "counters";

    private final Map<ResourceKind, GroupedObjects> stored = new EnumMap<>(ResourceKind.class);
    /** Indexes by fields that algorithms look up. */
    private final Map<ResourceKind, List<GroupedObjects>> indexes = new EnumMap<>(ResourceKind.class);

    private final GroupedObjects volumesByClass =
            index(ResourceKind.VOLUMES, PersistentVolumeInfo.class, PersistentVolumeInfo::storageClassName);
    private final GroupedObjects capacitiesByClass =
            index(ResourceKind.STORAGE_CAPACITIES, StorageCapacityInfo.class, StorageCapacityInfo::storageClassName);
    private final GroupedObjects attachmentsByNode =
            index(ResourceKind.VOLUME_ATTACHMENTS, VolumeAttachmentInfo.class, VolumeAttachmentInfo::nodeName);

    private final GroupedObjects slicesByNode =
            index(ResourceKind.RESOURCE_SLICES, ResourceSliceInfo.class, ResourceSliceInfo::nodeName);
    private final GroupedObjects slicesByPool = index(
            ResourceKind.RESOURCE_SLICES, ResourceSliceInfo.class, slice -> poolKey(slice.driver(), slice.pool()));
    private final GroupedObjects slicesWithCounters = index(
            ResourceKind.RESOURCE_SLICES, ResourceSliceInfo.class, slice -> slice.hasCounters() ? WITH_COUNTERS : "");

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
        indexes.computeIfAbsent(kind, key -> new ArrayList<>()).add(index);
        return index;
    }

    /** Adds or replaces an object; false for pods and nodes, which are not stored here. */
    boolean put(ClusterObject object) {
        GroupedObjects ofKind = stored.get(object.resourceKind());
        if (ofKind == null) {
            return false;
        }
        ClusterObject old = ofKind.put(object);
        for (GroupedObjects index : indexes.getOrDefault(object.resourceKind(), List.of())) {
            if (old != null) {
                index.remove(old);
            }
            index.put(object);
        }
        return true;
    }

    /** Removes the object with the kind, namespace and name of {@code object}; false for pods and nodes. Ignores an unknown one. */
    boolean remove(ClusterObject object) {
        GroupedObjects ofKind = stored.get(object.resourceKind());
        if (ofKind == null) {
            return false;
        }
        ClusterObject old = ofKind.remove(object);
        if (old != null) {
            indexes.getOrDefault(object.resourceKind(), List.of()).forEach(index -> index.remove(old));
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

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesOfPool(String driver, String pool) {
        return typed(slicesByPool.in(poolKey(driver, pool)));
    }

    @Override
    public Collection<ResourceSliceInfo> resourceSlicesWithCounters() {
        return typed(slicesWithCounters.in(WITH_COUNTERS));
    }

    private static String poolKey(String driver, String pool) {
        return driver + "/" + pool;
    }

    /** Casts objects, which {@link #put} has checked by kind. */
    @SuppressWarnings("unchecked")
    private static <T extends ClusterObject> Collection<T> typed(Collection<ClusterObject> objects) {
        return (Collection<T>) (Collection<?>) objects;
    }

    /** Objects of one kind in groups, such as namespaces, sorted by name within a group. */
    static final class GroupedObjects {
        private final Function<ClusterObject, String> group;
        private final Function<ClusterObject, String> name;
        private final Map<String, Members> groups = new HashMap<>();

        /** The objects of a group: a hash map for the hot path, sorted only for iteration. */
        private static final class Members {
            final Map<String, ClusterObject> byName = new HashMap<>();
            final SortedMap<String, ClusterObject> inOrder = new TreeMap<>();
        }

        /** @param name must be unique within a group */
        GroupedObjects(Function<ClusterObject, String> group, Function<ClusterObject, String> name) {
            this.group = group;
            this.name = name;
        }

        /** Adds or replaces an object; returns the previous one in its group with its name, or null. */
        @Nullable
        ClusterObject put(ClusterObject object) {
            Members members = groups.computeIfAbsent(group.apply(object), key -> new Members());
            String key = name.apply(object);
            members.inOrder.put(key, object);
            return members.byName.put(key, object);
        }

        /** Removes and returns the object in the group of {@code object} with its name, or null. */
        @Nullable
        ClusterObject remove(ClusterObject object) {
            String groupName = group.apply(object);
            Members members = groups.get(groupName);
            if (members == null) {
                return null;
            }
            String key = name.apply(object);
            members.inOrder.remove(key);
            ClusterObject removed = members.byName.remove(key);
            if (members.byName.isEmpty()) {
                groups.remove(groupName);
            }
            return removed;
        }

        @Nullable
        ClusterObject get(String groupName, String objectName) {
            Members members = groups.get(groupName);
            return members == null ? null : members.byName.get(objectName);
        }

        /** A view. */
        Collection<ClusterObject> in(String groupName) {
            Members members = groups.get(groupName);
            return members == null
                    ? Collections.emptyList()
                    : Collections.unmodifiableCollection(members.inOrder.values());
        }
    }
}
