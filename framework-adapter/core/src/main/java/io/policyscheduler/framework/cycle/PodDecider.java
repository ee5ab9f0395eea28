package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decides where a pod goes, on the cluster as it is now. Called by the scheduling thread only. */
public interface PodDecider {
    /** An empty state for one attempt. */
    default CycleState newState() {
        return new StateKeys().newState();
    }

    /** Decides on a state of its own. */
    default Decision decide(PodInfo pod, NominatedPods nominated) {
        return decide(pod, nominated, newState());
    }

    /** Decides; changes nothing in the cluster. What plugins remember for the later steps is left in {@code state}. */
    Decision decide(PodInfo pod, NominatedPods nominated, CycleState state);

    /** What each node is rejected for, after an attempt in which no node fitted; empty or null when nothing is known. */
    default @Nullable Map<String, NodeFailure> failures(PodInfo pod, NominatedPods nominated) {
        return Map.of();
    }

    /**
     * Where it would place a pod that another decider decides, without a change to anything that either of them uses later.
     *
     * @return null if it cannot say, such as with extenders
     */
    default @Nullable Ranking rankBeside(PodInfo pod, NominatedPods nominated) {
        return null;
    }
}
