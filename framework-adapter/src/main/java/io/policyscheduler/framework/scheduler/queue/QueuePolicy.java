package io.policyscheduler.framework.scheduler.queue;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.QueueItem;
import org.jspecify.annotations.Nullable;

/** What profiles say about the queue. */
public interface QueuePolicy {
    /** Higher priority first, then the earlier timestamp; every pod may enter, every change may help. */
    QueuePolicy BY_PRIORITY = new QueuePolicy() {};

    /** Negative when {@code a} goes first, 0 when neither does. */
    default int compare(QueueItem a, QueueItem b) {
        int byPriority = Integer.compare(b.pod().priority(), a.pod().priority());
        return byPriority != 0 ? byPriority : a.timestamp().compareTo(b.timestamp());
    }

    /** False for a pod that must not be tried yet. */
    default boolean mayEnter(PodInfo pod) {
        return true;
    }

    /**
     * Whether a change may make an unschedulable pod schedulable.
     *
     * @param changed the object as it is now; null when it is gone or the event is about no single object
     */
    default boolean mayHelp(QueuedPod entry, ClusterEvent event, @Nullable ClusterObject changed) {
        return true;
    }
}
