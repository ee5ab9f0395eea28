package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.PodInfo;

/** Decides where a pod goes, on the cluster as it is now. Called by the scheduling thread only. */
public interface PodDecider {
    /** Decides; changes nothing in the cluster. */
    Decision decide(PodInfo pod, NominatedPods nominated);
}
