package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.plugin.Status;

/** A reserve plugin of which a configuration of the first version enables one half, or both. */
record HalfReserve(ReservePlugin plugin, boolean reserves, boolean unreserves) implements ReservePlugin {
    @Override
    public String name() {
        return plugin.name();
    }

    @Override
    public Status reserve(CycleState state, PodInfo pod, String node) {
        return reserves ? plugin.reserve(state, pod, node) : Status.SUCCESS;
    }

    @Override
    public void unreserve(CycleState state, PodInfo pod, String node) {
        if (unreserves) {
            plugin.unreserve(state, pod, node);
        }
    }
}
