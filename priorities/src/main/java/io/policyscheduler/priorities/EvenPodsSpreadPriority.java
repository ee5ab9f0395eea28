package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.placement.PreferredSpread;
import io.policyscheduler.engine.placement.SpreadConstraints;
import io.policyscheduler.engine.placement.SpreadConstraints.Counting;
import io.policyscheduler.priorities.PriorityCatalog.PriorityMetadata;
import java.util.List;

/**
 * Prefers topology values with few of the pods that match the pod's {@code ScheduleAnyway} constraints. Pods of all namespaces
 * count, as in v1.17. Mirrors {@code algorithm/priorities/even_pods_spread.go}.
 */
public final class EvenPodsSpreadPriority implements Priority {
    private static final PodScorer NO_OPINION = node -> 0;

    @Override
    public String name() {
        return "EvenPodsSpreadPriority";
    }

    @Override
    public Scope scope() {
        return Scope.TOPOLOGY;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        List<TopologySpreadConstraint> soft = context.pod().spec().spreadConstraints().stream()
                .filter(TopologySpreadConstraint::isSoft)
                .toList();
        // Without shared metadata, all scores are 0.
        if (soft.isEmpty() || !PriorityMetadata.available(context.pod())) {
            return NO_OPINION;
        }
        SpreadConstraints constraints = new SpreadConstraints(context.pod(), soft, Counting.V1_17);
        return new Scorer(new PreferredSpread(constraints, true, feasible, context.cluster()));
    }

    private record Scorer(PreferredSpread spread) implements PodScorer {
        @Override
        public long score(NodeInfo node) {
            return spread.score(node);
        }

        @Override
        public boolean normalizes() {
            return true;
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            return spread.scoreSlots(slots, count, scores);
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            spread.normalize(nodes, scores);
        }
    }
}
