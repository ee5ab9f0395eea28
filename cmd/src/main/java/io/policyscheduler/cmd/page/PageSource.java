package io.policyscheduler.cmd.page;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.loop.SchedulerCounts;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a page shows the state of. Thread-safe. */
@FunctionalInterface
public interface PageSource {
    /**
     * Runs something soon on the thread that owns the state. It must be quick and must not throw.
     *
     * @param look is given the state, which it must not keep
     */
    void post(Consumer<Inside> look);

    /** The state, to be touched on its own thread only. */
    interface Inside {
        /** Nodes with their pods; not to be changed. */
        ClusterState cluster();

        /** Where pods are, by number. */
        SchedulerCounts counts();

        /** A copy of a part of the queue. */
        List<QueuedPod> waiting(QueuePart part);

        /** Where a pod waits, by its {@code namespace/name}; null when nowhere. */
        @Nullable
        QueuePart partOf(String key);

        /** A pod as it was last seen; null when there is none. */
        @Nullable
        PodInfo pod(String namespace, String name);
    }
}
