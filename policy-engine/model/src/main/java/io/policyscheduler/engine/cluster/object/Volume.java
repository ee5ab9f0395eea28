package io.policyscheduler.engine.cluster.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A volume of a pod, or the source of a persistent volume, with the fields that affect scheduling.
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

    /** The claim of this volume of {@code pod}, including ephemeral volumes; null for other volumes. */
    public @Nullable String claimName(PodInfo pod) {
        return switch (kind) {
            case CLAIM -> id;
            case EPHEMERAL -> pod.name() + "-" + id;
            default -> null;
        };
    }

    /** The sources that scheduling distinguishes; {@code OTHER} is every other one. */
    public enum Kind {
        CLAIM,
        /** An ephemeral volume, whose claim is named after pod and volume; the ID is the volume's name. v1.17 does not have it. */
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
