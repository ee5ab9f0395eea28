package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;

/** Rules nodes out. */
public interface FilterPlugin extends Plugin {
    /**
     * Whether {@code node}, as given, takes the pod: it may hold more or fewer pods than the cluster's own. Called for every
     * node; return {@link Status#SUCCESS} itself for a node that passes.
     */
    Status filter(CycleState state, PodInfo pod, NodeInfo node);

    /** What {@link #filter} depends on; answers that depend on the node alone are kept for equal pods. */
    default Scope filterScope() {
        return Scope.CLUSTER;
    }

    /**
     * 0 for most; else a number that is another one whenever {@link #filter} may answer otherwise for the same pod and an unchanged node,
     * so that what was kept is to be asked again.
     */
    default long filterRevision() {
        return 0;
    }

    /**
     * Asked after the pre-filter step: true when {@link #filter} passes every node as long as no what-if change is made to
     * {@code state}, which saves calling it.
     */
    default boolean passesUntilChanged(CycleState state) {
        return false;
    }
}
