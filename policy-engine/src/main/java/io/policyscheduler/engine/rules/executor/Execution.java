package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import org.jspecify.annotations.Nullable;

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
