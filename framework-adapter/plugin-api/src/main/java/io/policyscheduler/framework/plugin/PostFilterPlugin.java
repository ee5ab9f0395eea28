package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Map;

/** Tries to make a pod schedulable that fits nowhere. */
public interface PostFilterPlugin extends Plugin {
    /** What the scheduler can do for such a plugin. */
    interface Services {
        /**
         * Evicts pods of lower priority if that makes room, as kube-scheduler's preemption does.
         *
         * @return success when a node has been promised to the pod, and always by the rules of 1.17; else a rejection that says why
         *     nothing is done, or an error
         */
        Status preempt();
    }

    /**
     * Called after an attempt in which no node was feasible, in the order of the profile until one does not reject.
     *
     * @param failures what each node was rejected for
     * @return success when something was done that will help; a rejection to let the next plugin try; unresolvable or an error to
     *     stop here
     */
    Status postFilter(CycleState state, PodInfo pod, Map<String, NodeFailure> failures, Services services);

    /** False when the plugin does not look at the failures, which cost another look at every node. */
    default boolean wantsFailures() {
        return true;
    }
}
