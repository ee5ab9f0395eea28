package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs one scheduler on modified copies of a cluster. */
public final class TrialScheduler {
    private final SchedulerSpec source;

    /** @param source the scheduler */
    public TrialScheduler(SchedulerSpec source) {
        this.source = source;
    }

    boolean isCurrent() {
        return source.readsNewerFields();
    }

    /** Decides the pod of a situation on a copy of the cluster. */
    public Evaluation place(Remedy.Situation situation) {
        return source.create(situation.snapshot().state(), TieBreak.first())
                .evaluate(situation.pod(), situation.nominated());
    }

    /** The same if only one node matters; a missing node is infeasible. */
    Evaluation placeOn(Remedy.Situation situation, String nodeName) {
        ClusterState state = situation.snapshot().state();
        NodeInfo node = state.node(nodeName);
        if (node == null) {
            return Evaluation.failed("no node " + nodeName);
        }
        return source.create(state, TieBreak.first()).evaluateOn(situation.pod(), situation.nominated(), node);
    }

    SingleFilters filters(ClusterState cluster) {
        return new SingleFilters(source, cluster);
    }

    /**
     * All filters that reject a node, not only the first: each filter runs alone.
     *
     * @return obstacles by node in the order of the filters; feasible nodes are absent
     */
    public Map<String, List<Obstacle>> obstacles(Remedy.Situation situation) {
        SingleFilters alone = filters(situation.snapshot().state());
        Map<String, List<Obstacle>> obstacles = new TreeMap<>();
        Set<String> filters = new LinkedHashSet<>();
        // Errors that are not caused by filters are the same without any of them.
        filters.add("");
        filters.addAll(source.filters());
        Set<Obstacle> general = new LinkedHashSet<>();
        for (String filter : filters) {
            Evaluation evaluation = alone.evaluate(filter, situation.pod(), situation.nominated());
            if (evaluation.error() != null && !evaluation.fitError()) {
                boolean known =
                        general.stream().anyMatch(other -> other.reasons().contains(evaluation.error()));
                if (!known) {
                    general.add(new Obstacle(filter, List.of(evaluation.error())));
                }
            }
            evaluation.failures().forEach((node, failure) -> note(obstacles, node, filter, failure));
        }
        if (!general.isEmpty()) {
            situation
                    .snapshot()
                    .nodes()
                    .forEach(node -> obstacles
                            .computeIfAbsent(node.name(), name -> new ArrayList<>())
                            .addAll(0, general));
        }
        return obstacles;
    }

    private static void note(Map<String, List<Obstacle>> obstacles, String node, String filter, NodeFailure failure) {
        List<Obstacle> known = obstacles.computeIfAbsent(node, name -> new ArrayList<>());
        boolean general = known.stream()
                .anyMatch(other -> other.filter().isEmpty() && other.reasons().equals(failure.reasons()));
        if (!general) {
            known.add(new Obstacle(filter, failure.reasons()));
        }
    }

    /** The filters of a scheduler, each evaluated alone on one cluster; without scores. */
    public static final class SingleFilters {
        private final SchedulerSpec source;
        private final ClusterState cluster;
        private final Map<String, SnapshotScheduler> schedulers = new HashMap<>();

        /** @param cluster observed for changes */
        public SingleFilters(SchedulerSpec source, ClusterState cluster) {
            this.source = source;
            this.cluster = cluster;
        }

        /**
         * The result of one filter for all nodes.
         *
         * @param filter one of {@link SchedulerSpec#filters}; any other name leaves out all filters
         */
        public Evaluation evaluate(String filter, PodInfo pod, NominatedPods nominated) {
            return schedulers.computeIfAbsent(filter, this::alone).evaluate(pod, nominated);
        }

        /** The result of one filter for one node. */
        public Evaluation evaluateOn(String filter, PodInfo pod, NominatedPods nominated, NodeInfo node) {
            return schedulers.computeIfAbsent(filter, this::alone).evaluateOn(pod, nominated, node);
        }

        private SnapshotScheduler alone(String filter) {
            Set<String> others = new LinkedHashSet<>(source.filters());
            others.remove(filter);
            Adjustment adjustment = Adjustment.NONE
                    .withoutFilters(others)
                    .withoutScores(source.scores().keySet());
            return source.create(cluster, TieBreak.first(), adjustment);
        }
    }
}
