package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Selects a node for a pod on the current cluster. Called by the scheduling thread only. Named as in {@code pkg/scheduler/core} of 1.17. */
public interface ScheduleAlgorithm {
    /** An empty state for one attempt. */
    default CycleState newState() {
        return new StateKeys().newState();
    }

    /** Decides with a new state. */
    default Decision decide(PodInfo pod, NominatedPods nominated) {
        return decide(pod, nominated, newState());
    }

    /** Decides; changes nothing in the cluster. {@code state} contains the plugin state for later extension points. */
    Decision decide(PodInfo pod, NominatedPods nominated, CycleState state);

    /** The rejection of each node after an attempt without a feasible node; empty or null if unknown. */
    default @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        return Map.of();
    }

    /**
     * The node that it would choose for a pod that another algorithm schedules, without side effects on either.
     *
     * @return null if unsupported, for example with extenders
     */
    default @Nullable Ranking rankInPlace(PodInfo pod, NominatedPods nominated) {
        return null;
    }
}
