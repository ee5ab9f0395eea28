package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Tracks additional resources that pods use on nodes. */
public interface ReservePlugin extends Plugin {
    /** Called when {@code node} is selected for the pod, before it is bound. Anything but success reverts the reservation. */
    Status reserve(CycleState state, PodInfo pod, String node);

    /**
     * Reverts a reservation. Called in reverse order on every failure after Reserve, also for a plugin whose own Reserve failed or
     * was not reached; must not fail.
     */
    default void unreserve(CycleState state, PodInfo pod, String node) {}
}
