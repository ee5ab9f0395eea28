package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;

/**
 * NodeResourcesLeastAllocated, NodeResourcesMostAllocated, or RequestedToCapacityRatio of 1.18 to 1.22, which became the scoring
 * strategies of {@link NodeResourcesFit}. Mirrors {@code least_allocated.go}, {@code most_allocated.go}, and {@code
 * requested_to_capacity_ratio.go} of those releases.
 */
public final class NodeResourcesAllocation implements InTreeScore {
    private final String name;
    private final FitScoring scoring;

    /** Made with the arguments of a profile. */
    public NodeResourcesAllocation(String name, PluginHandle handle) {
        this.name = name;
        this.scoring = FitScoring.ofOlderPlugin(name, handle.args(), handle.release());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Scope scoreScope() {
        return Scope.NODE;
    }

    @Override
    public Object scoreBasis(CycleState state, PodInfo pod) {
        return scoring.basis(pod);
    }

    @Override
    public Reduction reduction(CycleState state) {
        return Reduction.NONE;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return scoring.score(pod, node);
    }

    @Override
    public boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        return scoring.scoreSlots(pod, index, slots, count, scores);
    }
}
