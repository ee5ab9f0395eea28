package io.policyscheduler.engine.cluster.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A volume of a pod, or the source of a persistent volume, as far as scheduling looks at it.
 *
 * @param kind which source
 * @param id claim name, pdName, volumeID, iqn, image, diskName or CSI volume handle, by kind
 * @param detail RBD pool, Azure disk URI, CSI driver, azureFile secret/share; else empty
 * @param readOnly the source's readOnly flag
 * @param monitors RBD monitors; else empty
 */
public record Volume(Kind kind, String id, String detail, boolean readOnly, List<String> monitors) {
    public Volume {
        monitors = List.copyOf(monitors);
    }

    /** The claim that this volume of {@code pod} stands for, also one that is made for the pod; null for other volumes. */
    public @Nullable String claimName(PodInfo pod) {
        return switch (kind) {
            case CLAIM -> id;
            case EPHEMERAL -> pod.name() + "-" + id;
            default -> null;
        };
    }

    /** Sources that scheduling distinguishes; {@code OTHER} stands for every further one. */
    public enum Kind {
        CLAIM,
        /** A claim that is made for the pod and named after pod and volume; the id is the volume's name. v1.17 knows none. */
        EPHEMERAL,
        GCE_PD,
        AWS_EBS,
        ISCSI,
        RBD,
        AZURE_DISK,
        AZURE_FILE,
        CINDER,
        PORTWORX,
        CSI,
        OTHER
    }
}
