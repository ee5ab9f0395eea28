package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.algorithm.Scope.PodClass;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.LegacyPlugin;
import java.util.List;
import java.util.function.UnaryOperator;

/** A priority as a score plugin. */
final class PriorityPlugin implements LegacyPlugin, PreScorePlugin, InTreeScore, CacheableScore {
    private final String name;
    private final String displayName;
    private final Priority priority;
    private final StateKey<PodScorer> key;

    PriorityPlugin(String name, Priority priority, StateKeys keys) {
        this(name, name, priority, keys);
    }

    /** @param displayName the name of the priority in the policy */
    PriorityPlugin(String name, String displayName, Priority priority, StateKeys keys) {
        this.name = name;
        this.displayName = displayName;
        this.priority = priority;
        this.key = keys.create("PreScore" + name, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String displayName() {
        return displayName;
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        PodScorer scorer = priority.start(context, feasible);
        state.write(key, scorer);
        return Status.SUCCESS;
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        PodScorer scorer = state.read(key);
        String error = scorer.error();
        if (error != null) {
            throw new PluginException(error);
        }
        Object basis = scorer.basis();
        boolean readsPod = basis == null
                && priority.scope() == Scope.NODE
                && scorer.uniformScore().isEmpty();
        return new ScoreReads(
                readsPod ? new PodClass(pod) : basis,
                priority.revision(),
                scorer.reduction(),
                scorer::uniformScore,
                scorer::scoreSlots);
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return state.read(key).score(node);
    }

    @Override
    public void scoreAll(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        state.read(key).scoreAll(nodes, scores);
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        state.read(key).normalize(nodes, scores);
        return Status.SUCCESS;
    }
}
