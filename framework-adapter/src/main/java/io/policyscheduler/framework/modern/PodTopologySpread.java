package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.modern.SoftSpread.CachedCounts;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Spreads pods over the domains of the cluster. Mirrors {@code pkg/scheduler/framework/plugins/podtopologyspread}. */
final class PodTopologySpread
        implements PreFilterPlugin, FilterPlugin, PreScorePlugin, InTreeScore, CacheableScore, EnqueueExtensions {
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
        return new Hints(pod -> constraints.hard(pod, cluster)).all();
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
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(
                null, Reduction.OTHER, (index, slots, count, scores) -> scoreSlots(state, slots, count, scores));
    }

    private boolean scoreSlots(CycleState state, int[] slots, int count, long[] scores) {
        CachedCounts kept = spread(state).kept();
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

    /** Which changes may help pods that PodTopologySpread has rejected. Mirrors its {@code EventsToRegister}. */
    static final class Hints {
        private final Function<PodInfo, List<SpreadConstraint>> hard;

        /** @param hard the constraints that forbid nodes to a pod; may throw when they make no sense */
        Hints(Function<PodInfo, List<SpreadConstraint>> hard) {
            this.hard = hard;
        }

        List<EventHint> all() {
            return List.of(
                    EventHint.of(this::ofPod, POD, ADD, UPDATE_POD_LABEL, UPDATE_POD_TOLERATION, DELETE),
                    EventHint.of(this::ofNode, NODE, ADD, DELETE, UPDATE_NODE_LABEL, UPDATE_NODE_TAINT));
        }

        private boolean ofPod(PodInfo pod, ObjectEvent event) {
            PodInfo old = event.old() instanceof PodInfo before ? before : null;
            PodInfo now = event.now() instanceof PodInfo after ? after : null;
            if ((old != null && !isInvolved(pod, old)) || (now != null && !isInvolved(pod, now))) {
                return false;
            }
            List<SpreadConstraint> constraints = hard.apply(pod);
            if (old == null || now == null) {
                PodInfo only = event.pod();
                return constraints.stream().anyMatch(constraint -> constraint.selects(only.labels()));
            }
            boolean toleratesOthers =
                    pod.uid().equals(now.uid()) && !old.tolerations().equals(now.tolerations());
            if (toleratesOthers && constraints.stream().anyMatch(SpreadConstraint::honorsTaints)) {
                return true;
            }
            return !old.labels().equals(now.labels())
                    && constraints.stream()
                            .anyMatch(
                                    constraint -> constraint.selects(old.labels()) != constraint.selects(now.labels()));
        }

        private static boolean isInvolved(PodInfo pod, PodInfo other) {
            return other.uid().equals(pod.uid())
                    || ((!other.nodeName().isEmpty()
                                    || !other.nominatedNodeName().isEmpty())
                            && other.namespace().equals(pod.namespace()));
        }

        private boolean ofNode(PodInfo pod, ObjectEvent event) {
            List<SpreadConstraint> constraints = hard.apply(pod);
            boolean hasKeys = SpreadConstraint.allKeysOn(event.node(), constraints);
            if (event.old() == null || event.now() == null) {
                return hasKeys;
            }
            Node old = event.nodeBefore();
            Node now = event.node();
            if (SpreadConstraint.allKeysOn(old, constraints) != hasKeys) {
                return true;
            }
            // Any label may be one by which node selectors choose the nodes that count.
            return hasKeys
                    && (!old.taints().equals(now.taints()) || !old.labels().equals(now.labels()));
        }
    }
}
