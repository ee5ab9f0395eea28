package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.LegacyPlugin;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A priority as a score plugin. */
final class PriorityPlugin implements LegacyPlugin, PreScorePlugin, InTreeScore {
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
    public OptionalLong uniformScore(CycleState state, PodInfo pod) {
        PodScorer scorer = state.read(key);
        String error = scorer.error();
        if (error != null) {
            throw new PluginException(error);
        }
        return scorer.uniformScore();
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
    public Scope scoreScope() {
        return priority.scope();
    }

    @Override
    public long scoreRevision() {
        return priority.revision();
    }

    @Override
    public boolean normalizes(CycleState state) {
        PodScorer scorer = state.read(key);
        return scorer.error() != null || scorer.normalizes();
    }

    @Override
    public Reduction reduction(CycleState state) {
        PodScorer scorer = state.read(key);
        return scorer.error() == null ? scorer.reduction() : Reduction.OTHER;
    }

    @Override
    public @Nullable Object scoreBasis(CycleState state, PodInfo pod) {
        PodScorer scorer = state.read(key);
        return scorer.error() == null ? scorer.basis() : null;
    }

    @Override
    public boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        PodScorer scorer = state.read(key);
        return scorer.error() == null && scorer.scoreSlots(index, slots, count, scores);
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        state.read(key).normalize(nodes, scores);
        return Status.SUCCESS;
    }
}
