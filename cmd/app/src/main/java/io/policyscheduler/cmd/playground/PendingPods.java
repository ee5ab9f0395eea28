package io.policyscheduler.cmd.playground;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whose turn it is: the highest priority first, then the older one. A pod that found no place waits until something else has changed:
 * by others at once, by the pods that were placed after it when all others have been tried. Belongs to one thread.
 */
final class PendingPods {
    private static final Comparator<PodInfo> ORDER = Comparator.comparingInt(PodInfo::priority)
            .reversed()
            .thenComparingLong(PodInfo::createdMillis)
            .thenComparing(PodInfo::key);

    /** Those that were tried in vain, as they were then. */
    private final Set<PodInfo> tried = Collections.newSetFromMap(new IdentityHashMap<>());
    /** What they did not find a place in. */
    private ObservedCluster then = new ObservedCluster(List.of(), List.of(), Set.of());

    private final Set<String> placed = new HashSet<>();

    /** What decisions depend on besides the pod; nodes and objects count as changed when they were read anew. */
    private record ObservedCluster(List<Node> nodes, List<ClusterObject> objects, Set<Placed> placed) {
        boolean isSame(ObservedCluster other) {
            return identical(nodes, other.nodes) && identical(objects, other.objects) && placed.equals(other.placed);
        }

        private static boolean identical(List<?> one, List<?> other) {
            if (one.size() != other.size()) {
                return false;
            }
            for (int i = 0; i < one.size(); i++) {
                if (one.get(i) != other.get(i)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** A pod on its node, without what kubelets write of it. */
    private record Placed(String uid, String node, int labels) {}

    /** All that could be decided, in the order of their turns; pods with gates cannot. */
    static List<PodInfo> of(ClusterSnapshot snapshot) {
        return snapshot.pending().stream()
                .filter(pod -> pod.spec().schedulingGates().isEmpty())
                .sorted(ORDER)
                .toList();
    }

    /** The next one; empty when none waits, or when all have been tried in vain. */
    Optional<PodInfo> next(ClusterSnapshot snapshot) {
        ObservedCluster now = surroundings(snapshot);
        if (!now.isSame(then)) {
            tried.clear();
            then = now;
        }
        List<PodInfo> all = of(snapshot);
        Optional<PodInfo> fresh = fresh(all);
        if (fresh.isEmpty() && !placed.isEmpty()) {
            placed.clear();
            tried.clear();
            then = surroundings(snapshot);
            fresh = fresh(all);
        }
        return fresh;
    }

    private Optional<PodInfo> fresh(List<PodInfo> all) {
        return all.stream().filter(pod -> !tried.contains(pod)).findFirst();
    }

    /** Whether a pod was tried in vain and nothing has changed since. */
    boolean isTried(PodInfo pod) {
        return tried.contains(pod);
    }

    private ObservedCluster surroundings(ClusterSnapshot snapshot) {
        Set<Placed> others = new HashSet<>();
        for (PodInfo pod : snapshot.running()) {
            if (!placed.contains(pod.uid())) {
                int[] labels = {0};
                pod.labels().forEach((key, value) -> labels[0] += 31 * key.hashCode() + value.hashCode());
                others.add(new Placed(pod.uid(), pod.nodeName(), labels[0]));
            }
        }
        return new ObservedCluster(snapshot.nodes(), snapshot.objects(), others);
    }

    /** A pod has been placed. */
    void placed(PodInfo pod) {
        placed.add(pod.uid());
    }

    /** A pod has found no place. */
    void inVain(PodInfo pod) {
        tried.add(pod);
    }
}
