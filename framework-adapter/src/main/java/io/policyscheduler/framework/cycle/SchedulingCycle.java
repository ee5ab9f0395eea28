package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.CandidateReview;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.extender.FilterOutcome;
import io.policyscheduler.framework.extender.PreemptRules;
import io.policyscheduler.framework.kept.KeptNodes;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides pods with the plugins of one profile. {@link #decide} is the fast path of the running scheduler; {@link #evaluate}
 * looks at every node and reports everything. Mirrors {@code Schedule} of {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class SchedulingCycle implements PodDecider {
    /** Rules of 1.17, which plugins of current releases do not ask. */
    private static final Preemption BY_PROFILE = new Preemption(true, true);

    final Profile profile;
    final ClusterState cluster;
    final NodeSampling sampling;
    final TieBreak tieBreak;
    final Extenders extenders;
    final boolean keepsTotals;
    final BoundedScores outOfRange;
    final AttemptListener attempts;
    private final @Nullable ScoreNotes scoreNotes;
    private final DecisionPath path;
    private @Nullable RuledOut ruledOut;
    private @Nullable KeptNodes kept;

    /** Nodes for which extenders have said in the last attempt, about this pod, that preemption would not help. */
    private record RuledOut(String uid, Map<String, List<String>> reasons, Set<String> nodes) {}

    /**
     * @param percentageOfNodesToScore 0 adapts to the size of the cluster as v1.17 does, 100 looks at all nodes
     * @param tieBreak chooses among equally good nodes
     */
    public SchedulingCycle(Profile profile, ClusterState cluster, int percentageOfNodesToScore, TieBreak tieBreak) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, Extenders.NONE);
    }

    /** The same with extenders, which are asked while a pod is being decided. */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, extenders, BoundedScores.UNHEARD);
    }

    /**
     * The same with an ear for scores out of range.
     *
     * @param outOfRange is told by {@link #decide} only
     */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders,
            BoundedScores outOfRange) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, extenders, outOfRange, AttemptListener.UNHEARD);
    }

    /**
     * The same with an ear for what each attempt has seen.
     *
     * @param attempts is told by {@link #decide} only
     */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders,
            BoundedScores outOfRange,
            AttemptListener attempts) {
        this(profile, cluster, percentageOfNodesToScore, tieBreak, extenders, outOfRange, attempts, new SearchStart());
    }

    /**
     * The same where the next search over the nodes starts where the last one has ended, whoever made it.
     *
     * @param start shared by all profiles of a scheduler
     */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders,
            BoundedScores outOfRange,
            AttemptListener attempts,
            SearchStart start) {
        this(
                profile,
                cluster,
                percentageOfNodesToScore,
                tieBreak,
                extenders,
                outOfRange,
                attempts,
                start,
                DecisionPath.KEPT);
    }

    /**
     * The same on a path of choice.
     *
     * @param path taken by {@link #decide} only; {@link #evaluate} asks every plugin about every node
     */
    public SchedulingCycle(
            Profile profile,
            ClusterState cluster,
            int percentageOfNodesToScore,
            TieBreak tieBreak,
            Extenders extenders,
            BoundedScores outOfRange,
            AttemptListener attempts,
            SearchStart start,
            DecisionPath path) {
        this.attempts = attempts;
        this.scoreNotes = attempts.wantsDetails() ? new ScoreNotes() : null;
        this.outOfRange = outOfRange;
        this.profile = profile;
        this.cluster = cluster;
        this.sampling = new NodeSampling(percentageOfNodesToScore, start);
        this.tieBreak = tieBreak;
        this.extenders = extenders;
        this.path = extenders.isEmpty() && !profile.scoresNothing() ? path : DecisionPath.PLAIN;
        this.keepsTotals = QuickScore.isFor(profile);
    }

    @Override
    public CycleState newState() {
        return profile.stateKeys().newState();
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        if (scoreNotes == null) {
            Decision decision = attempt(new DecisionReport(this, pod, nominated, null), pod, state, null);
            attempts.entered(AttemptPhase.DECIDED);
            return decision;
        }
        AttemptNotes notes = new AttemptNotes(scoreNotes);
        Decision decision = attempt(new DecisionReport(this, pod, nominated, notes), pod, state, null);
        attempts.entered(AttemptPhase.DECIDED);
        attempts.attempted(pod, notes.details(cluster.nodes().size()));
        return decision;
    }

    /** Looks at every node and reports everything; changes nothing, not even where the next walk starts. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        return evaluate(pod, nominated, newState());
    }

    /** The same with a state from {@link #newState()}, in which the plugins leave what later steps need. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, CycleState state) {
        return attempt(new EvaluationReport(this, pod, nominated), pod, state, null);
    }

    /** The same for some of the nodes only; others are taken into account as the plugins do, but not reported. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes) {
        return attempt(new EvaluationReport(this, pod, nominated), pod, newState(), nodes);
    }

    /**
     * Where {@link #evaluate} would place the pod; changes nothing either.
     *
     * @param keeps whether to go by what is known from pods like it, and to keep what is found out for them
     */
    public Ranking rank(PodInfo pod, NominatedPods nominated, boolean keeps) {
        // What extenders are asked hangs on what they are shown.
        return extenders.isEmpty()
                ? attempt(new RankingReport(this, pod, nominated, keeps), pod, newState(), null)
                : Ranking.of(evaluate(pod, nominated));
    }

    /** @param only the nodes to look at; null for all */
    private <R> R attempt(AttemptReport<R> report, PodInfo pod, CycleState state, @Nullable List<NodeInfo> only) {
        String problem = profile.rules().objection(pod, cluster);
        if (problem != null) {
            return report.failed(problem);
        }
        profile.rules().startCycle(cluster);
        ruledOut = null;
        List<NodeInfo> nodes = only == null ? cluster.nodes() : only;
        if (only == null && nodes.isEmpty()) {
            return report.noNodes();
        }
        PodContext context = PodContext.of(pod, cluster);
        FilterRun filters = FilterRun.start(profile, context, state);
        problem = filters.preFilters().error();
        if (problem == null) {
            problem = report.filter(context, filters, nodes);
        }
        if (problem != null) {
            return report.failed(problem);
        }
        if (filters.preFilters().rejection() != null) {
            return report.rejected(filters.preFilters(), nodes.size());
        }
        List<NodeInfo> feasible = report.feasible();
        if (!feasible.isEmpty() && !extenders.isEmpty() && report.asksExtenders()) {
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster, isCurrent());
            problem = outcome.error();
            if (problem != null) {
                return report.failed(problem);
            }
            feasible = outcome.feasible();
            outcome.reasons().forEach(report::rejectedByExtender);
            ruledOut = new RuledOut(pod.uid(), outcome.reasons(), outcome.unresolvable());
        }
        return feasible.isEmpty() ? report.unfit(nodes.size()) : report.fit(context, filters, feasible);
    }

    /**
     * What the plugins have against each node, for preemption after an attempt in which no node fitted. Extenders are not asked
     * again: what they reject remains a candidate.
     *
     * @return null when preemption has nothing to go on: an error, or a node that would fit by now
     */
    @Override
    public @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        if (profile.rules().objection(pod, cluster) != null) {
            return null;
        }
        profile.rules().startCycle(cluster);
        PodContext context = PodContext.of(pod, cluster);
        FilterRun filters = FilterRun.start(profile, context, newState());
        EvaluationReport report = new EvaluationReport(this, pod, nominated);
        boolean failed =
                filters.preFilters().error() != null || report.filter(context, filters, cluster.nodes()) != null;
        if (failed || (!report.feasible().isEmpty() && extenders.isEmpty())) {
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

    /** What is kept about the nodes; null when this attempt has to ask about each. */
    @Nullable
    KeptNodes kept(PodContext context) {
        ClusterIndex index = path == DecisionPath.PLAIN ? null : cluster.index();
        if (index == null || !context.metadataAvailable()) {
            // Without the shared metadata of v1.17 some algorithms answer otherwise.
            return null;
        }
        if (kept == null) {
            kept = new KeptNodes(
                    index, profile.filters().size(), profile.scores().size());
        }
        return kept;
    }

    private boolean isCurrent() {
        return profile.rules().waitsForEvents();
    }

    private FilterRun filters(PodInfo pod) {
        return FilterRun.start(profile, PodContext.of(pod, cluster), newState());
    }

    /**
     * What preemption would do after an evaluation said that no node fits.
     *
     * @param preemption the rules of 1.17; a profile of current plugins has its own
     */
    public PreemptionResult preempt(
            PodInfo pod, NominatedPods nominated, Map<String, NodeFailure> failures, Preemption preemption) {
        FilterRun filters = filters(pod);
        PreemptRules rules = isCurrent() ? PreemptRules.CURRENT : PreemptRules.V1_17;
        CandidateReview review = extenders.isEmpty()
                ? CandidateReview.NONE
                : candidates -> extenders.preempt(pod, candidates, cluster, rules);
        return profile.rules()
                .preempt(
                        preemption, pod, cluster, nominated, failures, node -> trial(filters, node, nominated), review);
    }

    /**
     * What the post-filter plugins add to the message of a pod that fits nowhere, in releases that make room before they tell of
     * the pod; changes nothing.
     *
     * @return empty when some node fits, when they have nothing to say, and by the rules of 1.17
     */
    public String postFilterText(PodInfo pod, NominatedPods nominated) {
        if (!profile.rules().makesRoomBeforeTelling()) {
            return "";
        }
        CycleState state = newState();
        Evaluation evaluation = evaluate(pod, nominated, state);
        if (!evaluation.fitError()) {
            return "";
        }
        return PostFilters.run(
                profile,
                state,
                pod,
                evaluation::failures,
                () -> statusOf(preempt(pod, nominated, evaluation.failures(), BY_PROFILE)));
    }

    /** Whether the pod would fit on the node if all pods of lower priority were gone; false when there is no such node. */
    public boolean mayFit(PodInfo pod, NominatedPods nominated, String name) {
        NodeInfo node = cluster.node(name);
        if (node == null) {
            return false;
        }
        FilterRun filters = filters(pod);
        return filters.preFilters().error() == null && Preemption.mayFit(pod, node, trial(filters, node, nominated));
    }

    private static FilterTrial trial(FilterRun filters, NodeInfo node, NominatedPods nominated) {
        return new FilterTrial(filters.copy(false), node.copy(), nominated);
    }

    /** The message with what the post-filter plugins add to it. */
    public static String withPostFilterText(String message, String more) {
        return more.isEmpty() ? message : message + " " + more;
    }

    /** What a post-filter plugin is told about preemption. */
    public static Status statusOf(PreemptionResult result) {
        if (result.error() != null) {
            return Status.error(result.error());
        }
        return result.message().isEmpty() ? Status.SUCCESS : Status.unschedulable(result.message());
    }
}
