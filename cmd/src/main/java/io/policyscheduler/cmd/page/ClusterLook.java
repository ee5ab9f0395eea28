package io.policyscheduler.cmd.page;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.scheduler.loop.SchedulerCounts;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.List;
import java.util.Map;

/**
 * What was copied of the state at one moment: all that the owning thread has to do for a page.
 *
 * @param counts where pods are
 * @param nodeCount how many nodes there are, changed or not
 * @param generation of the cluster, for the next look
 * @param nodes those that have changed since the look before
 * @param waiting pods of each part of the queue
 * @param nanos how long the look has taken
 */
record ClusterLook(
        SchedulerCounts counts,
        int nodeCount,
        long generation,
        List<NodeRow> nodes,
        Map<QueuePart, List<QueuedPod>> waiting,
        long nanos) {
    /** The generation before all others: every node counts as changed. */
    static final long EVERYTHING = -1;

    ClusterLook {
        nodes = ImmutableList.copyOf(nodes);
        waiting = ImmutableMap.copyOf(waiting);
    }

    /**
     * Looks; on the owning thread.
     *
     * @param since generation of the look before, or {@link #EVERYTHING}
     */
    static ClusterLook at(PageSource.Inside inside, long since) {
        long start = System.nanoTime();
        ClusterState cluster = inside.cluster();
        ImmutableList.Builder<NodeRow> changed = ImmutableList.builder();
        cluster.forEachNode(info -> {
            if (info.generation() > since) {
                changed.add(NodeRow.of(info));
            }
        });
        ImmutableMap.Builder<QueuePart, List<QueuedPod>> waiting = ImmutableMap.builder();
        for (QueuePart part : QueuePart.values()) {
            waiting.put(part, inside.waiting(part));
        }
        return new ClusterLook(
                inside.counts(),
                cluster.nodeCount(),
                cluster.generation(),
                changed.build(),
                waiting.buildOrThrow(),
                System.nanoTime() - start);
    }
}
