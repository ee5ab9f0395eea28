package io.policyscheduler.framework.insight.compare;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.plugin.CycleState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** A scheduler that is defined by tables: which filter rejects which nodes, and the values of each score. */
public final class TableScheduler {
    private record Score(long weight, Map<String, Long> values) {}

    private final String name;
    private final SchedulerSpec.Kind kind;
    private final Map<String, BiPredicate<PodInfo, NodeInfo>> filters = new LinkedHashMap<>();
    private final Map<String, Score> scores = new LinkedHashMap<>();
    private final Set<String> failing = new LinkedHashSet<>();

    public TableScheduler(String name, SchedulerSpec.Kind kind) {
        this.name = name;
        this.kind = kind;
    }

    /** A filter that rejects these nodes. */
    public TableScheduler filter(String filter, String... rejected) {
        Set<String> names = Set.of(rejected);
        return filter(filter, (pod, node) -> names.contains(node.name()));
    }

    public TableScheduler filter(String filter, BiPredicate<PodInfo, NodeInfo> rejects) {
        filters.put(filter, rejects);
        return this;
    }

    /** A filter that fails every attempt. */
    public TableScheduler failing(String filter) {
        failing.add(filter);
        return filter(filter);
    }

    /** A score; {@code values} alternates nodes and numbers, 0 for the others. */
    public TableScheduler score(String score, long weight, Object... values) {
        Map<String, Long> byNode = new TreeMap<>();
        for (int i = 0; i < values.length; i += 2) {
            byNode.put((String) values[i], ((Number) values[i + 1]).longValue());
        }
        scores.put(score, new Score(weight, byNode));
        return this;
    }

    public SchedulerSpec source() {
        Map<String, Long> weights = new LinkedHashMap<>();
        scores.forEach((score, table) -> weights.put(score, table.weight()));
        return new SchedulerSpec(
                name,
                kind,
                List.copyOf(filters.keySet()),
                weights,
                (cluster, tieBreak, adjustment) -> new Decider(cluster, adjustment),
                SchedulerSpec.Volumes.NONE);
    }

    private final class Decider implements SnapshotScheduler {
        private final ClusterState cluster;
        private final Adjustment adjustment;

        Decider(ClusterState cluster, Adjustment adjustment) {
            this.cluster = cluster;
            this.adjustment = adjustment;
        }

        @Override
        public Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
            Evaluation evaluation = evaluate(pod, nominated);
            int nodes = cluster.nodes().size();
            if (evaluation.error() != null) {
                Decision.Kind outcome = evaluation.fitError() ? Decision.Kind.UNSCHEDULABLE : Decision.Kind.ERROR;
                return new Decision(outcome, null, 0, evaluation.error(), 0, nodes);
            }
            String best = evaluation.best().get(0);
            long total = evaluation.totals().getOrDefault(best, 0L);
            return new Decision(
                    Decision.Kind.PLACED, best, total, "", evaluation.feasible().size(), nodes);
        }

        @Override
        public PreemptionResult preempt(
                PodInfo pod, NominatedPods nominated, Evaluation evaluation, Preemption preemption) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Evaluation evaluate(PodInfo pod, NominatedPods nominated) {
            cluster.startCycle();
            List<String> feasible = new ArrayList<>();
            SortedMap<String, NodeFailure> failures = new TreeMap<>();
            for (NodeInfo node : cluster.nodes()) {
                String by = rejectedBy(pod, node);
                if (failing.contains(by)) {
                    return Evaluation.failed(by + " is broken");
                } else if (by.isEmpty()) {
                    feasible.add(node.name());
                } else {
                    failures.put(node.name(), new NodeFailure(List.of("no " + by), false, by));
                }
            }
            return feasible.isEmpty() ? Evaluation.unfit(cluster.nodes().size(), failures) : score(feasible, failures);
        }

        private String rejectedBy(PodInfo pod, NodeInfo node) {
            for (Map.Entry<String, BiPredicate<PodInfo, NodeInfo>> filter : filters.entrySet()) {
                String by = filter.getKey();
                if (!adjustment.withoutFilters().contains(by)
                        && (failing.contains(by) || filter.getValue().test(pod, node))) {
                    return by;
                }
            }
            return "";
        }

        private Evaluation score(List<String> feasible, SortedMap<String, NodeFailure> failures) {
            Map<String, NodeValues> byScore = new LinkedHashMap<>();
            Map<String, Long> weights = new LinkedHashMap<>();
            SortedMap<String, Long> totals = new TreeMap<>();
            feasible.forEach(node -> totals.put(node, 0L));
            scores.forEach((score, table) -> {
                if (!adjustment.withoutScores().contains(score)) {
                    long weight = adjustment.weight(score, table.weight());
                    Map<String, Long> values = new TreeMap<>();
                    for (String node : feasible) {
                        long value = table.values().getOrDefault(node, 0L);
                        values.put(node, value);
                        totals.merge(node, weight * value, Long::sum);
                    }
                    weights.put(score, weight);
                    byScore.put(score, NodeValues.of(values));
                }
            });
            return new Evaluation(null, false, feasible, failures, byScore, weights, NodeValues.of(totals));
        }
    }
}
