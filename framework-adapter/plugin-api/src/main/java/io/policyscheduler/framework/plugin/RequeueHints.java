package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Declares which changes may help a pod that this plugin rejected, so that other changes need not requeue it. Used only if the
 * scheduler runs with requeue hints. For a plugin without this interface, every change counts. Mirrors the queueing hints of
 * current releases.
 */
public interface RequeueHints extends Plugin {
    /** The events that may help. */
    Set<ClusterEvent> events();

    /**
     * Whether this change may help.
     *
     * @param changed the current version of the object; null if it was deleted or the event is not about a single object
     */
    default boolean mayHelp(PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
        return true;
    }
}
