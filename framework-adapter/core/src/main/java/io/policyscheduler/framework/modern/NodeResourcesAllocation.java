package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.placement.ResourceAllocationScorer;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Devices;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Rules;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.Strategy;
import io.policyscheduler.framework.config.PluginNames;
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
    private final ResourceAllocationScorer scoring;

    /** Made with the arguments of a profile. */
    public NodeResourcesAllocation(String name, PluginHandle handle) {
        this.name = name;
        Strategy strategy = switch (name) {
            case PluginNames.NODE_RESOURCES_LEAST -> Strategy.LEAST;
            case PluginNames.NODE_RESOURCES_MOST -> Strategy.MOST;
            default -> Strategy.RATIO;
        };
        Release release = handle.release();
        Rules rules = new Rules(
                RequestRules.MODERN,
                false,
                SchedulerChange.ONLY_REQUESTED_RESOURCES.in(release),
                SchedulerChange.OVERCOMMITTED_IS_FULL.in(release),
                true);
        this.scoring = new ResourceAllocationScorer(
                NodeResourcesFit.resources(handle.args().path("resources")),
                strategy,
                NodeResourcesFit.shape(strategy, handle.args(), "shape"),
                rules,
                Devices.NONE);
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
