package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.devices.DeviceAllocator.DeviceReport;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Explains decisions of one scheduler. Changes nothing. */
public final class Explainer {
    /** The maximum number of trials of one explanation; each copies the cluster. */
    private static final int BUDGET = 200;

    private final SchedulerSpec source;
    private final RequiredLabels labels;
    private final Preemption preemption;

    /**
     * @param labels node labels that the policy requires, which reasons do not contain
     * @param preemption the rules of 1.17; plugins of current releases have their own
     */
    public Explainer(SchedulerSpec source, RequiredLabels labels, Preemption preemption) {
        this.source = source;
        this.labels = labels;
        this.preemption = preemption;
    }

    /**
     * Explains the decision for a pod; a running one as if it were pending.
     *
     * @param node the node to explain, which must exist; null for none
     * @param count the number of nodes with a fix that is enough; 0 to search for none
     */
    public Explanation explain(ClusterSnapshot snapshot, PodInfo pod, @Nullable String node, int count) {
        return explain(snapshot, pod, node, count, pod.nodeName());
    }

    /**
     * The same for a pod whose node has been selected already.
     *
     * @param chosen the winner, if it is one of the best nodes; empty for none
     */
    public Explanation explain(ClusterSnapshot snapshot, PodInfo pod, @Nullable String node, int count, String chosen) {
        Remedy.Situation situation = Remedy.Situation.of(snapshot, pod);
        ClusterState state = situation.snapshot().state();
        SnapshotScheduler scheduler = source.create(state, TieBreak.first());
        Evaluation evaluation = scheduler.evaluate(situation.pod(), situation.nominated());
        if (evaluation.fitError()) {
            evaluation = evaluation.withError(PostFilters.withText(
                    String.valueOf(evaluation.error()),
                    scheduler.postFilterText(situation.pod(), situation.nominated())));
        }
        String winner = winner(evaluation, chosen);
        boolean fits = node == null ? winner != null : evaluation.feasible().contains(node);
        PreemptionResult preempted = winner == null && evaluation.fitError()
                ? scheduler.preempt(situation.pod(), situation.nominated(), evaluation, preemption)
                : null;
        if (fits || count == 0) {
            return new Explanation(pod, node, evaluation, winner, Map.of(), null, preempted, Map.of());
        }
        TrialScheduler trials = new TrialScheduler(source);
        Map<String, List<Obstacle>> obstacles = trials.obstacles(situation);
        if (node != null) {
            obstacles = Map.of(node, obstacles.getOrDefault(node, List.of()));
        }
        NearestFits nearest = new NearestFits.Search(trials, labels, count, BUDGET).run(situation, obstacles);
        return new Explanation(
                pod, node, evaluation, winner, obstacles, nearest, preempted, devices(situation, obstacles));
    }

    private static Map<String, List<DeviceReport.Verdict>> devices(
            Remedy.Situation situation, Map<String, List<Obstacle>> obstacles) {
        DeviceReport report = new DeviceReport();
        ClusterState state = situation.snapshot().state();
        Map<String, List<DeviceReport.Verdict>> devices = new TreeMap<>();
        obstacles.forEach((name, against) -> {
            NodeInfo info = state.node(name);
            boolean byDevices = against.stream()
                    .anyMatch(obstacle -> obstacle.filter().equals(KnownAlgorithms.DYNAMIC_RESOURCES)
                            && obstacle.reasons().contains("cannot allocate all claims"));
            if (byDevices && info != null) {
                devices.put(name, report.of(situation.pod(), info, state));
            }
        });
        return devices;
    }

    private static @Nullable String winner(Evaluation evaluation, String chosen) {
        if (evaluation.error() != null || evaluation.feasible().isEmpty()) {
            return null;
        }
        List<String> best = evaluation.best();
        if (best.contains(chosen)) {
            return chosen;
        }
        return best.isEmpty() ? evaluation.feasible().get(0) : best.get(0);
    }

    /**
     * The {@code labelsPresence} arguments of a policy.
     *
     * @param present keys that a node must have
     * @param absent keys that it must not have
     */
    public record RequiredLabels(List<String> present, List<String> absent) {
        /** No requirements. */
        public static final RequiredLabels NONE = new RequiredLabels(List.of(), List.of());

        public RequiredLabels {
            present = List.copyOf(present);
            absent = List.copyOf(absent);
        }
    }
}
