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
 * All that the scheduling thread keeps, and nobody else touches.
 *
 * @param cluster what decisions are made on
 * @param store objects as the API server last showed them
 * @param cache which pods count on which node of the cluster
 * @param queue pods that wait for their turn
 * @param inFlight pods that are neither in the queue nor finished with
 */
public record SchedulerState(
        ClusterState cluster, InformerStore store, Cache cache, SchedulingQueue queue, PodsInFlight inFlight) {

    /**
     * The API server, the inbox, and the listener of the scheduling thread.
     *
     * @param writer calls the API server; answers come back through the inbox
     * @param inbox brings things back to the scheduling thread
     * @param listener receives a callback for each step
     * @param clock measures waits
     */
    public record SchedulerContext(
            ClusterWriter writer, EventInbox inbox, SchedulerListener listener, Clock clock, Clock wallClock) {}
}
