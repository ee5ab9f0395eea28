package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodContext.PodChecks;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.cycle.FilterRun.NodeStatus;
import io.policyscheduler.framework.cycle.SchedulingCycle.Report;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All feasible nodes with their totals: the result of {@link EvaluationReport}, with the result cache and without details. Calls no
 * extender.
 */
final class RankingReport implements Report<Ranking> {
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
