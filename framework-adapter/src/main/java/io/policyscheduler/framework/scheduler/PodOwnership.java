package io.policyscheduler.framework.scheduler;

import io.policyscheduler.engine.cluster.PodInfo;

/** Says which pods this scheduler is responsible for. */
@FunctionalInterface
public interface PodOwnership {
    /** True when the pod names this scheduler; must not change during a pod's life. */
    boolean isOurs(PodInfo pod);

    /** The pods whose {@code spec.schedulerName} is {@code name}. */
    static PodOwnership ofSchedulerName(String name) {
        return pod -> pod.spec().schedulerName().equals(name);
    }
}
