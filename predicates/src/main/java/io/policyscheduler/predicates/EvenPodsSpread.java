package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import java.util.List;

/**
 * The pod's {@code DoNotSchedule} topology spread constraints. Mirrors {@code EvenPodsSpreadPredicate} of
 * {@code predicates.go} and {@code evenPodsSpreadMetadata} of {@code metadata.go}.
 */
public final class EvenPodsSpread implements Predicate {
    private static final Verdict NO_METADATA = Verdict.error("metadata not pre-computed for EvenPodsSpreadPredicate");

    @Override
    public String name() {
        return "EvenPodsSpread";
    }

    /** The whole cluster: skew is measured against the emptiest topology value anywhere. */
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
        if (!context.metadataAvailable()) {
            return node -> NO_METADATA;
        }
        List<TopologySpreadConstraint> hard = context.pod().spec().spreadConstraints().stream()
                .filter(TopologySpreadConstraint::isHard)
                .toList();
        return hard.isEmpty() ? PodFilter.FITS_ALL : EvenPodsSpreadFilter.of(context, hard);
    }
}
