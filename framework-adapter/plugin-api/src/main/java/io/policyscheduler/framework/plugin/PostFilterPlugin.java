package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Map;

/** Tries to make an unschedulable pod schedulable. */
public interface PostFilterPlugin extends Plugin {
    /** Services of the scheduler for post-filter plugins. */
    interface Services {
        /**
         * Runs preemption.
         *
         * @return success if the pod was nominated to a node, and always with the rules of 1.17; else a rejection with the reason
         *     why there is no preemption, or an error
         */
        Status preempt();
    }

    /**
     * Called after an attempt in which no node was feasible, in the order of the profile until one does not reject.
     *
     * @param failures the rejection of each node
     * @return success if the pod may become schedulable; a rejection to continue with the next plugin; unresolvable or an error to
     *     stop here
     */
    Status postFilter(CycleState state, PodInfo pod, Map<String, NodeFailure> failures, Services services);

    /** False if the plugin does not read the failures, whose computation evaluates every node again. */
    default boolean wantsFailures() {
        return true;
    }
}
