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
 * The order of pending pods: by priority, then by age. An unschedulable pod is retried after a change by others immediately, and
 * after placements of other pods when all pods have been tried. Belongs to one thread.
 */
final class PendingPods {
    private static final Comparator<PodInfo> ORDER = Comparator.comparingInt(PodInfo::priority)
            .reversed()
            .thenComparingLong(PodInfo::createdMillis)
            .thenComparing(PodInfo::key);

    /** Unschedulable pods, with their state at the attempt. */
    private final Set<PodInfo> tried = Collections.newSetFromMap(new IdentityHashMap<>());
    /** The cluster state at the attempt. */
    private ObservedCluster then = new ObservedCluster(List.of(), List.of(), Set.of());

    private final Set<String> placed = new HashSet<>();

    /** The part of the cluster that decisions depend on, besides the pod; an object counts as changed if it was read again. */
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

    /** A pod on its node, without the status. */
    private record Placed(String uid, String node, int labels) {}

    /** All pending pods without scheduling gates, in order. */
    static List<PodInfo> of(ClusterSnapshot snapshot) {
        return snapshot.pending().stream()
                .filter(pod -> pod.spec().schedulingGates().isEmpty())
                .sorted(ORDER)
                .toList();
    }

    /** The next pod; empty if none is pending, or if all are unschedulable. */
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

    /** Whether a pod was unschedulable and nothing has changed since. */
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
