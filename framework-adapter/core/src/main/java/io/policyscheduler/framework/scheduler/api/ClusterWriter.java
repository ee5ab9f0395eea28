package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous calls to the API server. No method blocks. A {@code done} callback is called exactly once, on any thread,
 * possibly before the method returns.
 */
public interface ClusterWriter extends Binder {
    /**
     * Writes the condition and the nominated node of an unscheduled pod in one request. Must not overwrite the status of a pod that
     * is bound meanwhile. The last write for a pod wins. Failures are only logged.
     *
     * @param condition {@code PodScheduled}; null to leave it as it is
     * @param nominatedNode null to leave it as it is, empty to remove it
     */
    void updateStatus(PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode);

    /**
     * Records an event about {@code pod}. Failures are only logged.
     *
     * @param type {@code Normal} or {@code Warning}
     * @param generation of the profiles of the decision, see {@link Profiles#generation()}
     */
    void event(PodInfo pod, String type, String reason, String message, long generation);

    /** Reads the pod of this namespace and name from the API server, not from a cache. */
    void readPod(PodInfo pod, Consumer<PodRead> done);

    /** The result of reading one pod by name. */
    public sealed interface PodRead {
        /** The pod of this name; its UID may differ. */
        record Found(PodInfo pod) implements PodRead {}

        /** No pod has this name. */
        record NotFound() implements PodRead {}

        /** No response; the caller retries. */
        record Failed(String message) implements PodRead {}
    }
}
