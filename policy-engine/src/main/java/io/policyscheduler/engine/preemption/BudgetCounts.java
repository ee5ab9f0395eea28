package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.object.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.IdentityHashMap;

/**
 * How many more pods each disruption budget lets go while pods of one node are gone through in order. Mirrors
 * {@code filterPodsWithPDBViolation} of {@code pkg/scheduler/framework/plugins/defaultpreemption}.
 */
final class BudgetCounts {
    private final ClusterView cluster;
    private final IdentityHashMap<DisruptionBudgetInfo, Integer> left = new IdentityHashMap<>();

    BudgetCounts(ClusterView cluster) {
        this.cluster = cluster;
    }

    /** Takes the pod off all budgets that cover it; true when one of them does not allow that. */
    boolean isBrokenBy(PodInfo pod) {
        if (pod.labels().isEmpty()) {
            return false;
        }
        boolean broken = false;
        for (DisruptionBudgetInfo budget : cluster.budgets(pod.namespace())) {
            // Evictions that the API server has let pass are already taken off.
            if (budget.covers(pod.labels()) && !budget.disruptedPods().contains(pod.name())) {
                int allowed = left.getOrDefault(budget, budget.disruptionsAllowed()) - 1;
                left.put(budget, allowed);
                broken |= allowed < 0;
            }
        }
        return broken;
    }
}
