package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.NodeAmounts;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prefers nodes whose cpu and memory would be used to the same degree; with the gate BalanceAttachedNodeVolumes
 * attached volumes are a third part, where a volume-count predicate has left its counts on the node. Scores are
 * truncated doubles, so the order of operations matters. Mirrors
 * {@code algorithm/priorities/balanced_resource_allocation.go}.
 */
public final class BalancedResourceAllocation implements Priority {
    private final boolean balanceVolumes;
    private final RequestRules rules;

    /** Looks at the gate BalanceAttachedNodeVolumes, and at the release for how requests are added up. */
    public BalancedResourceAllocation(AlgorithmConfig config) {
        this.rules = RequestRules.of(config.gates());
        this.balanceVolumes = config.gates().enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
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
                rules, balanceVolumes, rules.scoringMilliCpu(context.pod()), rules.scoringMemory(context.pod()));
    }

    private record Basis(long milliCpu, long memory) {}

    private record Scorer(RequestRules rules, boolean balanceVolumes, long milliCpu, long memory) implements PodScorer {
        /** Volume counts change without a change of the node. */
        @Override
        public @Nullable Object basis() {
            return balanceVolumes ? null : new Basis(milliCpu, memory);
        }

        @Override
        public long score(NodeInfo node) {
            double cpuPart = fraction(node.allocatableMilliCpu(), rules.nonZeroMilliCpu(node), milliCpu);
            double memoryPart = fraction(node.allocatableMemory(), rules.nonZeroMemory(node), memory);
            return BalancedResourceAllocation.score(balanceVolumes, cpuPart, memoryPart, node);
        }

        @Override
        public void scoreAll(List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = score(nodes.get(i));
            }
        }

        private double fraction(long capacity, long taken, long wanted) {
            return capacity == 0 ? 1.0 : (double) rules.arithmetic().add(taken, wanted) / (double) capacity;
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            if (balanceVolumes) {
                return false;
            }
            NodeAmounts amounts = index.amounts(rules);
            for (int i = 0; i < count; i++) {
                int slot = slots[i];
                scores[i] = twoParts(
                        fraction(amounts.allocatableMilliCpu(slot), amounts.nonZeroMilliCpu(slot), milliCpu),
                        fraction(amounts.allocatableMemory(slot), amounts.nonZeroMemory(slot), memory));
            }
            return true;
        }
    }

    private static long score(boolean balanceVolumes, double cpu, double memory, NodeInfo node) {
        if (balanceVolumes && node.allocatableVolumes() > 0 && cpu < 1 && memory < 1) {
            return threeParts(cpu, memory, (double) node.requestedVolumes() / (double) node.allocatableVolumes());
        }
        return twoParts(cpu, memory);
    }

    private static long twoParts(double cpu, double memory) {
        return cpu >= 1 || memory >= 1 ? 0 : (long) ((1.0 - Math.abs(cpu - memory)) * (double) MAX_SCORE);
    }

    private static long threeParts(double cpu, double memory, double volumes) {
        if (volumes >= 1) {
            return 0;
        }
        double mean = (cpu + memory + volumes) / 3.0;
        double variance =
                ((cpu - mean) * (cpu - mean) + (memory - mean) * (memory - mean) + (volumes - mean) * (volumes - mean))
                        / 3.0;
        return (long) ((1.0 - variance) * (double) MAX_SCORE);
    }
}
