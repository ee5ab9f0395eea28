package io.policyscheduler.engine.functions;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.NodeTrial;

/** A preemption trial with predicates as functions, on its own copies; stops at the first failing predicate. */
final class FunctionTrial implements NodeTrial {
    private final FunctionFilters filters;
    private final NodeInfo node;
    private final NominatedPods nominated;

    FunctionTrial(FunctionFilters filters, NodeInfo node, NominatedPods nominated) {
        this.filters = filters;
        this.node = node;
        this.nominated = nominated;
    }

    @Override
    public boolean remove(PodInfo pod) {
        return node.removePod(pod) != null && filters.removePod(pod, node) == null;
    }

    @Override
    public boolean add(PodInfo pod) {
        node.addPod(pod);
        return filters.addPod(pod, node) == null;
    }

    @Override
    public boolean fits() {
        return filters.check(node, nominated, false).verdict().fits();
    }
}
