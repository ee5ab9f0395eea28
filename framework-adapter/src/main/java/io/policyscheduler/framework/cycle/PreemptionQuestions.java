package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.Preemption.CandidateReview;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.engine.preemption.Room;
import io.policyscheduler.framework.extender.Extenders.FilterOutcome;
import io.policyscheduler.framework.extender.Extenders.PreemptRules;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the plugins of a cycle say about pods for which no node is free: against which nodes, and whose going would help. */
public final class PreemptionQuestions {
    /** Rules of 1.17, which plugins of current releases do not ask. */
    private static final Preemption BY_PROFILE = new Preemption(true, true);

    private final SchedulingCycle cycle;
    private @Nullable RuledOut ruledOut;
    private @Nullable Attempt last;

    /** The attempt for which preemption may be needed now: its plugins have run PreFilter and Filter, and do not run them again. */
    private record Attempt(PodInfo pod, FilterRun filters, long generation) {
        boolean isOf(PodInfo other, long now) {
            return pod.isSame(other) && pod.spec().equals(other.spec()) && generation == now;
        }
    }

    /** Nodes for which extenders have said in the last attempt, about this pod, that preemption would not help. */
    private record RuledOut(String uid, Map<String, List<String>> reasons, Set<String> nodes) {}

    PreemptionQuestions(SchedulingCycle cycle) {
        this.cycle = cycle;
    }

    /** An attempt begins; what extenders have said in the one before does not count any more. */
    void forget() {
        ruledOut = null;
        last = null;
    }

    /** The scheduling cycle has run PreFilter for a pod. */
    void attempted(PodInfo pod, FilterRun filters) {
        last = new Attempt(pod, filters, cycle.cluster.generation());
    }

    /** Extenders have been asked about the pod. */
    void ruledOut(PodInfo pod, FilterOutcome outcome) {
        ruledOut = new RuledOut(pod.uid(), outcome.reasons(), outcome.unresolvable());
    }

    /**
     * What the plugins have against each node, for preemption after an attempt in which no node fitted. Extenders are not asked
     * again: what they reject remains a candidate.
     *
     * @return null when preemption has nothing to go on: an error, or a node that would fit by now
     */
    public @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        FilterRun filters = begin(pod);
        return filters == null ? null : failures(pod, nominated, filters);
    }

    /** Continues the attempt for the pod, or begins one; null when there is something wrong with the pod. */
    private @Nullable FilterRun begin(PodInfo pod) {
        Attempt attempt = last;
        if (attempt != null && attempt.isOf(pod, cycle.cluster.generation())) {
            return attempt.filters();
        }
        if (cycle.profile.rules().objection(pod, cycle.cluster) != null) {
            return null;
        }
        cycle.profile.rules().startCycle(cycle.cluster);
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

    /** Extenders are not asked again, but where they have said that preemption would not help, it is not tried. */
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
     * What preemption does for a pod after an attempt in which no node fitted; changes nothing.
     *
     * @param rules those of 1.17, the same object each time; a profile of current plugins has its own
     */
    public Room makeRoom(PodInfo pod, NominatedPods nominated, Preemption rules) {
        FilterRun filters = begin(pod);
        if (filters == null) {
            return Room.NOTHING;
        }
        ResultCache kept = cycle.kept(filters.context());
        Room room = kept == null ? null : new MakingRoom(cycle, filters, pod, nominated, rules).find(kept);
        if (room != null) {
            return room;
        }
        Map<String, NodeFailure> failures = failures(pod, nominated, filters);
        return failures == null ? Room.NOTHING : Room.of(preempt(pod, nominated, failures, rules));
    }

    /**
     * What preemption would do after an evaluation said that no node fits.
     *
     * @param preemption the rules of 1.17; a profile of current plugins has its own
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
                .preempt(
                        preemption,
                        pod,
                        cycle.cluster,
                        nominated,
                        failures,
                        node -> FilterTrial.of(filters, node, nominated),
                        review);
    }

    /**
     * What the post-filter plugins add to the message of a pod that fits nowhere, in releases that make room before they tell of
     * the pod; changes nothing.
     *
     * @return empty when some node fits, when they have nothing to say, and by the rules of 1.17
     */
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        if (!cycle.profile.rules().makesRoomBeforeTelling()) {
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

    /** Whether the pod would fit on the node if all pods of lower priority were gone; false when there is no such node. */
    public boolean mayFit(PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cycle.cluster.node(name);
        if (node == null) {
            return false;
        }
        FilterRun filters = filters(pod);
        return filters.preFilters().error() == null
                && Preemption.mayFit(pod, node, FilterTrial.of(filters, node, nominated));
    }

    private FilterRun filters(PodInfo pod) {
        Attempt attempt = last;
        if (attempt != null && attempt.isOf(pod, cycle.cluster.generation())) {
            return attempt.filters();
        }
        return FilterRun.start(cycle.profile, PodContext.of(pod, cycle.cluster), cycle.newState());
    }
}
