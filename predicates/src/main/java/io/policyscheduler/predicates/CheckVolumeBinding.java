package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.predicates.VolumeBinder.VolumeDecision;

/**
 * The pod's bound volumes can be used on the node, and its unbound claims can be given volumes there. Mirrors
 * {@code VolumeBindingChecker} of {@code pkg/scheduler/algorithm/predicates/predicates.go}; {@link VolumeBinder} carries out
 * what it finds for the chosen node.
 */
public final class CheckVolumeBinding implements Predicate {
    /** Name in a Policy file. */
    public static final String NAME = "CheckVolumeBinding";

    private static final Verdict BOUND_CONFLICT = Verdict.unfit(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT);
    private static final Verdict NO_MATCH = Verdict.unfit(FailureReasons.VOLUME_BINDING_NO_MATCH);
    private static final Verdict BOTH =
            Verdict.unfit(FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT, FailureReasons.VOLUME_BINDING_NO_MATCH);

    private final FeatureGates gates;
    private final InTreeVolumes inTree;

    /** Reads the gates of {@code config}. */
    public CheckVolumeBinding(AlgorithmConfig config) {
        this.gates = config.gates();
        this.inTree = InTreeVolumes.v117(gates);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodFilter start(PodContext context) {
        if (context.pod().volumes().isEmpty()) {
            return PodFilter.FITS_ALL;
        }
        PodClaims claims = new PodClaims(context.pod(), context.cluster(), gates, inTree);
        if (claims.error() != null) {
            Verdict error = Verdict.error(claims.error());
            return node -> error;
        }
        return claims.isEmpty() ? PodFilter.FITS_ALL : node -> verdict(claims.decide(node));
    }

    private static Verdict verdict(VolumeDecision decision) {
        if (decision.error() != null) {
            return Verdict.error(decision.error());
        }
        if (decision.boundReachable()) {
            return decision.unboundSatisfied() ? Verdict.FITS : NO_MATCH;
        }
        return decision.unboundSatisfied() ? BOUND_CONFLICT : BOTH;
    }
}
