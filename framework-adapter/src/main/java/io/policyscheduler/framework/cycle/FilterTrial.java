package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.preemption.ExplainedTrial;
import org.jspecify.annotations.Nullable;

/** A preemption trial with filter plugins, on its own copies. */
final class FilterTrial implements ExplainedTrial {
    private final FilterRun filters;
    private final NodeInfo node;
    private final NominatedPods nominated;
    private String error = "";

    private FilterTrial(FilterRun filters, NodeInfo node, NominatedPods nominated) {
        this.filters = filters;
        this.node = node;
        this.nominated = nominated;
    }

    /** A trial of the pod of these filters on a node, both of which stay as they are. */
    static FilterTrial of(FilterRun filters, NodeInfo node, NominatedPods nominated) {
        return new FilterTrial(filters.copy(false), node.copy(), nominated);
    }

    @Override
    public boolean remove(PodInfo pod) {
        if (node.removePod(pod) == null) {
            error = "no corresponding pod " + pod.name() + " in pods of node " + node.name();
            return false;
        }
        return succeeded(filters.removePod(pod, node));
    }

    @Override
    public boolean add(PodInfo pod) {
        node.addPod(pod);
        return succeeded(filters.addPod(pod, node));
    }

    private boolean succeeded(@Nullable String problem) {
        if (problem != null) {
            error = problem;
        }
        return problem == null;
    }

    @Override
    public @Nullable Misfit check() {
        NodeStatus status = filters.check(node, nominated);
        return status == null
                ? null
                : new Misfit(status.status().reasons(), !status.status().isRejected());
    }

    @Override
    public String error() {
        return error;
    }
}
