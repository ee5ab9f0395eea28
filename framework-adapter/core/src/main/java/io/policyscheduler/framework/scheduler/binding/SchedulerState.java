package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import java.time.Clock;

/**
 * The state of the scheduling thread. No other thread accesses it.
 *
 * @param cluster the snapshot for decisions
 * @param store the last observed objects of the API server
 * @param cache the pods on nodes, including assumed ones
 * @param queue the pods to schedule
 * @param inFlight pods that were popped and are not finished
 */
public record SchedulerState(
        ClusterState cluster, InformerStore store, Cache cache, SchedulingQueue queue, PodsInFlight inFlight) {

    /**
     * The API server, the inbox, and the listener of the scheduling thread.
     *
     * @param writer calls the API server; results come back through the inbox
     * @param inbox passes messages to the scheduling thread
     * @param listener receives a callback for each step
     * @param clock measures durations
     */
    public record SchedulerContext(
            ClusterWriter writer, EventInbox inbox, SchedulerListener listener, Clock clock, Clock wallClock) {}
}
