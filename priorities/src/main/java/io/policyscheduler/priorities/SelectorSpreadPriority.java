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
 * Spreads the pods of a service or controller over nodes and zones. Mirrors {@code SelectorSpread} of
 * {@code algorithm/priorities/selector_spreading.go}.
 */
public final class SelectorSpreadPriority implements Priority {
    @Override
    public String name() {
        return "SelectorSpreadPriority";
    }

    /** The whole cluster, because services and controllers say which pods count. */
    @Override
    public Scope scope() {
        return Scope.CLUSTER;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        LabelSelector selector = PodOwners.spreadSelector(context.cluster(), context.pod(), false);
        if (selector.isEmpty()) {
            return SelectorSpreadScorer.NOTHING_TO_SPREAD;
        }
        return new SelectorSpreadScorer(
                new PeerCounter(context.cluster(), context.pod().namespace(), selector));
    }
}
