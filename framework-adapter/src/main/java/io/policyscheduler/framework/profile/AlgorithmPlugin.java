package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A plugin that is a predicate and a priority, such as NodeAffinity. */
final class AlgorithmPlugin
        implements LegacyPlugin, PreFilterPlugin, FilterPlugin, PreScorePlugin, InTreeScore, RequeueHints {
    private final PredicatePlugin filter;
    private final PriorityPlugin score;

    AlgorithmPlugin(PredicatePlugin filter, PriorityPlugin score) {
        this.filter = filter;
        this.score = score;
    }

    @Override
    public String name() {
        return filter.name();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        return filter.preFilter(state, context);
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        return filter.addPod(state, pod, added, node);
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        return filter.removePod(state, pod, removed, node);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return filter.filter(state, pod, node);
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        return score.preScore(state, context, feasible);
    }

    @Override
    public OptionalLong uniformScore(CycleState state, PodInfo pod) {
        return score.uniformScore(state, pod);
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return score.score(state, pod, node);
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        return score.normalizeScores(state, pod, nodes, scores);
    }

    @Override
    public Set<ClusterEvent> events() {
        return filter.events();
    }

    @Override
    public boolean mayHelp(PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        return filter.mayHelp(pod, event, changed);
    }
}
