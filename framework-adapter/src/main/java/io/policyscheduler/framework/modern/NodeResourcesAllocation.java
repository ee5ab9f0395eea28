package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;

/**
 * NodeResourcesLeastAllocated, NodeResourcesMostAllocated, or RequestedToCapacityRatio of 1.18 to 1.22, which became the scoring
 * strategies of {@link NodeResourcesFit}. Mirrors {@code least_allocated.go}, {@code most_allocated.go}, and {@code
 * requested_to_capacity_ratio.go} of those releases.
 */
public final class NodeResourcesAllocation implements InTreeScore, CacheableScore {
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
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(
                scoring.basis(pod),
                Reduction.NONE,
                (index, slots, count, scores) -> scoring.scoreSlots(pod, index, slots, count, scores));
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return scoring.score(pod, node);
    }
}
