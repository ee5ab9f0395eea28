package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;

/**
 * Required inter-pod affinity and anti-affinity of the pod, and required anti-affinity of the pods that already run. Mirrors
 * {@code PodAffinityChecker} of {@code predicates.go} and {@code podAffinityMetadata} of {@code metadata.go}.
 */
public final class MatchInterPodAffinity implements Predicate {
    static final Verdict AFFINITY_FAILS = Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.POD_AFFINITY_RULES);
    static final Verdict ANTI_AFFINITY_FAILS =
            Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.POD_ANTI_AFFINITY_RULES);
    static final Verdict EXISTING_ANTI_AFFINITY_FAILS =
            Verdict.unfit(FailureReasons.POD_AFFINITY, FailureReasons.EXISTING_ANTI_AFFINITY_RULES);

    @Override
    public String name() {
        return "MatchInterPodAffinity";
    }

    /** The whole cluster: the first pod of a group passes only while no pod anywhere matches its terms. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public boolean needsMetadata() {
        return true;
    }

    @Override
    public PodFilter start(PodContext context) {
        return context.metadataAvailable()
                ? InterPodAffinityFilter.of(context.pod(), context.cluster())
                : new InterPodAffinitySlowPath(context.pod(), context.cluster());
    }
}
