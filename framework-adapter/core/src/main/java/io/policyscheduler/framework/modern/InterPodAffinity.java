package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_LABEL;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.PodAffinityTerms;
import io.policyscheduler.engine.placement.PodAffinityTerms.Reading;
import io.policyscheduler.engine.placement.PreferredPodAffinity;
import io.policyscheduler.engine.placement.RequiredPodAffinity;
import io.policyscheduler.engine.placement.RequiredPodAffinity.Rules;
import io.policyscheduler.framework.plugin.CacheableFilter;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Affinity and anti-affinity between pods. Mirrors {@code pkg/scheduler/framework/plugins/interpodaffinity}. */
final class InterPodAffinity
        implements PreFilterPlugin,
                CacheableFilter,
                PreScorePlugin,
                InTreeScore,
                CacheableScore,
                EnqueueExtensions,
                SignPlugin {
    static final String NAME = "InterPodAffinity";

    private final int requiredWeight;
    private final boolean ignorePreferredOfOthers;
    private final StateKey<RequiredPodAffinity> filterKey;
    private final StateKey<PreferredPodAffinity> scoreKey;

    private final boolean trueRange;
    private final Status noAffinity;
    private final Status ownAntiAffinity;
    private final Status existingAntiAffinity;
    private final boolean skips;
    private final boolean updatesHelp;
    private final Reading reading;
    private final Rules rules;

    InterPodAffinity(PluginHandle handle) {
        this.reading = SchedulerChange.SELECTORS_WITHOUT_LABELS.in(handle.release())
                ? Reading.SELECTORS_WITHOUT_LABELS
                : Reading.SELECTORS;
        this.rules = SchedulerChange.FIRST_PODS_NEED_KEYS.in(handle.release()) ? Rules.V1_19 : Rules.V1_18;
        this.requiredWeight = handle.args().path("hardPodAffinityWeight").asInt(1);
        this.ignorePreferredOfOthers =
                handle.args().path("ignorePreferredTermsOfExistingPods").asBoolean();
        this.updatesHelp = !SchedulerChange.LABEL_UPDATES_REQUEUE.in(handle.release());
        this.skips = SchedulerChange.AFFINITY_OF_NOMINATED_PODS.in(handle.release());
        this.noAffinity = rejection(handle.release(), FailureReasons.POD_AFFINITY_RULES);
        this.ownAntiAffinity = rejection(handle.release(), FailureReasons.POD_ANTI_AFFINITY_RULES);
        this.existingAntiAffinity = rejection(handle.release(), FailureReasons.EXISTING_ANTI_AFFINITY_RULES);
        this.trueRange = SchedulerChange.AFFINITY_SCORE_RANGE.in(handle.release());
        this.filterKey = handle.stateKeys().create("PreFilter" + NAME, RequiredPodAffinity::copy);
        this.scoreKey = handle.stateKeys().create("PreScore" + NAME, UnaryOperator.identity());
    }

    /** 1.18 to 1.21 report two reasons. */
    private static Status rejection(Release release, FailureReason reason) {
        if (SchedulerChange.ONE_AFFINITY_REASON.in(release)) {
            return Status.rejected(reason.resolvable(), List.of(reason.text()));
        }
        String first = FailureReasons.POD_AFFINITY.text();
        String common = SchedulerChange.NODE_NAME_TEXT.in(release) ? first + " rules" : first;
        return Status.rejected(reason.resolvable(), List.of(common, reason.text()));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return updatesHelp ? Hints.withUpdates(Hints.all()) : Hints.all();
    }

    @Override
    public @Nullable Map<String, Object> sign(PodInfo pod) {
        if (pod.hasPodAffinity()) {
            return null;
        }
        return ignorePreferredOfOthers ? Map.of() : Map.of("labels", pod.labels());
    }

    private PodAffinityTerms terms(PodContext context) {
        return new PodAffinityTerms(context.pod(), context.cluster(), reading);
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        String error = PodAffinityTerms.selectorError(context.pod().affinity());
        if (error != null) {
            return PreFilterResult.of(Status.unresolvable("parsing pod: " + error));
        }
        RequiredPodAffinity required = new RequiredPodAffinity(terms(context), context.cluster(), rules);
        if (skips && required.passesAll()) {
            return PreFilterResult.SKIP;
        }
        state.write(filterKey, required);
        return PreFilterResult.ALL_NODES;
    }

    @Override
    public @Nullable String addPod(CycleState state, PodInfo pod, PodInfo added, NodeInfo node) {
        state.read(filterKey).add(added, node);
        return null;
    }

    @Override
    public @Nullable String removePod(CycleState state, PodInfo pod, PodInfo removed, NodeInfo node) {
        state.read(filterKey).remove(removed, node);
        return null;
    }

    @Override
    public FilterReads filterReads(CycleState state, PodInfo pod) {
        RequiredPodAffinity required = state.find(filterKey);
        return required == null ? FilterReads.CLUSTER : FilterReads.CLUSTER.withSlots(required::bySlot);
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        RequiredPodAffinity required = state.find(filterKey);
        if (required == null) {
            return Status.error("error reading \"" + filterKey + "\" from cycleState: not found");
        }
        return switch (required.check(node)) {
            case PASSES -> Status.SUCCESS;
            case AFFINITY -> noAffinity;
            case ANTI_AFFINITY -> ownAntiAffinity;
            case EXISTING_ANTI_AFFINITY -> existingAntiAffinity;
        };
    }

    @Override
    public Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible) {
        if (ignorePreferredOfOthers && !PodAffinityTerms.hasPreferences(context.pod())) {
            return Status.SKIP;
        }
        PreferredPodAffinity preferred =
                new PreferredPodAffinity(terms(context), context.cluster(), requiredWeight, false);
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
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        PreferredPodAffinity preferred = state.find(scoreKey);
        return ScoreReads.of(
                null, Reduction.OTHER, (index, slots, count, scores) -> scoreSlots(preferred, slots, count, scores));
    }

    private boolean scoreSlots(@Nullable PreferredPodAffinity preferred, int[] slots, int count, long[] scores) {
        if (preferred == null || !preferred.scoreSlots(slots, count, scores)) {
            return false;
        }
        PreferredPodAffinity.normalize(scores, count, !trueRange);
        return true;
    }

    @Override
    public Status normalizeScores(CycleState state, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        PreferredPodAffinity.normalize(scores, scores.length, !trueRange);
        return Status.SUCCESS;
    }

    /**
     * The changes that may help pods that InterPodAffinity has rejected. Mirrors the {@code EventsToRegister} of the plugin, but
     * misses no change: a hint does not have the labels of namespaces, so a namespace selector counts as matching any namespace,
     * and the terms of a deleted pod count as well as those of the waiting pod. Release 1.34 does not requeue pods in these two
     * cases.
     */
    static final class Hints {
        private Hints() {}

        /**
         * Adds all updates of assigned pods that a required affinity term matches. Mirrors
         * {@code getUnschedulablePodsWithMatchingAffinityTerm} of {@code pkg/scheduler/internal/queue/scheduling_queue.go} of 1.30.
         */
        static List<EventHint> withUpdates(List<EventHint> hints) {
            Hint isSelected = (pod, event) -> event.old() != null
                    && event.now() instanceof PodInfo now
                    && isSelectedByAny(affinityTerms(pod), pod, now);
            return Stream.concat(hints.stream(), Stream.of(new EventHint(POD, EventAction.ALL, isSelected)))
                    .toList();
        }

        static List<EventHint> all() {
            return List.of(
                    EventHint.of(Hints::ofPod, POD, ADD, UPDATE_POD_LABEL, DELETE),
                    EventHint.of(Hints::ofNode, NODE, ADD, UPDATE_NODE_LABEL, DELETE));
        }

        private static List<PodAffinityTerm> affinityTerms(PodInfo pod) {
            return PodAffinityTerms.required(pod.affinity().podAffinity());
        }

        private static List<PodAffinityTerm> antiAffinityTerms(PodInfo pod) {
            return PodAffinityTerms.required(pod.affinity().podAntiAffinity());
        }

        private static boolean ofPod(PodInfo pod, ObjectEvent event) {
            if (event.isAbout(pod)) {
                // The pod's own labels are matched by the terms of other pods, and by its own terms if no other pod
                // matches them.
                return true;
            }
            PodInfo old = event.old() instanceof PodInfo before && counted(before) ? before : null;
            PodInfo now = event.now() instanceof PodInfo after && counted(after) ? after : null;
            if (now != null && old == null) {
                return isSelectedByAll(affinityTerms(pod), pod, now);
            }
            if (old != null && now == null) {
                return isFirstOfSeries(pod, old)
                        || isSelectedByAny(antiAffinityTerms(pod), pod, old)
                        || isSelectedByAny(antiAffinityTerms(old), old, pod);
            }
            if (old == null || now == null) {
                return false;
            }
            boolean wasSelected = isSelectedByAll(affinityTerms(pod), pod, old);
            boolean isSelected = isSelectedByAll(affinityTerms(pod), pod, now);
            return (isSelected && !wasSelected)
                    || (!isSelected && isFirstOfSeries(pod, old))
                    || antiAffinityTerms(pod).stream()
                            .anyMatch(term -> isSelected(term, pod, old) && !isSelected(term, pod, now));
        }

        /** Returns true for a pod that matches its own terms, and may run anywhere once no other pod matches them. */
        private static boolean isFirstOfSeries(PodInfo pod, PodInfo gone) {
            return isSelectedByAll(affinityTerms(pod), pod, gone) && isSelectedByAll(affinityTerms(pod), pod, pod);
        }

        /** Whether the pod is on a node and not deleted, so that filters count it. */
        private static boolean counted(PodInfo pod) {
            return !pod.nodeName().isEmpty() || !pod.nominatedNodeName().isEmpty();
        }

        /** Whether all terms of {@code owner} match or may match {@code other}; false without terms. */
        private static boolean isSelectedByAll(List<PodAffinityTerm> terms, PodInfo owner, PodInfo other) {
            return !terms.isEmpty() && terms.stream().allMatch(term -> isSelected(term, owner, other));
        }

        private static boolean isSelectedByAny(List<PodAffinityTerm> terms, PodInfo owner, PodInfo other) {
            return terms.stream().anyMatch(term -> isSelected(term, owner, other));
        }

        /** Returns true if the term matches the pod, or may match it because it selects namespaces by label. */
        private static boolean isSelected(PodAffinityTerm term, PodInfo owner, PodInfo other) {
            boolean inNamespace = term.namespaceSelector() != null
                    || (term.namespaces().isEmpty()
                            ? owner.namespace().equals(other.namespace())
                            : term.namespaces().contains(other.namespace()));
            LabelSelector selector = term.selector();
            return inNamespace && selector != null && selector.matches(other.labels());
        }

        private static boolean ofNode(PodInfo pod, ObjectEvent event) {
            if (event.old() != null) {
                // Deleting a node removes its pods from a topology domain, which the terms of any pod may concern.
                return true;
            }
            Labels labels = event.node().labels();
            return affinityTerms(pod).isEmpty()
                    || affinityTerms(pod).stream().anyMatch(term -> labels.has(term.topologyKey()));
        }
    }
}
