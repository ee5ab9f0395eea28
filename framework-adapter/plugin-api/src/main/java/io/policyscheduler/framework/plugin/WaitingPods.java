package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The pods that wait at Permit, and those whose PreBind plugins run. All methods may be called on any thread. */
public interface WaitingPods {
    /** No waiting pods; for profiles that are only validated or simulated. */
    WaitingPods NONE = List::of;

    /** A pod that waits. */
    interface WaitingPod {
        /** The pod. */
        PodInfo pod();

        /** The selected node. */
        String node();

        /** The plugins that it still waits for. */
        Set<String> pendingPlugins();

        /** Allows the pod for a plugin; once all plugins have allowed it, its binding continues. */
        void allow(String plugin);

        /** Rejects the pod, which is requeued. */
        void reject(String message);

        /**
         * The same for a plugin, whose events then requeue the pod.
         *
         * @param plugin its name in the profile
         */
        default void reject(String plugin, String message) {
            reject(message);
        }

        /**
         * Rejects the pod because another one needs its resources: it is retried after its backoff, without waiting for an event.
         *
         * @param plugin its name in the profile
         */
        default void preempt(String plugin, String message) {
            reject(plugin, message);
        }
    }

    /** All waiting pods, in the order in which they began to wait. */
    List<WaitingPod> all();

    /** The waiting pod with this UID; null if none waits. */
    default @Nullable WaitingPod get(String uid) {
        for (WaitingPod waiting : all()) {
            if (waiting.pod().uid().equals(uid)) {
                return waiting;
            }
        }
        return null;
    }

    /**
     * Cancels the binding of a pod whose volumes or PreBind plugins are not finished: the pod is unreserved and requeued. Mirrors
     * {@code PodInPreBind.CancelPod}.
     *
     * @return false if PreBind of this pod is finished or has not begun; then nothing changes
     */
    default boolean cancelBinding(String uid, String message) {
        return false;
    }
}
