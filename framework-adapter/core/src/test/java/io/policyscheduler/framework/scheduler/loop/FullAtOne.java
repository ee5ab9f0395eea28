package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Status;

/** Accepts one pod per node. */
final class FullAtOne implements FilterPlugin {
    @Override
    public String name() {
        return "FullAtOne";
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        return node.podCount() == 0 ? Status.SUCCESS : Status.unschedulable("full");
    }
}
