package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_TAINT;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_TOLERATION;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** Keeps pods off nodes whose taints they do not tolerate. Mirrors {@code pkg/scheduler/framework/plugins/tainttoleration}. */
final class TaintToleration
        implements CacheableFilter,
                PreScorePlugin,
                InTreeScore,
                CacheableScore,
                EnqueueExtensions,
                Signers.OfTolerations {
    static final String NAME = "TaintToleration";

    private static final String PREFER = "PreferNoSchedule";

    /** Clusters have few distinct taints; this only limits the memory use of unusual ones. */
    private static final int MAX_KNOWN = 1000;

    private final StateKey<Preferences> key;
    private final Map<Taint, Status> known = new HashMap<>();
    private static final Status UNNAMED = Status.unresolvable("node(s) had untolerated taint(s)");

    private final boolean saysUntolerated;
    private final boolean namesTaint;

    /**
     * The state of PreScore.
     *
     * @param relevant the tolerations that may match {@code PreferNoSchedule}
     * @param tolerations the same, indexed
     */
    private record Preferences(List<Toleration> relevant, TolerationSet tolerations, List<NodeInfo> feasible) {
        boolean anyTaint() {
            for (int i = 0; i < feasible.size(); i++) {
                for (Taint taint : feasible.get(i).node().taints()) {
                    if (taint.effect().equals(PREFER)) {
                        return true;
                    }
                }
            }
            return false;
        }
    }

    private record Last(List<Toleration> list, TolerationSet set) {}

    private Last last = new Last(List.of(), new TolerationSet(List.of()));

    TaintToleration(PluginHandle handle) {
        this.saysUntolerated = SchedulerChange.UNTOLERATED_TAINT.in(handle.release());
        this.namesTaint = !SchedulerChange.TAINT_TEXT_WITHOUT_KEY.in(handle.release());
        this.key = handle.stateKeys().create("PreScore" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return List.of(
                EventHint.of((pod, event) -> isTolerated(event.node(), pod), NODE, ADD),
                EventHint.of(
                        (pod, event) -> !isTolerated(event.nodeBefore(), pod) && isTolerated(event.node(), pod),
                        NODE,
                        UPDATE_NODE_TAINT),
                EventHint.of((pod, event) -> event.isAbout(pod), POD, UPDATE_POD_TOLERATION));
    }

    private static boolean isTolerated(Node node, PodInfo pod) {
        return new TolerationSet(pod.tolerations()).firstUntolerated(node.taints()) == null;
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        return FilterReads.of(pod.tolerations());
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Taint untolerated = tolerationsOf(pod).firstUntolerated(node.node().taints());
        if (untolerated == null) {
            return Status.SUCCESS;
        }
        if (!namesTaint) {
            return UNNAMED;
        }
        if (known.size() > MAX_KNOWN) {
            known.clear();
        }
        return known.computeIfAbsent(untolerated, this::rejection);
    }

    /**
     * Returns the tolerations of the pod. Caches the last pod, because this plugin has no PreFilter and filters one node after the
     * other.
     */
    @SuppressWarnings("ReferenceEquality")
    private TolerationSet tolerationsOf(PodInfo pod) {
        Last kept = last;
        if (kept.list() != pod.tolerations()) {
            kept = new Last(pod.tolerations(), new TolerationSet(pod.tolerations()));
            last = kept;
        }
        return kept.set();
    }

    private Status rejection(Taint taint) {
        String shown = "taint {" + taint.key() + ": " + taint.value() + "}";
        return Status.unresolvable(
                saysUntolerated
                        ? "node(s) had untolerated " + shown
                        : "node(s) had " + shown + ", that the pod didn't tolerate");
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        List<Toleration> tolerations = TolerationSet.ofPreferences(context.pod().tolerations());
        state.write(key, new Preferences(tolerations, new TolerationSet(tolerations), feasible));
        return Status.SUCCESS;
    }

    private Preferences preferences(CycleState state) {
        Preferences known = state.find(key);
        if (known == null) {
            throw new PluginException("failed to read \"" + key + "\" from cycleState: not found");
        }
        return known;
    }

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        Preferences preferences = preferences(state);
        return new ScoreReads(
                preferences.relevant(),
                0,
                Reduction.BY_HIGHEST_REVERSED,
                () -> preferences.anyTaint() ? OptionalLong.empty() : OptionalLong.of(MAX_SCORE),
                null);
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        return preferences(state).tolerations().countUntolerated(node.node().taints());
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        Reduction.BY_HIGHEST_REVERSED.apply(scores);
        return Status.SUCCESS;
    }
}
