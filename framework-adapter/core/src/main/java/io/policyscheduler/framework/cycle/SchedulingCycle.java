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
import io.policyscheduler.framework.cycle.AttemptDetails.AttemptNotes;
import io.policyscheduler.framework.cycle.AttemptListener.BoundedScores;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.DecisionVerification.Sample;
import io.policyscheduler.framework.cycle.Extenders.FilterOutcome;
import io.policyscheduler.framework.cycle.Extenders.FilterRules;
import io.policyscheduler.framework.cycle.NodeSampling.SearchStart;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.resultcache.ResultCache;
import io.policyscheduler.framework.resultcache.ResultCache.KeptSize;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides pods with the plugins of one profile. {@link #decide} is the fast path of the running scheduler; {@link #evaluate}
 * looks at every node and reports everything. Mirrors {@code Schedule} of {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class SchedulingCycle implements PodDecider {
    private static final Logger log = LoggerFactory.getLogger(SchedulingCycle.class);

    final Profile profile;
    final ClusterState cluster;
    final NodeSampling sampling;
    final TieBreak tieBreak;
    final Extenders extenders;
    final boolean keepsTotals;
    final BoundedScores outOfRange;
    final AttemptListener attempts;
    final FilterRules ofExtenders;
    private final @Nullable ScoreRecorder scoreNotes;
    private final DecisionPath path;
    private final DecisionReport.Way usual;
    private final Sample sample;
    private final DecisionVerification verification;
    private final Evaluator preemption;
    private final int keptBytes;
    private @Nullable ResultCache kept;
    private long fallbacks;

    private SchedulingCycle(Builder parts) {
        this.profile = parts.profile;
        this.cluster = parts.cluster;
        this.sampling = new NodeSampling(parts.percentageOfNodesToScore, parts.start);
        this.tieBreak = parts.tieBreak;
        this.extenders = parts.extenders;
        this.outOfRange = parts.outOfRange;
        this.attempts = parts.attempts;
        this.ofExtenders = new FilterRules(
                profile.rules().letsExtendersRuleOut(), profile.rules().emptiesNodesOfExtenders());
        this.scoreNotes = attempts.wantsDetails() ? new ScoreRecorder(displayNames(profile)) : null;
        this.path = extenders.isEmpty() && !profile.scoresNothing() ? parts.path : DecisionPath.PLAIN;
        this.keepsTotals = CachedScoreRun.isFor(profile);
        this.usual = new DecisionReport.Way(true, tieBreak, outOfRange, attempts, false);
        this.sample = parts.sample;
        this.keptBytes = parts.keptBytes;
        this.verification = new DecisionVerification(this);
        this.preemption = new Evaluator(this);
    }

    private static Map<String, String> displayNames(Profile profile) {
        Map<String, String> names = new HashMap<>();
        profile.scores().forEach(score -> {
            if (!score.plugin().displayName().equals(score.plugin().name())) {
                names.put(score.plugin().name(), score.plugin().displayName());
            }
        });
        return names;
    }

    /** Looks at all nodes and takes the first by name of the best; asks no extender, and nobody hears of it. */
    public static SchedulingCycle of(Profile profile, ClusterState cluster) {
        return builder(profile, cluster).build();
    }

    /** The same with parts of choice. */
    public static Builder builder(Profile profile, ClusterState cluster) {
        return new Builder(profile, cluster);
    }

    /** The parts of a cycle; those that are not named are those of {@link #of}. */
    public static final class Builder {
        private final Profile profile;
        private final ClusterState cluster;
        private int percentageOfNodesToScore = 100;
        private TieBreak tieBreak = TieBreak.first();
        private Extenders extenders = Extenders.NONE;
        private BoundedScores outOfRange = BoundedScores.UNHEARD;
        private AttemptListener attempts = AttemptListener.UNHEARD;
        private SearchStart start = new SearchStart();
        private DecisionPath path = DecisionPath.KEPT;
        private Sample sample = Sample.none();
        private int keptBytes = ResultCache.USUAL_BYTES;

        private Builder(Profile profile, ClusterState cluster) {
            this.profile = profile;
            this.cluster = cluster;
        }

        /** 0 adapts to the size of the cluster as v1.17 does, 100 looks at all nodes. */
        public Builder percentageOfNodesToScore(int percentage) {
            this.percentageOfNodesToScore = percentage;
            return this;
        }

        /** What chooses among equally good nodes. */
        public Builder tieBreak(TieBreak way) {
            this.tieBreak = way;
            return this;
        }

        /** Asked while a pod is being decided. */
        public Builder extenders(Extenders asked) {
            this.extenders = asked;
            return this;
        }

        /** Told of scores out of range, by {@link #decide} only. */
        public Builder outOfRange(BoundedScores heard) {
            this.outOfRange = heard;
            return this;
        }

        /** Told what each attempt has seen, by {@link #decide} only. */
        public Builder attempts(AttemptListener heard) {
            this.attempts = heard;
            return this;
        }

        /** Where the next search over the nodes starts: where the last one has ended, whoever of those that share it made it. */
        public Builder start(SearchStart shared) {
            this.start = shared;
            return this;
        }

        /**
         * Taken by {@link #decide}, {@link #rank} and {@link #evaluateRanked}; {@link #evaluate} asks every plugin about every node.
         */
        public Builder path(DecisionPath way) {
            this.path = way;
            return this;
        }

        /** How much is kept about nodes at most, of each kind of answers; a few of each are kept all the same. */
        public Builder keptBytes(int most) {
            this.keptBytes = most;
            return this;
        }

        /** Which decisions of {@link #decide} are made on both paths, so that what is kept is found out if it is wrong. */
        public Builder verify(Sample decisions) {
            this.sample = decisions;
            return this;
        }

        /** A cycle of these parts. */
        public SchedulingCycle build() {
            return new SchedulingCycle(this);
        }
    }

    @Override
    public CycleState newState() {
        return profile.stateKeys().newState();
    }

    @Override
    public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        if (path != DecisionPath.PLAIN && sample.takesNext()) {
            return verification.decide(pod, nominated, state);
        }
        AttemptNotes notes = scoreNotes == null ? null : new AttemptNotes(scoreNotes);
        Decision decision = attempt(new DecisionReport(this, pod, nominated, notes, usual), pod, state, null);
        attempts.entered(Phase.DECIDED);
        if (notes != null) {
            attempts.attempted(pod, notes.details(cluster.nodes().size()));
        }
        return decision;
    }

    /** Looks at every node and reports everything; changes nothing, not even where the next walk starts. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        return evaluate(pod, nominated, newState());
    }

    /** The same with a state from {@link #newState()}, in which the plugins leave what later steps need. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, CycleState state) {
        return attempt(new EvaluationReport(this, pod, nominated, false), pod, state, null);
    }

    /** The same where {@link #rank} has just looked at the pod: scores that it has found out are not asked for again. */
    public Evaluation evaluateRanked(PodInfo pod, NominatedPods nominated) {
        return attempt(new EvaluationReport(this, pod, nominated, true), pod, newState(), null);
    }

    /** The same for some of the nodes only; others are taken into account as the plugins do, but not reported. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes) {
        return attempt(new EvaluationReport(this, pod, nominated, false), pod, newState(), nodes);
    }

    /** Where {@link #evaluate} would place the pod; changes nothing either. */
    public Ranking rank(PodInfo pod, NominatedPods nominated) {
        // What extenders are asked hangs on what they are shown.
        return extenders.isEmpty()
                ? attempt(new RankingReport(this, pod, nominated), pod, newState(), null)
                : Ranking.of(evaluate(pod, nominated));
    }

    @Override
    public @Nullable Ranking rankBeside(PodInfo pod, NominatedPods nominated) {
        if (!extenders.isEmpty()) {
            return null;
        }
        String problem = profile.rules().objection(pod, cluster);
        preemption.forget();
        Report<Ranking> report = new RankingReport(this, pod, nominated);
        // The order of the nodes, which the start of a cycle moves on, is that of the other decider's attempt.
        return problem == null ? look(report, pod, newState(), null) : report.failed(problem);
    }

    /** @param only the nodes to look at; null for all */
    private <R> R attempt(Report<R> report, PodInfo pod, CycleState state, @Nullable List<NodeInfo> only) {
        String problem = begin(pod);
        return problem == null ? look(report, pod, state, only) : report.failed(problem);
    }

    /** Begins an attempt, which may move the order of nodes on; null, or what ends it before it looks at anything. */
    @Nullable
    String begin(PodInfo pod) {
        String problem = profile.rules().objection(pod, cluster);
        if (problem == null) {
            profile.rules().startCycle(cluster);
            preemption.forget();
        }
        return problem;
    }

    /** The attempt that has begun; changes nothing but where the next search starts and whose turn it is among equals. */
    <R> R look(Report<R> report, PodInfo pod, CycleState state, @Nullable List<NodeInfo> only) {
        List<NodeInfo> nodes = only == null ? cluster.nodes() : only;
        if (only == null && nodes.isEmpty()) {
            return report.noNodes();
        }
        PodContext context = PodContext.of(pod, cluster);
        FilterRun filters = FilterRun.start(profile, context, state);
        String problem = filters.preFilters().error();
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
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster, ofExtenders);
            problem = outcome.error();
            if (problem != null) {
                return report.failed(problem);
            }
            feasible = outcome.feasible();
            outcome.reasons().forEach(report::rejectedByExtender);
            preemption.ruledOut(pod, outcome);
        }
        return feasible.isEmpty() ? report.unfit(nodes.size()) : report.fit(context, filters, feasible);
    }

    @Override
    public @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        return preemption.failures(pod, nominated);
    }

    /** What may be asked about pods for which no node is free. */
    public Evaluator preemption() {
        return preemption;
    }

    /** How much is kept about the nodes by now. */
    public KeptSize keptSize() {
        return kept == null ? KeptSize.NONE : kept.size();
    }

    /**
     * Names of the plugins whose answers that are kept for pods like this one are not what they would say now: none, unless something
     * is wrong. Moves nothing on but the order of nodes, as every attempt does by the rules of 1.17.
     */
    public List<String> staleAnswers(PodInfo pod, NominatedPods nominated) {
        return verification.stale(pod, nominated);
    }

    /** The number of attempts in which the result cache failed with an exception, so that all plugins evaluated all nodes. */
    public long fallbacks() {
        return fallbacks;
    }

    /** Counts and logs an exception of the result cache. An error that a plugin reports also ends the attempt without the cache. */
    void fellBack(PodInfo pod, Throwable e) {
        if (!(e instanceof PluginException)) {
            fallbacks++;
            attempts.fellBack(pod, e);
            log.error("W123 the result cache failed for pod {}; evaluating all plugins on all nodes", pod.key(), e);
        }
    }

    /** What is kept is not to be trusted; it is built anew. */
    void forgetKept() {
        kept = null;
    }

    /** What is kept about the nodes; null when this attempt has to ask about each. */
    @Nullable
    ResultCache kept(PodContext context) {
        ClusterIndex index = path == DecisionPath.PLAIN ? null : cluster.index();
        if (index == null || !context.metadataAvailable()) {
            // Without the shared metadata of v1.17 some algorithms answer otherwise.
            return null;
        }
        if (kept == null) {
            kept = new ResultCache(
                    index, profile.filters().size(), profile.scores().size(), keptBytes);
        }
        return kept;
    }

    /** What one attempt is to find out, and how closely it looks for that. The calls come in the order of the methods. */
    interface Report<R> {
        /** The attempt ends here, with an error. */
        R failed(String message);

        /** There is no node at all. */
        R noNodes();

        /**
         * Looks for nodes that pass the filters, if the step before has not rejected them all.
         *
         * @return null, or the error that ends the attempt
         */
        @Nullable
        String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes);

        /** The step before the filters has rejected all nodes. */
        R rejected(PreFilterRun before, int nodeCount);

        /** The nodes that pass the filters. */
        List<NodeInfo> feasible();

        /** Whether extenders have a word on the feasible nodes. */
        boolean asksExtenders();

        /** An extender rejects a node that passes the filters. */
        void rejectedByExtender(String node, List<String> reasons);

        /** No node is left. */
        R unfit(int nodeCount);

        /** These nodes are left, at least one. */
        R fit(PodContext context, FilterRun filters, List<NodeInfo> nodes);
    }

    /** How {@link SchedulingCycle#decide} comes to its decisions, which are the same on every path. */
    public enum DecisionPath {
        /** By what is kept about the nodes, so that a decision costs what has changed since the last one; plainly where it cannot. */
        KEPT,
        /** By asking every plugin about every node. */
        PLAIN
    }
}
