package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClaimInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.cluster.Volume;
import org.jspecify.annotations.Nullable;

/** What plugins say about claims, and how the volumes of pods name them. */
final class Claims {
    private Claims() {}

    static String notFound(String claim) {
        return "persistentvolumeclaim \"" + claim + "\" not found";
    }

    /** The name of the claim behind a volume; null when there is none. */
    static @Nullable String nameOf(PodInfo pod, Volume volume) {
        return switch (volume.kind()) {
            case CLAIM -> volume.id();
            case EPHEMERAL -> pod.name() + "-" + volume.id();
            default -> null;
        };
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
