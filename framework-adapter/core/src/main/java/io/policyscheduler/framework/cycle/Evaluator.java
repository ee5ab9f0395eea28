package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodPreemption;
import io.policyscheduler.engine.placement.PodPreemption.NodeTrial;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.Preemption.CandidateReview;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.framework.cycle.Extenders.FilterOutcome;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import io.policyscheduler.framework.cycle.FilterRun.FilterBasis;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.PluginRegistry.PluginFailures;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.resultcache.ResultCache;
import io.policyscheduler.framework.resultcache.VictimCache;
import io.policyscheduler.framework.resultcache.VictimCache.CachedVictims;
import io.policyscheduler.framework.resultcache.VictimCache.EvictionResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Preemption for pods without a feasible node: the rejections of each node, and the victims whose removal makes a node feasible.
 * Mirrors {@code preemption.Evaluator}.
 */
public final class Evaluator {
    /** The rules of 1.17; plugins of later releases do not use them. */
    private static final Preemption BY_PROFILE = new Preemption(true, true);

    private final SchedulingCycle cycle;
    private @Nullable RuledOut ruledOut;
    private @Nullable Attempt last;

    /** The attempt that preemption may continue: its plugins have run PreFilter and Filter, and do not run them again. */
    private record Attempt(PodInfo pod, FilterRun filters, long generation) {
        boolean isOf(PodInfo other, long now) {
            return pod.isSame(other) && pod.spec().equals(other.spec()) && generation == now;
        }
    }

    /** Nodes for which extenders reported in the last attempt of this pod that preemption does not help. */
    private record RuledOut(String uid, Map<String, List<String>> reasons, Set<String> nodes) {}

    Evaluator(SchedulingCycle cycle) {
        this.cycle = cycle;
    }

    /** Discards the extender results of the previous attempt when an attempt begins. */
    void forget() {
        ruledOut = null;
        last = null;
    }

    /** Records that the scheduling cycle has run PreFilter for a pod. */
    void attempted(PodInfo pod, FilterRun filters) {
        last = new Attempt(pod, filters, cycle.cluster.generation());
    }

    /** Records the result of extenders for a pod. */
    void ruledOut(PodInfo pod, FilterOutcome outcome) {
        ruledOut = new RuledOut(pod.uid(), outcome.reasons(), outcome.unresolvable());
    }

    /**
     * The rejection of each node by plugins, for preemption after an attempt without a feasible node. Extenders are not called
     * again: nodes that they rejected remain candidates.
     *
     * @return null if preemption is not possible: an error, or a node that is feasible by now
     */
    public @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        FilterRun filters = begin(pod);
        return filters == null ? null : failures(pod, nominated, filters);
    }

    /** Continues the attempt of the pod, or begins one; null if PreFilter fails for the pod. */
    private @Nullable FilterRun begin(PodInfo pod) {
        Attempt attempt = last;
        if (attempt != null && attempt.isOf(pod, cycle.cluster.generation())) {
            return attempt.filters();
        }
        if (cycle.profile.rules().objection(pod, cycle.cluster) != null) {
            return null;
        }
        cycle.profile.startCycle(cycle.cluster);
        return filters(pod);
    }

    private @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated, FilterRun filters) {
        EvaluationReport report = new EvaluationReport(cycle, pod, nominated, false);
        boolean failed = filters.preFilters().error() != null
                || report.filter(filters.context(), filters, cycle.cluster.nodes()) != null;
        if (failed || (!report.feasible().isEmpty() && cycle.extenders.isEmpty())) {
            return null;
        }
        return withRuledOut(pod, report.failures());
    }

    /** Adds the nodes for which extenders reported that preemption does not help. */
    private Map<String, NodeFailure> withRuledOut(PodInfo pod, Map<String, NodeFailure> failures) {
        RuledOut known = ruledOut;
        if (known == null || !known.uid().equals(pod.uid()) || known.nodes().isEmpty()) {
            return failures;
        }
        Map<String, NodeFailure> all = new LinkedHashMap<>(failures);
        for (String node : known.nodes()) {
            all.putIfAbsent(node, new NodeFailure(known.reasons().getOrDefault(node, List.of()), true, null));
        }
        return all;
    }

    /**
     * The preemption plan for a pod after an attempt without a feasible node; changes nothing.
     *
     * @param rules those of 1.17, always the same object; profiles of later releases have their own
     */
    public PreemptionPlan preempt(PodInfo pod, NominatedPods nominated, Preemption rules) {
        FilterRun filters = begin(pod);
        if (filters == null) {
            return PreemptionPlan.NOTHING;
        }
        ResultCache cache = cycle.cache(filters.context());
        PreemptionPlan plan =
                cache == null ? null : new CachedEvaluator(cycle, filters, pod, nominated, rules).find(cache);
        if (plan != null) {
            return plan;
        }
        Map<String, NodeFailure> failures = failures(pod, nominated, filters);
        return failures == null ? PreemptionPlan.NOTHING : PreemptionPlan.of(preempt(pod, nominated, failures, rules));
    }

    /**
     * The result of preemption after an evaluation without a feasible node.
     *
     * @param preemption the rules of 1.17; profiles of later releases have their own
     */
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Map<String, NodeFailure> failures, Preemption preemption) {
        FilterRun filters = filters(pod);
        PreemptRules rules = cycle.profile.rules().waitsForEvents() ? PreemptRules.CURRENT : PreemptRules.V1_17;
        CandidateReview review = cycle.extenders.isEmpty()
                ? CandidateReview.NONE
                : candidates -> cycle.extenders.preempt(pod, candidates, cycle.cluster, rules);
        return cycle.profile
                .rules()
                .preemption(preemption)
                .forPod(pod, cycle.cluster, nominated)
                .decide(tried(failures, filters), node -> FilterTrial.of(filters, node, nominated), review);
    }

    /** Removes nodes that PreFilter excludes, in releases that do not try them. */
    private Map<String, NodeFailure> tried(Map<String, NodeFailure> failures, FilterRun filters) {
        Set<String> named = filters.preFilters().nodes();
        if (named == null || !cycle.profile.rules().triesExcludedNodes()) {
            return failures;
        }
        Map<String, NodeFailure> tried = new LinkedHashMap<>(failures);
        // A nominated node outside of them was evaluated, so a plugin has rejected it.
        tried.entrySet()
                .removeIf(entry ->
                        !named.contains(entry.getKey()) && entry.getValue().plugin() == null);
        return tried;
    }

    /**
     * The text that post-filter plugins add to the message of an unschedulable pod, in releases that preempt before they report;
     * changes nothing.
     *
     * @return empty if a node is feasible, if the plugins return no text, and with the rules of 1.17
     */
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        if (!cycle.profile.rules().preemptsBeforeCondition()) {
            return "";
        }
        CycleState state = cycle.newState();
        Evaluation evaluation = cycle.evaluate(pod, nominated, state);
        if (!evaluation.fitError()) {
            return "";
        }
        return PostFilters.run(
                cycle.profile,
                state,
                pod,
                evaluation::failures,
                () -> PostFilters.statusOf(preempt(pod, nominated, evaluation.failures(), BY_PROFILE)));
    }

    /** Whether the pod would fit on the node without all pods of lower priority; false if there is no such node. */
    public boolean mayFit(PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cycle.cluster.node(name);
        if (node == null) {
            return false;
        }
        FilterRun filters = filters(pod);
        return filters.preFilters().error() == null
                && PodPreemption.mayFit(pod, node, FilterTrial.of(filters, node, nominated));
    }

    private FilterRun filters(PodInfo pod) {
        Attempt attempt = last;
        if (attempt != null && attempt.isOf(pod, cycle.cluster.generation())) {
            return attempt.filters();
        }
        return FilterRun.start(cycle.profile, PodContext.of(pod, cycle.cluster), cycle.newState());
    }

    /** A preemption trial with filter plugins on copies of node and state. */
    static final class FilterTrial implements NodeTrial {
        private final FilterRun filters;
        private final NodeInfo node;
        private final NominatedPods nominated;
        private String error = "";

        private FilterTrial(FilterRun filters, NodeInfo node, NominatedPods nominated) {
            this.filters = filters;
            this.node = node;
            this.nominated = nominated;
        }

        /** A trial of the pod of these filters on a copy of the node and of their state. */
        static FilterTrial of(FilterRun filters, NodeInfo node, NominatedPods nominated) {
            return new FilterTrial(filters.copy(false), node.copy(), nominated);
        }

        @Override
        public boolean remove(PodInfo pod) {
            if (node.removePod(pod) == null) {
                error = "no corresponding pod " + pod.name() + " in pods of node " + node.name();
                return false;
            }
            return succeeded(filters.removePod(pod, node));
        }

        @Override
        public boolean add(PodInfo pod) {
            node.addPod(pod);
            return succeeded(filters.addPod(pod, node));
        }

        private boolean succeeded(@Nullable String problem) {
            if (problem != null) {
                error = problem;
            }
            return problem == null;
        }

        @Override
        public @Nullable Misfit check() {
            NodeStatus status = filters.check(node, nominated);
            return status == null
                    ? null
                    : new Misfit(status.status().reasons(), !status.status().isRejected());
        }

        @Override
        public String error() {
            return error;
        }
    }

    /**
     * Preemption for one pod with the result cache: if all filters read one node only, victims are searched only on nodes that have
     * changed since the last equivalent pod. Selects the same node as {@link Evaluator#preempt}, to which it delegates unsupported
     * cases.
     */
    static final class CachedEvaluator {
        /** The cache key: pods with equal bases have the same victims on the same node. */
        private record Basis(Preemption rules, int priority, List<FilterBasis> filters) {}

        private final SchedulingCycle cycle;
        private final ClusterState cluster;
        private final FilterRun filters;
        private final PodInfo pod;
        private final NominatedPods nominated;
        private final Preemption rules;
        private final PodPreemption preemption;
        private final boolean sharesMetadata;

        /**
         * @param filters of an attempt that has begun
         * @param rules those of 1.17
         */
        CachedEvaluator(
                SchedulingCycle cycle, FilterRun filters, PodInfo pod, NominatedPods nominated, Preemption rules) {
            this.cycle = cycle;
            this.cluster = cycle.cluster;
            this.filters = filters;
            this.pod = pod;
            this.nominated = nominated;
            this.rules = rules;
            this.preemption = cycle.profile.rules().preemption(rules).forPod(pod, cluster, nominated);
            this.sharesMetadata = cycle.profile.rules().sharesMetadata();
        }

        /** The plan; null if the caller has to evaluate the nodes. */
        @Nullable
        PreemptionPlan find(ResultCache cache) {
            PreFilterRun before = filters.preFilters();
            if (before.error() != null || before.rejection() != null || before.nodes() != null) {
                return null;
            }
            VictimCache evictions = cache.evictions();
            if (sharesMetadata && evictions.hasNameOf(pod)) {
                // With the rules of 1.17, a trial cannot remove it.
                return null;
            }
            List<FilterBasis> bases = bases();
            Map<Integer, List<PodInfo>> nominees = bases == null ? null : nominees(cache, bases.size());
            if (bases == null || nominees == null) {
                return null;
            }
            CachedVictims column =
                    evictions.column(cluster, new Basis(rules, pod.priority(), bases), nominees, this::evaluate);
            if (column.count(EvictionResult.Kind.ODD) > 0) {
                return null;
            }
            return column.count(EvictionResult.Kind.FITS) > 0 ? PreemptionPlan.NOTHING : choose(column);
        }

        private @Nullable List<FilterBasis> bases() {
            try {
                return filters.bases();
            } catch (RuntimeException | LinkageError e) {
                cycle.fellBack(pod, e);
                return null;
            }
        }

        /** The pods that trials count on their nominated nodes, by slot; null if the result depends on other nodes. */
        private @Nullable Map<Integer, List<PodInfo>> nominees(ResultCache cache, int evaluatedFilters) {
            if (nominated.isEmpty()) {
                return Map.of();
            }
            Collection<String> nodes = nominated.nodes();
            if (nodes == null) {
                return null;
            }
            Map<Integer, List<PodInfo>> nominees = new HashMap<>();
            for (String name : nodes) {
                NodeInfo node = cluster.node(name);
                int slot = node == null ? NodeInfo.NO_SLOT : cache.index().ownSlotOf(node);
                if (slot < 0) {
                    continue;
                }
                List<PodInfo> counted = new ArrayList<>();
                for (PodInfo other : nominated.on(name)) {
                    if (other.priority() < pod.priority() || other.isSame(pod)) {
                        continue;
                    }
                    boolean passes = evaluatedFilters == filters.active().length || !other.hasPodAffinity();
                    if (!passes || (sharesMetadata && isNamesake(other))) {
                        return null;
                    }
                    counted.add(other);
                }
                if (!counted.isEmpty()) {
                    nominees.put(slot, counted);
                }
            }
            return nominees;
        }

        private boolean isNamesake(PodInfo other) {
            return other.name().equals(pod.name()) && other.namespace().equals(pod.namespace());
        }

        private EvictionResult evaluate(NodeInfo node) {
            NodeStatus status = filters.checkOnce(node, nominated);
            if (status == null) {
                return EvictionResult.FITS;
            }
            if (!status.status().isRejected()) {
                return EvictionResult.ODD;
            }
            return status.toFailure().unresolvable()
                    ? EvictionResult.HOPELESS
                    : EvictionResult.of(preemption.search(node, FilterTrial.of(filters, node, nominated)));
        }

        private @Nullable PreemptionPlan choose(CachedVictims column) {
            PreemptionPlan objection = preemption.objection(
                    node -> column.at(node).kind() == EvictionResult.Kind.HOPELESS,
                    node -> FilterTrial.of(filters, node, nominated));
            if (objection != null) {
                return objection;
            }
            NodeInfo cheapest = column.cheapest();
            if (cheapest != null) {
                List<PodInfo> lower = nominated.on(cheapest.name()).stream()
                        .filter(other -> other.priority() < pod.priority())
                        .toList();
                return new PreemptionPlan(
                        cheapest.name(), column.victims(cheapest).pods(), lower, false, "", null);
            }
            Map<NodeTrial.Misfit, Integer> misfits = column.misfits();
            return misfits.keySet().stream().anyMatch(NodeTrial.Misfit::error)
                    ? null
                    : preemption.withoutCandidates(misfits);
        }
    }

    /** Runs the post-filter plugins of a profile for an unschedulable pod. Mirrors {@code RunPostFilterPlugins}. */
    public static final class PostFilters {
        private PostFilters() {}

        /** Appends the text of post-filter plugins to a message. */
        public static String withText(String message, String more) {
            return more.isEmpty() ? message : message + " " + more;
        }

        /** The status of a preemption result. */
        public static Status statusOf(PreemptionResult result) {
            return statusOf(PreemptionPlan.of(result));
        }

        /** The status of a preemption plan. */
        public static Status statusOf(PreemptionPlan plan) {
            if (plan.error() != null) {
                return Status.error(plan.error());
            }
            return plan.message().isEmpty() ? Status.SUCCESS : Status.unschedulable(plan.message());
        }

        /**
         * Runs the plugins until one returns success, an error, or UnschedulableAndUnresolvable.
         *
         * @param state of the failed attempt
         * @param failures the rejection of each node, computed when a plugin first reads it; null if unknown
         * @return the text of that plugin, empty after a success; the texts of all plugins if all reject. In the format of the release
         */
        public static String run(
                Profile profile,
                CycleState state,
                PodInfo pod,
                Supplier<@Nullable Map<String, NodeFailure>> failures,
                PostFilterPlugin.Services services) {
            @Nullable Map<String, NodeFailure> known = null;
            List<String> messages = new ArrayList<>();
            for (PostFilterPlugin plugin : profile.postFilters()) {
                if (known == null && plugin.wantsFailures()) {
                    known = failures.get();
                }
                Map<String, NodeFailure> given = known == null ? Map.of() : known;
                Status status = PluginFailures.call(plugin, () -> plugin.postFilter(state, pod, given, services));
                if (!status.isRejected() || status.code() == Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                    return profile.rules().afterwards(status.message());
                }
                messages.addAll(status.reasons());
            }
            return profile.rules().afterwards(String.join(", ", messages));
        }
    }
}
