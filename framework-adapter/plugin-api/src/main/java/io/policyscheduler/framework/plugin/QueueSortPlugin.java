package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Instant;

/** The order in which pods are tried. A scheduler has one, shared by all profiles. */
public interface QueueSortPlugin extends Plugin {
    /**
     * Negative when {@code a} goes first. Must not depend on anything that changes while a pod waits. Equal pods are tried in the
     * order in which they came.
     */
    int compare(QueueItem a, QueueItem b);

    /** A pod that waits to be tried, as a {@link QueueSortPlugin} sees it. */
    public interface QueueItem {
        /** The pod as last seen. */
        PodInfo pod();

        /** When it came in or last failed. */
        Instant timestamp();

        /** How often it has been tried. */
        int attempts();

        /** When it first came in. */
        Instant initialAttempt();
    }
}
