package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Objects of one kind in groups, such as their namespaces, in the order of their names within a group. */
final class GroupedObjects {
    private final Function<ClusterObject, String> group;
    private final Function<ClusterObject, String> name;
    private final Map<String, Members> groups = new HashMap<>();

    /** Looked up by name on the hot path, in order only for those who want all. */
    private static final class Members {
        final Map<String, ClusterObject> byName = new HashMap<>();
        final SortedMap<String, ClusterObject> inOrder = new TreeMap<>();
    }

    /** @param name must be unique within a group */
    GroupedObjects(Function<ClusterObject, String> group, Function<ClusterObject, String> name) {
        this.group = group;
        this.name = name;
    }

    /** Adds or replaces; returns what was there before in the group of {@code object} under its name, or null. */
    @Nullable
    ClusterObject put(ClusterObject object) {
        Members members = groups.computeIfAbsent(group.apply(object), key -> new Members());
        String key = name.apply(object);
        members.inOrder.put(key, object);
        return members.byName.put(key, object);
    }

    /** Removes what is in the group of {@code object} under its name, and returns it, or null. */
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
        return members == null ? Collections.emptyList() : Collections.unmodifiableCollection(members.inOrder.values());
    }
}
