package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.StateKeys;

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
}
