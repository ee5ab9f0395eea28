package io.policyscheduler.framework.modern.volume;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import org.jspecify.annotations.Nullable;

/** What plugins say about claims. */
final class Claims {
    private Claims() {}

    static String notFound(String claim) {
        return "persistentvolumeclaim \"" + claim + "\" not found";
    }

    /** Why the claim of an ephemeral volume is not the pod's own; null when it is. */
    static @Nullable String foreign(PodInfo pod, ClaimInfo claim) {
        return claim.namespace().equals(pod.namespace())
                        && !claim.controllerUid().isEmpty()
                        && claim.controllerUid().equals(pod.uid())
                ? null
                : "PVC " + claim.key() + " was not created for pod " + pod.key() + " (pod is not owner)";
    }

    static String noBindingMode(String storageClass) {
        return "VolumeBindingMode not set for StorageClass \"" + storageClass + "\"";
    }
}
