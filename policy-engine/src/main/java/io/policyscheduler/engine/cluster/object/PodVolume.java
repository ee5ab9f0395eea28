package io.policyscheduler.engine.cluster.object;

import java.util.List;

/**
 * An entry of {@code spec.volumes}, of any kind. What the placement of volumes looks at is a {@link Volume}.
 *
 * @param name the API server's own volumes for tokens are all {@value #TOKEN}: their names differ from pod to pod, and pods with the
 *     same spec share it
 * @param kind the field that says what it is, such as {@code configMap}; empty when there is none
 * @param claimName of a {@code persistentVolumeClaim}, else empty
 */
public record PodVolume(String name, String kind, String claimName) {
    /** Name of the volumes that the API server adds to every pod, without what it makes up for each. */
    public static final String TOKEN = "kube-api-access";

    private static final int MADE_UP = 5;

    /** A volume with this name as it stands in a pod. */
    public static PodVolume of(String name, String kind, String claimName) {
        boolean isToken = kind.equals("projected")
                && name.startsWith(TOKEN + "-")
                && name.length() == TOKEN.length() + 1 + MADE_UP;
        return new PodVolume(isToken ? TOKEN : name, kind, claimName);
    }

    /** Those of a pod of which no more is known than what placement looks at. */
    static List<PodVolume> of(List<Volume> volumes) {
        return volumes.stream().map(PodVolume::of).toList();
    }

    private static PodVolume of(Volume volume) {
        return switch (volume.kind()) {
            case CLAIM -> new PodVolume("", "persistentVolumeClaim", volume.id());
            case EPHEMERAL -> new PodVolume(volume.id(), "ephemeral", "");
            case GCE_PD -> new PodVolume("", "gcePersistentDisk", "");
            case AWS_EBS -> new PodVolume("", "awsElasticBlockStore", "");
            case ISCSI -> new PodVolume("", "iscsi", "");
            case RBD -> new PodVolume("", "rbd", "");
            case AZURE_DISK -> new PodVolume("", "azureDisk", "");
            case AZURE_FILE -> new PodVolume("", "azureFile", "");
            case CINDER -> new PodVolume("", "cinder", "");
            case CSI -> new PodVolume("", "csi", "");
            case OTHER -> new PodVolume("", "", "");
        };
    }
}
