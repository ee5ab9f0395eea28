package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.placement.BalancedAllocationScorer;
import io.policyscheduler.engine.placement.BalancedAllocationScorer.Formula;
import io.policyscheduler.engine.placement.ResourceAllocationScorer.ResourceWeight;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prefers nodes with balanced resource usage. Mirrors {@code pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go}.
 */
public final class NodeResourcesBalancedAllocation implements PreScorePlugin, InTreeScore, CacheableScore, SignPlugin {
    public static final String NAME = "NodeResourcesBalancedAllocation";

    private final List<ResourceWeight> resources;
    private final boolean skipsBestEffort;
    private final boolean exactSums;
    private final NodeResourcesFit.ExtendedAmounts extended;
    private final BalancedAllocationScorer scorer;

    /** Creates the plugin for a profile. */
    public NodeResourcesBalancedAllocation(PluginHandle handle) {
        this.resources = NodeResourcesFit.resources(handle.args().path("resources"));
        this.exactSums = SchedulerChange.EXACT_REQUEST_SUMS.in(handle.release());
        this.skipsBestEffort = SchedulerChange.BEST_EFFORT_IS_NOT_BALANCED.in(handle.release());
        this.extended = new NodeResourcesFit.ExtendedAmounts(handle);
        this.scorer = BalancedAllocationScorer.of(handle.release(), resources, extended);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public @Nullable Map<String, Object> sign(PodInfo pod) {
        return extended.sign(pod);
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        ResourceVector podRequests = podRequests(context.pod());
        for (ResourceWeight resource : resources) {
            if (resource.amount(podRequests) != 0) {
                return Status.SUCCESS;
            }
        }
        return skipsBestEffort ? Status.SKIP : Status.SUCCESS;
    }

    private boolean countsDefaults() {
        return scorer.formula() == Formula.WHOLE_DIFFERENCE;
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        ResourceVector podRequests = podRequests(pod);
        long milliCpu = countsDefaults() ? requests.scoringMilliCpu() : podRequests.milliCpu();
        long memory = countsDefaults() ? requests.scoringMemory() : podRequests.memory();
        return ScoreReads.of(
                countsDefaults() ? List.of(milliCpu, memory) : podRequests,
                Reduction.NONE,
                (index, slots, count, scores) -> scorer.scoreSlots(milliCpu, memory, index, slots, count, scores));
    }

    private ResourceVector podRequests(PodInfo pod) {
        CurrentRequests requests = pod.resources().current();
        return exactSums ? requests.placed() : requests.scoring();
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        CurrentRequests requests = pod.resources().current();
        return countsDefaults()
                ? scorer.score(requests.scoringMilliCpu(), requests.scoringMemory(), node)
                : scorer.score(podRequests(pod), node);
    }
}
