package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.cycle.SchedulingCycle.Report;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.resultcache.CachedScores;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Evaluates all plugins on all nodes without changing the result cache. */
final class EvaluationReport implements Report<Evaluation> {
    private final SchedulingCycle cycle;
    private final PodInfo pod;
    private final NominatedPods nominated;
    private final boolean ranked;
    private final List<NodeInfo> feasible = new ArrayList<>();
    private final SortedMap<String, NodeFailure> failures = new TreeMap<>();
    /** Rejected nodes that the message does not count. */
    private final Set<String> uncounted = new HashSet<>();

    /** @param ranked whether to use the results of a preceding ranking */
    EvaluationReport(SchedulingCycle cycle, PodInfo pod, NominatedPods nominated, boolean ranked) {
        this.ranked = ranked;
        this.cycle = cycle;
        this.pod = pod;
        this.nominated = nominated;
    }

    @Override
    public Evaluation failed(String message) {
        return Evaluation.failed(message);
    }

    @Override
    public Evaluation noNodes() {
        return Evaluation.failed(PodChecks.NO_NODES);
    }

    @Override
    public @Nullable String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
        PreFilterRun before = filters.preFilters();
        NodeStatus rejection = before.rejection();
        if (rejection != null) {
            nodes.forEach(node -> failures.put(node.name(), rejection.toFailure()));
            return null;
        }
        return filters.evaluate(nodes, node -> filters.checkOnce(node, nominated), new FilterRun.StatusCollector() {
            @Override
            public void feasible(NodeInfo node) {
                feasible.add(node);
            }

            @Override
            public void rejected(NodeInfo node, NodeStatus status) {
                failures.put(node.name(), status.toFailure());
            }

            @Override
            public void excluded(NodeInfo node) {
                exclude(node, before);
            }
        });
    }

    private void exclude(NodeInfo node, PreFilterRun before) {
        NodeFailure failure = new NodeFailure(before.outside().status().reasons(), true, null);
        failures.put(node.name(), failure);
        if (!before.countsOutside()) {
            uncounted.add(node.name());
        }
    }

    @Override
    public Evaluation rejected(PreFilterRun before, int nodeCount) {
        NodeStatus rejection = Objects.requireNonNull(before.rejection());
        return new Evaluation(
                cycle.profile.rules().rejectsAll(rejection.status(), nodeCount),
                true,
                List.of(),
                failures,
                Map.of(),
                Map.of(),
                NodeValues.NONE,
                rejection.toFailure());
    }

    @Override
    public List<NodeInfo> feasible() {
        return feasible;
    }

    /** The rejections of nodes so far. */
    Map<String, NodeFailure> failures() {
        return failures;
    }

    @Override
    public boolean callsExtenders() {
        return true;
    }

    @Override
    public void rejectedByExtender(String node, List<String> reasons) {
        failures.merge(node, new NodeFailure(reasons, false, null), EvaluationReport::both);
    }

    /** Combines the reasons of plugins and of extenders. Preemption may resolve the latter, so the status of the plugins stays. */
    private static NodeFailure both(NodeFailure known, NodeFailure ofExtenders) {
        List<String> reasons = new ArrayList<>(known.reasons());
        reasons.addAll(ofExtenders.reasons());
        return new NodeFailure(reasons, known.unresolvable(), known.plugin());
    }

    @Override
    public Evaluation unfit(int nodeCount) {
        Evaluation unfit = Evaluation.unfit(nodeCount, failures);
        if (uncounted.isEmpty()) {
            return unfit;
        }
        SortedMap<String, NodeFailure> counted = new TreeMap<>(failures);
        counted.keySet().removeAll(uncounted);
        return unfit.withError(FitErrorText.of(nodeCount, counted.values()));
    }

    @Override
    public Evaluation fit(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
        ResultCache cache = ranked ? cycle.cache(context) : null;
        ScoreRun.Known known = cache == null
                ? null
                : (number, plugin, scores) -> fill(cache, filters.state(), number, plugin, nodes, scores);
        ScoreRun scoring = new ScoreRun(cycle.profile, context, filters.state(), nodes, known);
        Map<String, NodeValues> scores = new LinkedHashMap<>();
        Map<String, Long> weights = new LinkedHashMap<>();
        NodeValues.Order order = new NodeValues.Order(nodes, context.cluster().index());
        String error = scoring.run(
                (algorithm, weight, values) -> {
                    weights.put(algorithm, weight);
                    scores.put(algorithm, order.byName(values));
                },
                // With a single node, v1.17 does not call extenders.
                nodes.size() == 1 ? Extenders.NONE : cycle.extenders);
        if (error != null) {
            return Evaluation.failed(error);
        }
        List<String> names = nodes.stream().map(NodeInfo::name).toList();
        return new Evaluation(null, false, names, failures, scores, weights, order.byName(scoring.totals()));
    }

    private boolean fill(
            ResultCache cache, CycleState state, int number, ScorePlugin plugin, List<NodeInfo> nodes, long[] scores) {
        ScoreReads reads = ScoreReads.of(plugin, state, pod);
        Object basis = reads.key();
        CachedScores column = basis == null
                ? null
                : cache.knownScores(
                        number, basis, reads.revision(), reads.reduction(), node -> plugin.score(state, pod, node));
        if (column == null) {
            return false;
        }
        for (int i = 0; i < scores.length; i++) {
            scores[i] = column.at(nodes.get(i).slot());
            if (scores[i] == CachedScores.NONE) {
                return false;
            }
        }
        return true;
    }

    /**
     * All feasible nodes with their totals: the result of {@link EvaluationReport}, with the result cache and without details. Calls no
     * extender.
     */
    static final class RankingReport implements Report<Ranking> {
        /** The percentage that evaluates all nodes from the first on. */
        private static final int EVERY = 100;

        private final NodeSampling all = new NodeSampling(EVERY);
        private final SchedulingCycle cycle;
        private final NominatedPods nominated;
        private final Map<String, Integer> reasons = new HashMap<>();
        private @Nullable CachedFilterRun quick;
        private List<NodeInfo> feasible = new ArrayList<>();

        RankingReport(SchedulingCycle cycle, NominatedPods nominated) {
            this.cycle = cycle;
            this.nominated = nominated;
        }

        @Override
        public Ranking failed(String message) {
            return Ranking.failed(message);
        }

        @Override
        public Ranking noNodes() {
            return Ranking.failed(PodChecks.NO_NODES);
        }

        @Override
        public @Nullable String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
            PreFilterRun before = filters.preFilters();
            if (before.rejection() != null) {
                return null;
            }
            ResultCache cache = before.nodes() == null ? cycle.cache(context) : null;
            quick = cache == null
                    ? null
                    : CachedFilterRun.find(cycle, cache, context, filters, nominated, all, nodes.size());
            if (quick != null) {
                feasible = quick.nodes();
                if (feasible.isEmpty()) {
                    NodeRejections rejections = new NodeRejections(null);
                    quick.report(rejections);
                    reasons.putAll(rejections.reasons());
                }
                return null;
            }
            return filters.evaluate(nodes, node -> filters.check(node, nominated), new FilterRun.StatusCollector() {
                @Override
                public void feasible(NodeInfo node) {
                    feasible.add(node);
                }

                @Override
                public void rejected(NodeInfo node, NodeStatus status) {
                    count(status.status().reasons());
                }

                @Override
                public void excluded(NodeInfo node) {
                    if (before.countsOutside()) {
                        count(before.outside().status().reasons());
                    }
                }
            });
        }

        private void count(List<String> texts) {
            for (int i = 0; i < texts.size(); i++) {
                reasons.merge(texts.get(i), 1, Integer::sum);
            }
        }

        @Override
        public Ranking rejected(PreFilterRun before, int nodeCount) {
            return Ranking.unfit(cycle.profile
                    .rules()
                    .rejectsAll(Objects.requireNonNull(before.rejection()).status(), nodeCount));
        }

        @Override
        public List<NodeInfo> feasible() {
            return feasible;
        }

        @Override
        public boolean callsExtenders() {
            return false;
        }

        @Override
        public void rejectedByExtender(String node, List<String> texts) {
            throw new IllegalStateException("not evaluated: " + node);
        }

        @Override
        public Ranking unfit(int nodeCount) {
            return Ranking.unfit(FitErrorText.of(nodeCount, reasons));
        }

        @Override
        public Ranking fit(PodContext context, FilterRun filters, List<NodeInfo> nodes) {
            CachedFilterRun search = quick;
            if (search != null && cycle.keepsTotals) {
                Set<String> skipped = new HashSet<>();
                String problem = ScoreRun.preScore(cycle.profile, context, filters.state(), nodes, skipped);
                if (problem != null) {
                    return Ranking.failed(problem);
                }
                CachedScoreRun score = CachedScoreRun.of(cycle, context, filters.state(), search, skipped, null);
                if (score != null) {
                    return Ranking.of(
                            nodes,
                            score.totals(),
                            weights(skipped),
                            context.cluster().index());
                }
            }
            ScoreRun scoring = new ScoreRun(cycle.profile, context, filters.state(), nodes, null);
            String error = scoring.run(null);
            return error == null
                    ? Ranking.of(
                            nodes,
                            scoring.totals(),
                            weights(scoring.skipped()),
                            context.cluster().index())
                    : Ranking.failed(error);
        }

        private Map<String, Long> weights(Set<String> skipped) {
            Map<String, Long> weights = new LinkedHashMap<>();
            for (WeightedPriority weighted : cycle.profile.functions()) {
                weights.put(weighted.priority().name(), weighted.weight());
            }
            for (Profile.WeightedScore weighted : cycle.profile.scores()) {
                if (!skipped.contains(weighted.plugin().name())) {
                    weights.put(weighted.plugin().name(), weighted.weight());
                }
            }
            return weights;
        }
    }
}
