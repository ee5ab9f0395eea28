package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.queue.Nominator;

/** Makes room for a pod that fits nowhere. Called on the scheduling thread, after the failure has been recorded. */
@FunctionalInterface
public interface Preemptor {
    /** Never makes room. */
    Preemptor NONE = (pod, nominated) -> Status.SUCCESS;

    /**
     * Chooses victims, nominates, and starts the writes, which are done elsewhere. A nomination whose write fails is to
     * be dropped by a {@link ClusterChange.Task}.
     *
     * @return success, or by the rules of current releases why nothing is done
     */
    Status preempt(PodInfo pod, Nominator nominated);

    /** True while room is being made for the pod, so that it need not be tried. */
    default boolean isPreparing(PodInfo pod) {
        return false;
    }
}
