package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says which changes may help a pod that this plugin rejected, so that others need not wake it. Asked only when the scheduler runs
 * with requeue hints. A plugin that does not implement this is taken to be helped by every change. Mirrors the queueing hints of
 * current releases.
 */
public interface RequeueHints extends Plugin {
    /** Events that may make the plugin change its mind. */
    Set<ClusterEvent> events();

    /**
     * Whether this very change may help.
     *
     * @param changed the object as it is now; null when it is gone or the event is about no single object
     */
    default boolean mayHelp(PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        return true;
    }
}
