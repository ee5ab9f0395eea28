package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails.AttemptNotes;
import io.policyscheduler.framework.cycle.AttemptListener.BoundedScores;
import io.policyscheduler.framework.cycle.AttemptListener.Phase;
import io.policyscheduler.framework.cycle.DecisionVerification.Sample;
import io.policyscheduler.framework.cycle.EvaluationReport.RankingReport;
import io.policyscheduler.framework.cycle.Extenders.FilterOutcome;
import io.policyscheduler.framework.cycle.Extenders.FilterRules;
import io.policyscheduler.framework.cycle.FilterRun.NodeSearch;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.cycle.NodeSampling.SearchStart;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.resultcache.ResultCache;
import io.policyscheduler.framework.resultcache.ResultCache.CacheSize;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides pods with the plugins of one profile. {@link #decide} is the fast path of the running scheduler; {@link #evaluate}
 * evaluates all plugins on all nodes and reports everything. Mirrors {@code Schedule} of
 * {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class SchedulingCycle implements ScheduleAlgorithm {
    private static final Logger log = LoggerFactory.getLogger(SchedulingCycle.class);

    final Profile profile;
    final ClusterState cluster;
    final NodeSampling sampling;
    final TieBreak tieBreak;
    final Extenders extenders;
    final boolean keepsTotals;
    final BoundedScores outOfRange;
    final AttemptListener attempts;
    final FilterRules extenderRules;
    private final @Nullable ScoreRecorder scoreNotes;
    private final @Nullable OpportunisticBatch batch;
    private final DecisionPath path;
    private final DecisionReport.Options decisionOptions;
    private final Sample sample;
    private final DecisionVerification verification;
    private final Evaluator preemption;
    private final int cacheBytes;
    private @Nullable ResultCache cache;
    private long fallbacks;

    private SchedulingCycle(Builder parts) {
        this.profile = parts.profile;
        this.cluster = parts.cluster;
        this.sampling = new NodeSampling(parts.percentageOfNodesToScore, parts.start);
        this.tieBreak = parts.tieBreak;
        this.extenders = parts.extenders;
        this.outOfRange = parts.outOfRange;
        this.attempts = parts.attempts;
        this.extenderRules = new FilterRules(
                profile.rules().letsExtendersRuleOut(), profile.rules().emptiesNodesOfExtenders());
        this.scoreNotes = attempts.needsDetails() ? new ScoreRecorder(displayNames(profile)) : null;
        this.path = extenders.isEmpty() && !profile.scoresNothing() ? parts.path : DecisionPath.PLAIN;
        this.keepsTotals = CachedScoreRun.isFor(profile);
        this.batch = parts.batchClock == null ? null : OpportunisticBatch.of(this, parts.batchClock);
        this.decisionOptions = new DecisionReport.Options(true, tieBreak, outOfRange, attempts, false, batch);
        this.sample = parts.sample;
        this.cacheBytes = parts.cacheBytes;
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

    /** A cycle that evaluates all nodes and chooses the first by name of the best, without extenders and listeners. */
    public static SchedulingCycle of(Profile profile, ClusterState cluster) {
        return builder(profile, cluster).build();
    }

    /** A builder for a cycle with other options. */
    public static Builder builder(Profile profile, ClusterState cluster) {
        return new Builder(profile, cluster);
    }

    /** The options of a cycle; the defaults are those of {@link #of}. */
    public static final class Builder {
        private final Profile profile;
        private final ClusterState cluster;
        private int percentageOfNodesToScore = 100;
        private TieBreak tieBreak = TieBreak.first();
        private Extenders extenders = Extenders.NONE;
        private BoundedScores outOfRange = BoundedScores.NONE;
        private AttemptListener attempts = AttemptListener.NONE;
        private SearchStart start = new SearchStart();
        private @Nullable InstantSource batchClock;
        private DecisionPath path = DecisionPath.KEPT;
        private Sample sample = Sample.none();
        private int cacheBytes = ResultCache.USUAL_BYTES;

        private Builder(Profile profile, ClusterState cluster) {
            this.profile = profile;
            this.cluster = cluster;
        }

        /** 0 adapts to the size of the cluster as v1.17 does, 100 evaluates all nodes. */
        public Builder percentageOfNodesToScore(int percentage) {
            this.percentageOfNodesToScore = percentage;
            return this;
        }

        /** Selects among nodes with equal totals. */
        public Builder tieBreak(TieBreak way) {
            this.tieBreak = way;
            return this;
        }

        /** The extenders that filter and score. */
        public Builder extenders(Extenders value) {
            this.extenders = value;
            return this;
        }

        /** Receives scores out of range, from {@link #decide} only. */
        public Builder outOfRange(BoundedScores value) {
            this.outOfRange = value;
            return this;
        }

        /** Receives the details of each attempt, from {@link #decide} only. */
        public Builder attempts(AttemptListener value) {
            this.attempts = value;
            return this;
        }

        /** The start index of the next search, which several cycles can share. */
        public Builder start(SearchStart shared) {
            this.start = shared;
            return this;
        }

        /**
         * Lets {@link #decide} try the next best node of a pod first for an equal pod that follows, as kube-scheduler 1.35 and newer
         * do with some profiles. By default, each attempt evaluates all nodes.
         *
         * @param clock measures the age of scores
         */
        public Builder batching(InstantSource clock) {
            this.batchClock = clock;
            return this;
        }

        /**
         * The path of {@link #decide}, {@link #rank} and {@link #evaluateRanked}; {@link #evaluate} always evaluates all plugins on
         * all nodes.
         */
        public Builder path(DecisionPath way) {
            this.path = way;
            return this;
        }

        /** The maximum size of the result cache per kind of results; a few of each are cached in any case. */
        public Builder cacheBytes(int most) {
            this.cacheBytes = most;
            return this;
        }

        /** The decisions of {@link #decide} that are repeated without the result cache to detect errors of the cache. */
        public Builder verify(Sample decisions) {
            this.sample = decisions;
            return this;
        }

        /** Builds the cycle. */
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
        sampling.start().nextAttempt();
        if (path != DecisionPath.PLAIN && sample.takesNext()) {
            return verification.decide(pod, nominated, state);
        }
        AttemptNotes notes = scoreNotes == null ? null : new AttemptNotes(scoreNotes);
        Decision decision = attempt(new DecisionReport(this, pod, nominated, notes, decisionOptions), pod, state, null);
        attempts.onPhase(Phase.DECIDED);
        if (notes != null) {
            attempts.onAttempted(pod, notes.details(cluster.nodes().size()));
        }
        return decision;
    }

    /** Evaluates all plugins on all nodes; changes nothing, not even the start index of the next search. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
        return evaluate(pod, nominated, newState());
    }

    /** The same with a state from {@link #newState()}, in which plugins store data for later extension points. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, CycleState state) {
        return attempt(new EvaluationReport(this, pod, nominated, false), pod, state, null);
    }

    /** The same after {@link #rank} for the same pod: its scores are used instead of calling plugins again. */
    public Evaluation evaluateRanked(PodInfo pod, NominatedPods nominated) {
        return attempt(new EvaluationReport(this, pod, nominated, true), pod, newState(), null);
    }

    /** The same for some of the nodes only; plugins take the others into account, but they are not reported. */
    public Evaluation evaluate(PodInfo pod, NominatedPods nominated, List<NodeInfo> nodes) {
        return attempt(new EvaluationReport(this, pod, nominated, false), pod, newState(), nodes);
    }

    /** The node that {@link #evaluate} would choose; changes nothing either. */
    public Ranking rank(PodInfo pod, NominatedPods nominated) {
        // The requests to extenders depend on the order and number of nodes.
        return extenders.isEmpty()
                ? attempt(new RankingReport(this, nominated), pod, newState(), null)
                : Ranking.of(evaluate(pod, nominated));
    }

    @Override
    public @Nullable Ranking rankInPlace(PodInfo pod, NominatedPods nominated) {
        if (!extenders.isEmpty()) {
            return null;
        }
        String problem = profile.rules().objection(pod, cluster);
        preemption.forget();
        Report<Ranking> report = new RankingReport(this, nominated);
        // The start of a cycle advances the order of nodes, which the attempt of the other algorithm uses.
        return problem == null ? evaluate(report, pod, newState(), null) : report.failed(problem);
    }

    /** @param only the nodes to evaluate; null for all */
    private <R> R attempt(Report<R> report, PodInfo pod, CycleState state, @Nullable List<NodeInfo> only) {
        String problem = begin(pod);
        return problem == null ? evaluate(report, pod, state, only) : report.failed(problem);
    }

    /** Begins an attempt, which may advance the order of nodes; null, or the error that ends it. */
    @Nullable
    String begin(PodInfo pod) {
        String problem = profile.rules().objection(pod, cluster);
        if (problem == null) {
            profile.startCycle(cluster);
            preemption.forget();
        }
        return problem;
    }

    /** Runs an attempt that has begun; changes only the start index of the next search and the tie-break. */
    <R> R evaluate(Report<R> report, PodInfo pod, CycleState state, @Nullable List<NodeInfo> only) {
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
        if (!feasible.isEmpty() && !extenders.isEmpty() && report.callsExtenders()) {
            FilterOutcome outcome = extenders.filter(pod, feasible, cluster, extenderRules);
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

    /** Preemption for pods without a feasible node. */
    public Evaluator preemption() {
        return preemption;
    }

    /** The current size of the result cache. */
    public CacheSize cacheSize() {
        return cache == null ? CacheSize.NONE : cache.size();
    }

    /**
     * Names of the plugins whose cached results for equivalent pods are stale: none, unless there is an error in the cache.
     * Advances only the order of nodes, as every attempt with the rules of 1.17 does.
     */
    public List<String> staleResults(PodInfo pod, NominatedPods nominated) {
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
            attempts.onResultCacheFailed(pod, e);
            log.error("W123 the result cache failed for pod {}; evaluating all plugins on all nodes", pod.key(), e);
        }
    }

    /** Drops the result cache; the next attempt builds a new one. */
    void clearCache() {
        cache = null;
    }

    /** The result cache; null if this attempt has to evaluate all nodes. */
    @Nullable
    ResultCache cache(PodContext context) {
        ClusterIndex index = path == DecisionPath.PLAIN ? null : cluster.index();
        if (index == null || !context.metadataAvailable()) {
            // Without the shared metadata of v1.17, some algorithms return other results.
            return null;
        }
        if (cache == null) {
            cache = new ResultCache(
                    index, profile.filters().size(), profile.scores().size(), cacheBytes);
        }
        return cache;
    }

    /** The result that one attempt computes. The calls come in the order of the methods. */
    interface Report<R> {
        /** The attempt ends with an error. */
        R failed(String message);

        /** The cluster has no nodes. */
        R noNodes();

        /**
         * Searches for nodes that pass the filters, unless PreFilter has rejected all.
         *
         * @return null, or the error that ends the attempt
         */
        @Nullable
        String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes);

        /** PreFilter has rejected all nodes. */
        R rejected(PreFilterRun before, int nodeCount);

        /** The nodes that pass the filters. */
        List<NodeInfo> feasible();

        /** Whether extenders filter the feasible nodes. */
        boolean callsExtenders();

        /** An extender rejects a node that passes the filters. */
        void rejectedByExtender(String node, List<String> reasons);

        /** No node is feasible. */
        R unfit(int nodeCount);

        /** These nodes are feasible, at least one. */
        R fit(PodContext context, FilterRun filters, List<NodeInfo> nodes);
    }

    /** The implementation of {@link SchedulingCycle#decide}; decisions are the same on every path. */
    public enum DecisionPath {
        /**
         * Uses the result cache, so that the cost of a decision depends on the changes since the last one; falls back to
         * {@link #PLAIN}.
         */
        KEPT,
        /** Evaluates all plugins on all nodes. */
        PLAIN
    }

    /** Finds a node, or the reasons why there is none, with the least work. */
    static final class DecisionReport implements Report<Decision> {
        /**
         * The options and listeners of a decision.
         *
         * @param fromCache whether to use the result cache
         * @param tieBreak selects among nodes with equal totals
         * @param outOfRange receives scores out of range
         * @param attempts receives phases
         * @param isWatched whether the totals of all nodes are needed afterwards
         * @param batch the nodes that are left of the attempt before; null to evaluate all nodes
         */
        record Options(
                boolean fromCache,
                TieBreak tieBreak,
                BoundedScores outOfRange,
                AttemptListener attempts,
                boolean isWatched,
                @Nullable OpportunisticBatch batch) {

            /** Options without listeners. */
            static Options silent(boolean fromCache, TieBreak tieBreak) {
                return new Options(fromCache, tieBreak, BoundedScores.NONE, AttemptListener.NONE, true, null);
            }
        }

        private final SchedulingCycle cycle;
        private final PodInfo pod;
        private final NominatedPods nominated;
        private final @Nullable AttemptNotes notes;
        private final Options options;
        private final NodeRejections rejections;
        private @Nullable NodeSearch fullSearch;
        private @Nullable CachedFilterRun cachedFilters;
        private List<NodeInfo> feasible = List.of();
        private boolean isNominee;
        private @Nullable CachedScoreRun cachedScores;
        private long[] totals = new long[0];

        /** @param notes collects details; null if not needed */
        DecisionReport(
                SchedulingCycle cycle,
                PodInfo pod,
                NominatedPods nominated,
                @Nullable AttemptNotes notes,
                Options options) {
            this.notes = notes;
            this.options = options;
            this.rejections = new NodeRejections(notes == null ? null : notes.rejections());
            this.cycle = cycle;
            this.pod = pod;
            this.nominated = nominated;
        }

        @Override
        public Decision failed(String message) {
            return failed(message, feasible.size());
        }

        private Decision failed(String message, int feasibleNodes) {
            return new Decision(Decision.Kind.ERROR, null, 0, message, feasibleNodes, examined());
        }

        private int examined() {
            if (cachedFilters != null) {
                return cachedFilters.examined();
            }
            return fullSearch == null ? 0 : fullSearch.examined();
        }

        @Override
        public Decision noNodes() {
            return new Decision(Decision.Kind.NO_NODES, null, 0, PodChecks.NO_NODES, 0, 0);
        }

        @Override
        public @Nullable String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
            PreFilterRun before = filters.preFilters();
            if (before.rejection() != null) {
                return null;
            }
            cycle.preemption().attempted(pod, filters);
            options.attempts().onPhase(Phase.FILTER);
            NodeSearch search = new NodeSearch(filters, nominated, nodes.size(), rejections);
            String hint = options.batch() == null ? null : options.batch().hint(filters);
            String first = pod.nominatedNodeName().isEmpty() ? hint : pod.nominatedNodeName();
            if (first != null && cycle.profile.rules().triesNomineeFirst() && findNominee(first, filters, search)) {
                return null;
            }
            ResultCache cache = options.fromCache() && before.nodes() == null ? cycle.cache(context) : null;
            cachedFilters = cache == null
                    ? null
                    : CachedFilterRun.find(
                            cycle, cache, context, filters, nominated, cycle.sampling, enough(nodes.size()));
            if (cachedFilters != null) {
                feasible = cachedFilters.nodes();
                if (notes != null || feasible.isEmpty()) {
                    cachedFilters.report(rejections);
                }
                if (feasible.isEmpty()) {
                    filters.found(cachedFilters.findings());
                }
                return null;
            }
            fullSearch = search;
            String error = search.run(
                    before.nodes() == null ? nodes : named(before.nodes()), cycle.sampling, enough(nodes.size()));
            if (error == null) {
                feasible = search.feasible();
            }
            return error;
        }

        /** The number of feasible nodes that ends the search. */
        private int enough(int nodeCount) {
            boolean anyNodeWillDo = cycle.profile.rules().stopsAtFirstOfEqualNodes()
                    && cycle.profile.scoresNothing()
                    && cycle.extenders.isEmpty();
            return anyNodeWillDo ? 1 : cycle.sampling.limit(nodeCount);
        }

        /** True if the node that is tried first, nominated or a hint, is feasible: no other is evaluated. */
        private boolean findNominee(String name, FilterRun filters, NodeSearch search) {
            NodeInfo node = cycle.cluster.node(name);
            if (node == null) {
                return false;
            }
            NodeStatus status = filters.checkOnce(node, nominated);
            if (status != null) {
                search.knownBefore(node, status);
                return false;
            }
            if (!cycle.extenders.isEmpty()) {
                FilterOutcome outcome = cycle.extenders.filter(pod, List.of(node), cycle.cluster, cycle.extenderRules);
                if (outcome.error() != null || outcome.feasible().isEmpty()) {
                    return false;
                }
            }
            isNominee = true;
            feasible = List.of(node);
            return true;
        }

        private List<NodeInfo> named(Set<String> names) {
            List<NodeInfo> nodes = new ArrayList<>(names.size());
            for (String name : names) {
                NodeInfo node = cycle.cluster.node(name);
                if (node != null) {
                    nodes.add(node);
                }
            }
            return nodes;
        }

        @Override
        public Decision rejected(PreFilterRun before, int nodeCount) {
            NodeStatus rejection = Objects.requireNonNull(before.rejection());
            if (notes != null) {
                notes.counted(Map.of(rejection.status().message(), nodeCount));
            }
            String text = cycle.profile.rules().rejectsAll(rejection.status(), nodeCount);
            return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, text, 0, 0)
                    .withRejectedBy(before.rejectedBy(), before.pendingOn());
        }

        @Override
        public List<NodeInfo> feasible() {
            return feasible;
        }

        @Override
        public boolean callsExtenders() {
            return !isNominee;
        }

        @Override
        public void rejectedByExtender(String node, List<String> reasons) {
            rejections.add(node, reasons);
        }

        @Override
        public Decision unfit(int nodeCount) {
            note();
            String message =
                    rejections.reasons().isEmpty() && cycle.profile.rules().waitsForEvents()
                            ? FitErrorText.withoutReasons(nodeCount)
                            : FitErrorText.of(nodeCount, rejections.reasons());
            return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, examined())
                    .withRejectedBy(rejectedBy(), rejections.pending());
        }

        /** The plugins that rejected nodes. In 1.17, the events that extenders wait for are unknown. */
        private Set<String> rejectedBy() {
            if (cycle.extenders.isEmpty()) {
                return rejections.by();
            }
            if (!cycle.profile.rules().waitsForEvents()) {
                return Set.of();
            }
            return feasible.isEmpty()
                    ? rejections.by()
                    : ImmutableSet.<String>builder()
                            .addAll(rejections.by())
                            .add(Extenders.REJECTOR)
                            .build();
        }

        @Override
        public Decision fit(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
            options.attempts().onPhase(Phase.SCORE);
            note();
            if (nodes.size() == 1) {
                String only = nodes.get(0).name();
                store(nodes.get(0), nodes);
                return new Decision(Decision.Kind.PLACED, only, 0, "", 1, isNominee ? 1 : examined());
            }
            Set<String> skipped = null;
            if (cachedFilters != null && cycle.keepsTotals) {
                skipped = new HashSet<>();
                String error = ScoreRun.preScore(cycle.profile, context, filters.state(), nodes, skipped);
                if (error != null) {
                    return failed(error, nodes.size());
                }
                Decision known = best(context, filters, cachedFilters, skipped);
                if (known != null) {
                    return known;
                }
                if (notes != null) {
                    notes.scores().forget();
                }
            }
            ScoreRun scoring = new ScoreRun(
                    cycle.profile,
                    context,
                    filters.state(),
                    nodes,
                    options.outOfRange(),
                    notes == null ? null : notes.scores());
            String error = skipped == null ? scoring.run(null, cycle.extenders) : scoring.runPlugins(null, skipped);
            if (error != null) {
                return failed(error, nodes.size());
            }
            totals = scoring.totals();
            int chosen = options.tieBreak().choose(nodes, totals);
            store(nodes.get(chosen), nodes);
            if (notes != null) {
                notes.chosen(nodes, totals, chosen);
            }
            return new Decision(
                    Decision.Kind.PLACED, nodes.get(chosen).name(), totals[chosen], "", nodes.size(), examined());
        }

        /** The decision from the result cache; null if the caller has to score the nodes without it. */
        private @Nullable Decision best(
                PodContext context, FilterRun filters, CachedFilterRun search, Set<String> skipped) {
            ScoreRecorder scores = notes == null ? null : notes.scores();
            CachedScoreRun cached = CachedScoreRun.of(cycle, context, filters.state(), search, skipped, scores);
            if (cached == null) {
                return null;
            }
            int chosen = cached.choose(options.tieBreak());
            if (notes != null) {
                cached.report(notes, chosen);
            }
            if (options.isWatched()
                    || (options.batch() != null && options.batch().needsTotals())) {
                cachedScores = cached;
                totals = cached.totals();
            }
            store(search.nodeAt(chosen), feasible);
            return new Decision(
                    Decision.Kind.PLACED,
                    search.nodeAt(chosen).name(),
                    cached.best(),
                    "",
                    search.count(),
                    search.examined());
        }

        private void store(NodeInfo chosen, List<NodeInfo> nodes) {
            if (options.batch() != null) {
                options.batch().store(chosen, nodes, totals);
            }
        }

        /** The totals of the feasible nodes, if requested; empty if nothing was scored. */
        ImmutableLongArray totals() {
            return ImmutableLongArray.copyOf(totals);
        }

        /** Names of the plugins whose cached results for this pod are stale. */
        List<String> stale() {
            List<String> plugins = new ArrayList<>();
            if (cachedFilters != null) {
                plugins.addAll(cachedFilters.stale());
            }
            if (cachedScores != null) {
                plugins.addAll(cachedScores.stale());
            }
            return plugins;
        }

        private void note() {
            if (notes != null) {
                notes.counted(rejections.reasons());
            }
        }
    }
}
