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
    private final Map<String, SortedMap<String, ClusterObject>> groups = new HashMap<>();

    /** @param name must be unique within a group */
    GroupedObjects(Function<ClusterObject, String> group, Function<ClusterObject, String> name) {
        this.group = group;
        this.name = name;
    }

    /** Adds or replaces; returns what was there before in the group of {@code object} under its name, or null. */
    @Nullable
    ClusterObject put(ClusterObject object) {
        return groups.computeIfAbsent(group.apply(object), key -> new TreeMap<>())
                .put(name.apply(object), object);
    }

    /** Removes what is in the group of {@code object} under its name, and returns it, or null. */
    @Nullable
    ClusterObject remove(ClusterObject object) {
        String key = group.apply(object);
        SortedMap<String, ClusterObject> members = groups.get(key);
        if (members == null) {
            return null;
        }
        ClusterObject removed = members.remove(name.apply(object));
        if (members.isEmpty()) {
            groups.remove(key);
        }
        return removed;
    }

    @Nullable
    ClusterObject get(String groupName, String objectName) {
        SortedMap<String, ClusterObject> members = groups.get(groupName);
        return members == null ? null : members.get(objectName);
    }

    Collection<ClusterObject> in(String groupName) {
        SortedMap<String, ClusterObject> members = groups.get(groupName);
        return members == null ? Collections.emptyList() : Collections.unmodifiableCollection(members.values());
    }
}
