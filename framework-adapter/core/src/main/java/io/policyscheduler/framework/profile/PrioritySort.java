package io.policyscheduler.framework.profile;

import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;

/** Higher priority first, then the earlier timestamp. Mirrors {@code pkg/scheduler/framework/plugins/queuesort}. */
public final class PrioritySort implements QueueSortPlugin {
    /** Its name in configurations. */
    public static final String NAME = "PrioritySort";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int compare(QueueItem a, QueueItem b) {
        int byPriority = Integer.compare(b.pod().priority(), a.pod().priority());
        return byPriority != 0 ? byPriority : a.timestamp().compareTo(b.timestamp());
    }
}
