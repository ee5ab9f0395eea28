package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;

/** A plugin that filters out nodes on which a pod cannot run. */
public interface FilterPlugin extends Plugin {
    /**
     * Returns whether {@code node} is feasible for the pod: it can have more or fewer pods than the node of the cluster. Called for
     * every node; return {@link Status#SUCCESS} itself for a feasible node.
     */
    Status filter(CycleState state, PodInfo pod, NodeInfo node);
}
