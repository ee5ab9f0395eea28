package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.preemption.NodeTrial;

/** A preemption trial with filter plugins, on its own copies. */
final class FilterTrial implements NodeTrial {
    private final FilterRun filters;
    private final NodeInfo node;
    private final NominatedPods nominated;

    FilterTrial(FilterRun filters, NodeInfo node, NominatedPods nominated) {
        this.filters = filters;
        this.node = node;
        this.nominated = nominated;
    }

    @Override
    public boolean remove(PodInfo pod) {
        return node.removePod(pod) && filters.removePod(pod, node) == null;
    }

    @Override
    public boolean add(PodInfo pod) {
        node.addPod(pod);
        return filters.addPod(pod, node) == null;
    }

    @Override
    public boolean fits() {
        return filters.check(node, nominated) == null;
    }
}
