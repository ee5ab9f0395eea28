package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.placement.RequiredSpread;
import io.policyscheduler.engine.placement.RequiredSpread.Result;
import io.policyscheduler.engine.placement.SpreadConstraints;
import io.policyscheduler.engine.placement.SpreadConstraints.Counting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pod's {@code DoNotSchedule} topology spread constraints. Mirrors {@code EvenPodsSpreadPredicate} of
 * {@code predicates.go} and {@code evenPodsSpreadMetadata} of {@code metadata.go}.
 */
public final class EvenPodsSpread implements Predicate {
    private static final Verdict SKEWED = Verdict.unfit(FailureReasons.TOPOLOGY_SPREAD);
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
        if (hard.isEmpty()) {
            return PodFilter.FITS_ALL;
        }
        SpreadConstraints constraints = new SpreadConstraints(context.pod(), hard, Counting.V1_17);
        return new Filter(new RequiredSpread(constraints, context.cluster()));
    }

    private record Filter(RequiredSpread spread) implements PodFilter {
        @Override
        public Verdict check(NodeInfo node) {
            return spread.check(node) == Result.PASSES ? Verdict.FITS : SKEWED;
        }

        @Override
        public PodFilter copy() {
            return new Filter(spread.copy());
        }

        @Override
        public @Nullable String addPod(PodInfo added, NodeInfo node) {
            spread.add(added, node);
            return null;
        }

        @Override
        public @Nullable String removePod(PodInfo removed, NodeInfo node) {
            spread.remove(removed, node);
            return null;
        }
    }
}
