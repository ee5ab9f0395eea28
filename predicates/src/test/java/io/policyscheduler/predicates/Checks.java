package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Verdict;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;

/** Runs one predicate against one node. */
final class Checks {
    private Checks() {}

    static Verdict verdict(Predicate predicate, PodInfo pod, ClusterState cluster, String node) {
        return predicate.start(PodContext.of(pod, cluster)).check(Clusters.info(cluster, node));
    }

    /** Texts of the reasons; empty when the pod fits. */
    static List<String> reasons(Predicate predicate, PodInfo pod, ClusterState cluster, String node) {
        return verdict(predicate, pod, cluster, node).reasons().stream()
                .map(FailureReason::text)
                .toList();
    }
}
