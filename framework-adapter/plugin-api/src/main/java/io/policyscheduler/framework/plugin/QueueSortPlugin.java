package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Instant;

/** The order of the active queue. A scheduler has one, shared by all profiles. */
public interface QueueSortPlugin extends Plugin {
    /**
     * Negative if {@code a} is scheduled first. Must not depend on anything that changes while a pod waits. Equal pods are
     * scheduled in the order of their arrival.
     */
    int compare(QueueItem a, QueueItem b);

    /** A queued pod, for a {@link QueueSortPlugin}. */
    public interface QueueItem {
        /** The last observed version of the pod. */
        PodInfo pod();

        /** When it was added or last failed. */
        Instant timestamp();

        /** The number of attempts. */
        int attempts();

        /** When it was first added. */
        Instant initialAttempt();
    }
}
