package io.policyscheduler.predicates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;

/** Runs one predicate against one node. */
final class Checks {
    private Checks() {}

    static Verdict verdict(Predicate predicate, PodInfo pod, ClusterState cluster, String node) {
        PodFilter filter = predicate.start(PodContext.of(pod, cluster));
        NodeInfo info = Clusters.info(cluster, node);
        Verdict verdict = filter.check(info);
        ClusterIndex index = cluster.index();
        SlotPredicate test = index == null ? null : filter.bySlot(index);
        if (index != null && test != null) {
            assertEquals(verdict.fits(), test.test(index.ownSlotOf(info)), "by slot, " + node);
        }
        return verdict;
    }

    /** Texts of the reasons; empty when the pod fits. */
    static List<String> reasons(Predicate predicate, PodInfo pod, ClusterState cluster, String node) {
        return verdict(predicate, pod, cluster, node).reasons().stream()
                .map(FailureReason::text)
                .toList();
    }
}
