package io.policyscheduler.cmd.live.preemption;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Victims that have been or will be deleted, by preemptor, for as long as they are still there. Of the scheduling thread. */
final class Evictions {
    private final ClusterView cluster;
    private final Map<String, Eviction> underway = new HashMap<>();

    private record Eviction(String node, Set<String> victims) {}

    Evictions(ClusterView cluster) {
        this.cluster = cluster;
    }

    void start(PodInfo preemptor, String node, Collection<PodInfo> victims) {
        underway.put(
                preemptor.uid(),
                new Eviction(node, victims.stream().map(PodInfo::uid).collect(Collectors.toUnmodifiableSet())));
    }

    void forget(PodInfo preemptor) {
        underway.remove(preemptor.uid());
    }

    /** Forgets it when its node will not take the preemptor any more, whatever becomes of the victims. */
    void forgetUnless(PodInfo preemptor, Predicate<String> mayFitOn) {
        Eviction eviction = underway.get(preemptor.uid());
        if (eviction != null && !mayFitOn.test(eviction.node())) {
            underway.remove(preemptor.uid());
        }
    }

    /**
     * The writes are done elsewhere and show later; until then another attempt would choose victims again, and not
     * necessarily the same ones. v1.17 waits for its writes, and looks at deletion timestamps afterwards.
     */
    boolean areUnderwayFor(PodInfo preemptor) {
        underway.values().removeIf(eviction -> !isAnyLeft(eviction));
        return underway.containsKey(preemptor.uid());
    }

    private boolean isAnyLeft(Eviction eviction) {
        NodeInfo node = cluster.node(eviction.node());
        return node != null
                && node.pods().stream().anyMatch(pod -> eviction.victims().contains(pod.uid()));
    }
}
