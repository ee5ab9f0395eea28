package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.Meter;
import org.jspecify.annotations.Nullable;

/** A compiled term. Immutable and thread-safe. */
public interface Executable {
    /**
     * Prepares for one pod.
     *
     * @param counts of the cluster
     * @param meter is charged for work, and ends expensive evaluations
     */
    Execution start(PodInfo pod, ClusterCounts counts, Meter meter);

    /**
     * An {@link Executable} for one pod. Used by one thread. Fails with a {@link io.policyscheduler.engine.rules.data.RuleFailure}.
     */
    public interface Execution {
        /**
         * The value of a term of type BOOL.
         *
         * @param node the node; null for a term that reads the pod only
         */
        boolean bool(@Nullable NodeInfo node);

        /** The value of a term of type NUMBER, finite. */
        double number(NodeInfo node);
    }
}
