package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Instant;

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
