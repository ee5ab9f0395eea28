package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.PodInfo;
import java.util.List;

/** Pods that preemption has promised a place. */
public interface NominatedPods {
    /** Nobody is nominated. */
    NominatedPods NONE = node -> List.of();

    /** Pods nominated to {@code node}, in the order of nomination. */
    List<PodInfo> on(String node);
}
