package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Keeps books of its own about what pods take on nodes. */
public interface ReservePlugin extends Plugin {
    /** The pod has been given {@code node}, before it is bound. Anything but success takes that back. */
    Status reserve(CycleState state, PodInfo pod, String node);

    /**
     * The pod will not be bound after all. Called in reverse order on every failure after a reserve, also for a plugin whose own
     * reserve failed or was not reached; must not fail.
     */
    default void unreserve(CycleState state, PodInfo pod, String node) {}
}
