package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.Meter;
import org.jspecify.annotations.Nullable;

/** A checked term that an executor has made ready to run. Immutable, for any number of threads. */
public interface Executable {
    /**
     * Prepares for one pod.
     *
     * @param counts what the rule may ask about the cluster
     * @param meter is charged for what is done, and ends what costs too much
     */
    Execution start(PodInfo pod, ClusterCounts counts, Meter meter);

    /**
     * An {@link Executable} at work on one pod. Used by one thread. Fails with a
     * {@link io.policyscheduler.engine.rules.data.RuleFailure}.
     */
    public interface Execution {
        /**
         * The value of a term of type BOOL.
         *
         * @param node the node to look at; null for a term that looks at the pod alone
         */
        boolean bool(@Nullable NodeInfo node);

        /** The value of a term of type NUMBER, finite. */
        double number(NodeInfo node);
    }
}
