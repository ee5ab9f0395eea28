package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.PodTermMatcher;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Affinity and anti-affinity between pods. Mirrors {@code pkg/scheduler/framework/plugins/interpodaffinity}. */
final class InterPodAffinity implements PreFilterPlugin, FilterPlugin, PreScorePlugin, InTreeScore, EnqueueExtensions {
    static final String NAME = "InterPodAffinity";

    private final int requiredWeight;
    private final boolean ignorePreferredOfOthers;
    private final StateKey<RequiredPodAffinity> filterKey;
    private final StateKey<PreferredPodAffinity> scoreKey;

    private final boolean trueRange;
    private final boolean oneReason;
    private final boolean skips;
    private final boolean exactNamespaces;

    InterPodAffinity(PluginHandle handle) {
        this(handle, false);
    }

    /** @param exactNamespaces as for {@link PodTermMatcher.OwnTerms} */
    InterPodAffinity(PluginHandle handle, boolean exactNamespaces) {
        this.exactNamespaces = exactNamespaces || !SchedulerChange.SELECTORS_WITHOUT_LABELS.in(handle.release());
        this.requiredWeight = handle.args().path("hardPodAffinityWeight").asInt(1);
        this.ignorePreferredOfOthers =
                handle.args().path("ignorePreferredTermsOfExistingPods").asBoolean();
        this.skips = SchedulerChange.SKIPPED_AFFINITY.in(handle.release());
        this.oneReason = SchedulerChange.REASONS_OF_TODAY.in(handle.release());
        this.trueRange = SchedulerChange.TRUE_RANGE_OF_AFFINITY.in(handle.release());
        this.filterKey = handle.stateKeys().create("PreFilter" + NAME, RequiredPodAffinity::copy);
        this.scoreKey = handle.stateKeys().create("PreScore" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return PodAffinityHints.all();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        String error = selectorError(context.pod().affinity());
        if (error != null) {
            return PreFilterResult.of(Status.unresolvable("parsing pod: " + error));
        }
        RequiredPodAffinity required = new RequiredPodAffinity(context.pod(), context.cluster(), exactNamespaces);
        if (skips && required.saysNothing()) {
            return PreFilterResult.SKIP;
        }
        state.write(filterKey, required);
        return PreFilterResult.ALL_NODES;
    }

    /** The first reason why a selector of the pod's own terms is invalid, or null. */
    private static @Nullable String selectorError(Affinity affinity) {
        for (Affinity.PodTerms terms : Arrays.asList(affinity.podAffinity(), affinity.podAntiAffinity())) {
            if (terms == null) {
                continue;
            }
            List<PodAffinityTerm> all = new ArrayList<>(terms.required());
            terms.preferred().forEach(weighted -> all.add(weighted.term()));
            for (PodAffinityTerm term : all) {
                for (LabelSelector selector : Arrays.asList(term.selector(), term.namespaceSelector())) {
                    if (selector != null && selector.error() != null) {
                        return selector.error();
                    }
                }
            }
        }
        return null;
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        state.read(filterKey).update(added, node.node().labels(), 1);
        return null;
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        state.read(filterKey).update(removed, node.node().labels(), -1);
        return null;
    }

    @Override
    public @Nullable SlotPredicate bySlot(CycleState state, ClusterIndex index) {
        RequiredPodAffinity required = state.find(filterKey);
        return required == null ? null : required.bySlot();
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        RequiredPodAffinity required = state.find(filterKey);
        if (required == null) {
            return Status.error("error reading \"" + filterKey + "\" from cycleState: not found");
        }
        Status status = required.check(node);
        return oneReason || status.isSuccess() ? status : RequiredPodAffinity.twice(status);
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        if (ignorePreferredOfOthers && !PreferredPodAffinity.hasPreferences(context.pod())) {
            return Status.SKIP;
        }
        PreferredPodAffinity preferred =
                new PreferredPodAffinity(context.pod(), context.cluster(), requiredWeight, exactNamespaces);
        if (preferred.isEmpty()) {
            return Status.SKIP;
        }
        state.write(scoreKey, preferred);
        return Status.SUCCESS;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        PreferredPodAffinity preferred = state.find(scoreKey);
        if (preferred == null) {
            throw new PluginException("failed to read \"" + scoreKey + "\" from cycleState: not found");
        }
        return preferred.score(node);
    }

    @Override
    public boolean scoreSlots(
            CycleState state, PodInfo pod, ClusterIndex index, int[] slots, int count, long[] scores) {
        PreferredPodAffinity preferred = state.find(scoreKey);
        if (preferred == null || !preferred.scoreSlots(slots, count, scores)) {
            return false;
        }
        normalize(scores, count);
        return true;
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        normalize(scores, scores.length);
        return Status.SUCCESS;
    }

    private void normalize(long[] scores, int count) {
        long min = trueRange ? Long.MAX_VALUE : 0;
        long max = trueRange ? Long.MIN_VALUE : 0;
        for (int i = 0; i < count; i++) {
            min = Math.min(min, scores[i]);
            max = Math.max(max, scores[i]);
        }
        long range = max - min;
        long lastScore = min;
        long lastResult = 0;
        for (int i = 0; i < count; i++) {
            // Most nodes share a score with the one before.
            if (scores[i] != lastScore) {
                lastScore = scores[i];
                lastResult = range > 0 ? (long) (MAX_SCORE * ((double) (scores[i] - min) / range)) : 0;
            }
            scores[i] = lastResult;
        }
    }
}
