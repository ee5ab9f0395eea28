package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.placement.BalancedAllocationScorer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prefers nodes with balanced cpu and memory usage; with the gate BalanceAttachedNodeVolumes also attached volumes, if a
 * volume-count predicate has stored its counts. Mirrors {@code algorithm/priorities/balanced_resource_allocation.go}.
 */
public final class BalancedResourceAllocation implements Priority {
    private final boolean balanceVolumes;
    private final RequestRules rules;
    private final BalancedAllocationScorer scorer;

    /** Reads the gate BalanceAttachedNodeVolumes, and the release, which determines the rules for adding up requests. */
    public BalancedResourceAllocation(AlgorithmConfig config) {
        this.rules = RequestRules.of(config.gates());
        this.balanceVolumes = config.gates().enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
        this.scorer = BalancedAllocationScorer.ofPolicy(rules, balanceVolumes);
    }

    @Override
    public String name() {
        return "BalancedResourceAllocation";
    }

    /** Volume counts change without a change of the node. */
    @Override
    public Scope scope() {
        return balanceVolumes ? Scope.CLUSTER : Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        return new Scorer(
                scorer, balanceVolumes, rules.scoringMilliCpu(context.pod()), rules.scoringMemory(context.pod()));
    }

    private record Basis(long milliCpu, long memory) {}

    private record Scorer(BalancedAllocationScorer scorer, boolean balanceVolumes, long milliCpu, long memory)
            implements PodScorer {
        /** Volume counts change without a change of the node. */
        @Override
        public @Nullable Object basis() {
            return balanceVolumes ? null : new Basis(milliCpu, memory);
        }

        @Override
        public long score(NodeInfo node) {
            return scorer.score(milliCpu, memory, node);
        }

        @Override
        public void scoreAll(List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = score(nodes.get(i));
            }
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            return scorer.scoreSlots(milliCpu, memory, index, slots, count, scores);
        }
    }
}
