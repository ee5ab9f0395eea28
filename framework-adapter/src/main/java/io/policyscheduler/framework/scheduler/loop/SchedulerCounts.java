package io.policyscheduler.framework.scheduler.loop;

/**
 * Where pods are, by number; the values of the gauges.
 *
 * @param active to be tried next
 * @param backoff waiting for the end of a backoff
 * @param unschedulable waiting for a change
 * @param rereading failed and being read again
 * @param binding with a bind running
 * @param assumed counted on a node without confirmation, those with a bind running included
 * @param cachedPods counted on a node
 * @param nodes node objects
 * @param gated held back by a plugin
 * @param statusWrites whose condition is to be written or is being written
 */
public record SchedulerCounts(
        int active,
        int backoff,
        int unschedulable,
        int rereading,
        int binding,
        int assumed,
        int cachedPods,
        int nodes,
        int gated,
        int statusWrites) {
    /** Counts without gated pods and status writes. */
    public SchedulerCounts(
            int active,
            int backoff,
            int unschedulable,
            int rereading,
            int binding,
            int assumed,
            int cachedPods,
            int nodes) {
        this(active, backoff, unschedulable, rereading, binding, assumed, cachedPods, nodes, 0, 0);
    }

    /** Returns a copy with another number of status writes. */
    public SchedulerCounts withStatusWrites(int count) {
        return new SchedulerCounts(
                active, backoff, unschedulable, rereading, binding, assumed, cachedPods, nodes, gated, count);
    }
}
