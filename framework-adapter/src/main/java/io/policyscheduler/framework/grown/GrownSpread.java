package io.policyscheduler.framework.grown;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import java.util.List;

/**
 * A spreading priority that heeds what pods say themselves: one with {@code ScheduleAnyway} constraints is spread by these and
 * not by its services and controllers. Mirrors what became of SelectorSpread in 1.19, which leaves such pods to
 * PodTopologySpread.
 */
final class GrownSpread implements Priority {
    private final Priority bySelectors;
    private final Priority byConstraints;

    GrownSpread(Priority bySelectors, Priority byConstraints) {
        this.bySelectors = bySelectors;
        this.byConstraints = byConstraints;
    }

    @Override
    public String name() {
        return bySelectors.name();
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        boolean own = context.pod().spec().spreadConstraints().stream().anyMatch(TopologySpreadConstraint::isSoft);
        return (own ? byConstraints : bySelectors).start(context, feasible);
    }
}
