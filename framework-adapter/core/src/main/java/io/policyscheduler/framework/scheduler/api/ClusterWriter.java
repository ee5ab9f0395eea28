package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls to the API server. No method blocks: the work is done elsewhere. A {@code done} may be called on any
 * thread, also before the method returns, and must be called exactly once.
 */
public interface ClusterWriter extends Binder {
    /**
     * Writes, in one go, why a pod is not placed and where it is nominated to. Must not overwrite the status of a pod that has been
     * bound by now. What is written last of a pod stays. Failures are only logged.
     *
     * @param condition {@code PodScheduled}; null to leave it as it is
     * @param nominatedNode null to leave it as it is, empty to remove it
     */
    void updateStatus(PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode);

    /**
     * Records an event about {@code pod}. Failures are only logged.
     *
     * @param type {@code Normal} or {@code Warning}
     * @param generation of the profiles that decided, see {@link Profiles#generation()}
     */
    void event(PodInfo pod, String type, String reason, String message, long generation);

    /** Reads the pod of this namespace and name, not from a cache. */
    void readPod(PodInfo pod, Consumer<PodRead> done);

    /** The answer to a read of one pod by name. */
    public sealed interface PodRead {
        /** There is a pod of this name; its UID may be another one. */
        record Found(PodInfo pod) implements PodRead {}

        /** There is no pod of this name. */
        record NotFound() implements PodRead {}

        /** No answer; to be tried again. */
        record Failed(String message) implements PodRead {}
    }
}
