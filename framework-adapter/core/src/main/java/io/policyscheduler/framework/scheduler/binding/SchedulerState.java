package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.scheduler.cache.Cache;
import io.policyscheduler.framework.scheduler.cache.InformerStore;
import io.policyscheduler.framework.scheduler.queue.SchedulingQueue;

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
        ClusterState cluster, InformerStore store, Cache cache, SchedulingQueue queue, PodsInFlight inFlight) {}
