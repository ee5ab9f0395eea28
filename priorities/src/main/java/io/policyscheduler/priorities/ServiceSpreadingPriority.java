package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.PodOwners;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import java.util.List;

/**
 * Meant to spread the pods of a service only. In v1.17 it shares the selector of {@link SelectorSpreadPriority}, controllers
 * included, and looks at services alone only when the shared priority metadata is missing; see {@code SelectorSpread} of
 * {@code algorithm/priorities/selector_spreading.go}.
 */
public final class ServiceSpreadingPriority implements Priority {
    @Override
    public String name() {
        return "ServiceSpreadingPriority";
    }

    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        boolean servicesOnly = !PriorityMetadata.available(context.pod());
        LabelSelector selector = PodOwners.spreadSelector(context.cluster(), context.pod(), servicesOnly);
        return new SelectorSpreadScorer(
                new PeerCounter(context.cluster(), context.pod().namespace(), selector));
    }
}
