package io.policyscheduler.framework.scheduler.cache;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The objects as the API server last showed them, the base against which lists and updates are compared. */
public final class InformerStore {
    private final Map<String, PodInfo> pods = new LinkedHashMap<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Map<ResourceKind, Map<String, ClusterObject>> objects = new EnumMap<>(ResourceKind.class);
    private final Set<ResourceKind> synced = EnumSet.noneOf(ResourceKind.class);

    /** Unfinished pods by {@code namespace/name}. */
    public Map<String, PodInfo> pods() {
        return pods;
    }

    /** The pod with the key and UID of {@code pod}, as last shown; null when it is gone. */
    public @Nullable PodInfo current(PodInfo pod) {
        PodInfo known = pods.get(pod.key());
        return known != null && known.isSame(pod) ? known : null;
    }

    /** Nodes by name. */
    public Map<String, Node> nodes() {
        return nodes;
    }

    /** Objects of a kind other than pods and nodes, by key. */
    public Map<String, ClusterObject> objects(ResourceKind kind) {
        return objects.computeIfAbsent(kind, k -> new LinkedHashMap<>());
    }

    /** Kinds of which a complete list has been seen. */
    public Set<ResourceKind> synced() {
        return synced;
    }

    /**
     * True when version {@code a} is known to precede {@code b}. Versions that are not decimal numbers cannot be
     * compared.
     */
    public static boolean isOlder(String a, String b) {
        if (!isNumber(a) || !isNumber(b)) {
            return false;
        }
        return a.length() == b.length() ? a.compareTo(b) < 0 : a.length() < b.length();
    }

    private static boolean isNumber(String version) {
        if (version.isEmpty() || (version.charAt(0) == '0' && version.length() > 1)) {
            return false;
        }
        for (int i = 0; i < version.length(); i++) {
            if (version.charAt(i) < '0' || version.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }
}
