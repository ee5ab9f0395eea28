package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;

/** Rules nodes out. */
public interface FilterPlugin extends Plugin {
    /**
     * Whether {@code node}, as given, takes the pod: it may hold more or fewer pods than the cluster's own. Called for every
     * node; return {@link Status#SUCCESS} itself for a node that passes.
     */
    Status filter(CycleState state, PodInfo pod, NodeInfo node);
}
