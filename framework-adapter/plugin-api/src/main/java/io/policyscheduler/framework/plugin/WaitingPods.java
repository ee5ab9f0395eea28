package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The pods that a {@link PermitPlugin} keeps waiting. All methods may be called on any thread. */
public interface WaitingPods {
    /** No pod ever waits; for profiles that are only checked or simulated. */
    WaitingPods NONE = List::of;

    /** A pod that waits. */
    interface WaitingPod {
        /** The pod. */
        PodInfo pod();

        /** Where it is to run. */
        String node();

        /** Names of the plugins that still make it wait. */
        Set<String> pendingPlugins();

        /** The plugin has no objection any more; once all have none, the pod goes on. */
        void allow(String plugin);

        /** The pod is rejected and tried again later. */
        void reject(String message);

        /**
         * The same in the name of a plugin, whose events then have the pod tried again.
         *
         * @param plugin as it is named in the profile
         */
        default void reject(String plugin, String message) {
            reject(message);
        }
    }

    /** All waiting pods, in the order in which they began to wait. */
    List<WaitingPod> all();

    /** The waiting pod with this UID; null when none waits. */
    default @Nullable WaitingPod get(String uid) {
        for (WaitingPod waiting : all()) {
            if (waiting.pod().uid().equals(uid)) {
                return waiting;
            }
        }
        return null;
    }
}
