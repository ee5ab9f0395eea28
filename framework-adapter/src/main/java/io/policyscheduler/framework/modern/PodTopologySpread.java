package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Spreads pods over the domains of the cluster. Mirrors {@code pkg/scheduler/framework/plugins/podtopologyspread}. */
final class PodTopologySpread implements PreFilterPlugin, FilterPlugin, PreScorePlugin, InTreeScore, EnqueueExtensions {
    static final String NAME = "PodTopologySpread";

    private final SpreadConstraints constraints;
    private final ClusterView cluster;
    private final boolean rounds;
    private final HardSpread.Counting counting;
    private final StateKey<HardSpread> filterKey;
    private final StateKey<SoftSpread> scoreKey;

    PodTopologySpread(PluginHandle handle) {
        this.constraints = new SpreadConstraints(handle.args(), handle.release());
        this.cluster = handle.cluster();
        this.counting = HardSpread.Counting.of(handle.release());
        this.rounds = SchedulerChange.ROUNDED_SPREADING.in(handle.release());
        this.filterKey = handle.stateKeys().create("PreFilter" + NAME, HardSpread::copy);
        this.scoreKey = handle.stateKeys().create("PreScore" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return new SpreadHints(pod -> constraints.hard(pod, cluster)).all();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        List<SpreadConstraint> hard = constraints.hard(context.pod(), context.cluster());
        if (hard.isEmpty()) {
            return PreFilterResult.SKIP;
        }
        state.write(filterKey, new HardSpread(context.pod(), hard, context.cluster(), counting));
        return PreFilterResult.ALL_NODES;
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        state.read(filterKey).update(added, node.node(), 1);
        return null;
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        state.read(filterKey).update(removed, node.node(), -1);
        return null;
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return state.read(filterKey).check(node.node());
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        PodInfo pod = context.pod();
        List<SpreadConstraint> soft = constraints.soft(pod, context.cluster());
        if (soft.isEmpty()) {
            return Status.SKIP;
        }
        state.write(
                scoreKey,
                new SoftSpread(
                        pod, soft, constraints.requireAllKeys(pod), counting.apart(), feasible, context.cluster()));
        return Status.SUCCESS;
    }

    private SoftSpread spread(CycleState state) {
        SoftSpread known = state.find(scoreKey);
        if (known == null) {
            throw new PluginException("error reading \"" + scoreKey + "\" from cycleState: not found");
        }
        return known;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        double score = spread(state).score(node);
        return rounds ? Math.round(score) : (long) score;
    }

    @Override
    public boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        KeptSpread kept = spread(state).kept();
        if (kept == null) {
            return false;
        }
        kept.scores(slots, count, rounds, scores);
        return true;
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        spread(state).normalize(nodes, scores);
        return Status.SUCCESS;
    }
}
