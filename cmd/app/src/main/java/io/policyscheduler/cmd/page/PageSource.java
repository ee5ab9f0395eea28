package io.policyscheduler.cmd.page;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scheduler state that a page shows. Thread-safe. */
@FunctionalInterface
public interface PageSource {
    /**
     * Runs something soon on the thread that owns the state. It must be quick and must not throw.
     *
     * @param task receives the state and must not keep a reference to it
     */
    void post(Consumer<SchedulerState> task);

    /** The state, to be touched on its own thread only. */
    interface SchedulerState {
        /** Nodes with their pods; not to be changed. */
        ClusterState cluster();

        /** Where pods are, by number. */
        Counts counts();

        /** A copy of a part of the queue. */
        List<QueuedPod> waiting(Part part);

        /** Where a pod waits, by its {@code namespace/name}; null when nowhere. */
        @Nullable
        Part partOf(String key);

        /** The last known state of a pod; null if it does not exist. */
        @Nullable
        PodInfo pod(String namespace, String name);
    }

    /** The state of a {@link Scheduler}. */
    public static final class SchedulerSource implements PageSource {
        private static final Logger LOG = LoggerFactory.getLogger(SchedulerSource.class);

        private final Scheduler scheduler;
        private final SchedulerState inside = new State();

        public SchedulerSource(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        @Override
        public void post(Consumer<SchedulerState> task) {
            scheduler.post(new ClusterChange.Task("look for the page", () -> run(task)));
        }

        /** An exception of the page must not end the scheduling thread. */
        private void run(Consumer<SchedulerState> task) {
            try {
                task.accept(inside);
            } catch (RuntimeException e) {
                LOG.error("looking for the page failed", e);
            }
        }

        private final class State implements SchedulerState {
            @Override
            public ClusterState cluster() {
                return scheduler.cluster();
            }

            @Override
            public Counts counts() {
                return scheduler.counts();
            }

            @Override
            public List<QueuedPod> waiting(Part part) {
                return scheduler.queue().entries(part);
            }

            @Override
            public @Nullable Part partOf(String key) {
                return scheduler.queue().partOf(key);
            }

            @Override
            public @Nullable PodInfo pod(String namespace, String name) {
                return scheduler.pod(namespace, name);
            }
        }
    }
}
