package io.policyscheduler.framework.insight.explain;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.devices.DeviceReport;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything about where one pod goes.
 *
 * @param pod as it stands in the cluster, on its node if it runs
 * @param askedNode the node that was asked about; null when none was
 * @param evaluation what was found out about all nodes
 * @param winner the node chosen; a running pod's own one when no other is better. Null when none fits
 * @param obstacles all filters against a node: against the one that was asked about, or against all nodes when none fits
 * @param nearest what would make the pod fit there; null when it does
 * @param preemption what preemption would do; null when some node fits
 * @param devices what speaks against each device of the nodes on which claims cannot be allocated
 */
public record Explanation(
        PodInfo pod,
        @Nullable String askedNode,
        Evaluation evaluation,
        @Nullable String winner,
        Map<String, List<Obstacle>> obstacles,
        @Nullable NearestFits nearest,
        @Nullable PreemptionResult preemption,
        Map<String, List<DeviceReport.Verdict>> devices) {
    public Explanation {
        devices = ImmutableMap.copyOf(devices);
        obstacles = ImmutableMap.copyOf(obstacles);
    }

    /** True when the pod fits: on the node that was asked about, or on any. */
    public boolean fits() {
        return askedNode == null ? winner != null : evaluation.feasible().contains(askedNode);
    }

    /** Feasible nodes, the best first: by total, the winner before its equals, then by name. */
    public List<String> ranking() {
        return evaluation.feasible().stream()
                .sorted((a, b) -> {
                    int byTotal = Long.compare(total(b), total(a));
                    if (byTotal != 0) {
                        return byTotal;
                    }
                    int byWinner = Boolean.compare(b.equals(winner), a.equals(winner));
                    return byWinner != 0 ? byWinner : a.compareTo(b);
                })
                .collect(ImmutableList.toImmutableList());
    }

    /** The weighted sum of a feasible node. */
    public long total(String node) {
        return evaluation.totals().getOrDefault(node, 0L);
    }

    /** The best node beside the winner; null when there is none. */
    public @Nullable String runnerUp() {
        List<String> ranking = ranking();
        return ranking.size() < 2 ? null : ranking.get(1);
    }
}
