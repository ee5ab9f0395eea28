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
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import java.util.List;

/**
 * Prefers nodes with much cpu and memory left, each truncated to 0..100, then averaged. Mirrors
 * {@code algorithm/priorities/least_requested.go}.
 */
public final class LeastRequestedPriority implements Priority {
    private final RequestRules rules;

    /** Adds up requests by the rules of {@link AlgorithmConfig#gates()}. */
    public LeastRequestedPriority(AlgorithmConfig config) {
        this.rules = RequestRules.of(config.gates());
    }

    @Override
    public String name() {
        return "LeastRequestedPriority";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        ResourceAllocation cpu = ResourceAllocation.of(rules, context.pod(), ResourceNames.CPU);
        ResourceAllocation memory = ResourceAllocation.of(rules, context.pod(), ResourceNames.MEMORY);
        return new Scorer(rules, cpu, memory);
    }

    private record Scorer(RequestRules rules, ResourceAllocation cpu, ResourceAllocation memory) implements PodScorer {
        @Override
        public Object basis() {
            return new Requests(cpu.podRequest(), memory.podRequest());
        }

        @Override
        public long score(NodeInfo node) {
            return (cpu.freeShare(node) + memory.freeShare(node)) / 2;
        }

        @Override
        public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
            NodeAmounts amounts = index.amounts(rules);
            for (int i = 0; i < count; i++) {
                int slot = slots[i];
                scores[i] = (cpu.freeShare(amounts.allocatableMilliCpu(slot), amounts.nonZeroMilliCpu(slot))
                                + memory.freeShare(amounts.allocatableMemory(slot), amounts.nonZeroMemory(slot)))
                        / 2;
            }
            return true;
        }

        @Override
        public void scoreAll(List<NodeInfo> nodes, long[] scores) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = score(nodes.get(i));
            }
        }
    }
}
