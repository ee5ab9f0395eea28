package io.policyscheduler.engine.cluster.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceKindTest {
    /** Where a cluster has them, in the order in which they are reported; {@code *} for those that 1.17 does not look at. */
    @Test
    void rows() {
        assertEquals(
                List.of(
                        "nodes [v1] Node",
                        "pods [v1] namespaced Pod",
                        "services [v1] namespaced Service",
                        "replicationcontrollers [v1] namespaced ReplicationController",
                        "apps/replicasets [v1] namespaced ReplicaSet",
                        "apps/statefulsets [v1] namespaced StatefulSet",
                        "persistentvolumeclaims [v1] namespaced PersistentVolumeClaim",
                        "persistentvolumes [v1] PersistentVolume",
                        "storage.k8s.io/storageclasses [v1, v1beta1] StorageClass",
                        "storage.k8s.io/csinodes [v1, v1beta1] CSINode",
                        "storage.k8s.io/csidrivers [v1, v1beta1] CSIDriver*",
                        "storage.k8s.io/csistoragecapacities [v1, v1beta1] namespaced CSIStorageCapacity*",
                        "storage.k8s.io/volumeattachments [v1, v1beta1] VolumeAttachment*",
                        "policy/poddisruptionbudgets [v1, v1beta1] namespaced PodDisruptionBudget",
                        "namespaces [v1] Namespace*",
                        "resource.k8s.io/resourceclaims [v1, v1beta2, v1beta1] namespaced ResourceClaim*",
                        "resource.k8s.io/resourceslices [v1, v1beta2, v1beta1] ResourceSlice*",
                        "resource.k8s.io/deviceclasses [v1, v1beta2, v1beta1] DeviceClass*"),
                Arrays.stream(ResourceKind.values()).map(ResourceKindTest::row).toList());
    }

    private static String row(ResourceKind kind) {
        return (kind.group().isEmpty() ? "" : kind.group() + "/") + kind.plural() + " " + kind.versions()
                + (kind.isNamespaced() ? " namespaced " : " ") + kind.objectKind() + (kind.isReadByV117() ? "" : "*");
    }

    @Test
    void aKindIsFoundByWhatItsObjectsSay() {
        for (ResourceKind kind : ResourceKind.values()) {
            assertEquals(kind, ResourceKind.ofObjectKind(kind.objectKind()));
        }
        for (String other : List.of("ConfigMap", "", "pod", "nodes", "PodList")) {
            assertNull(ResourceKind.ofObjectKind(other), other);
        }
    }
}
