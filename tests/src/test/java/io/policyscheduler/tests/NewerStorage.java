package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Storage features newer than v1.17: ReadWriteOncePod, ephemeral volumes, capacity, attributes, and attachments. */
final class NewerStorage {
    private static final List<String> CLASSES = List.of("fast", "late", "static", "wide");

    private final RandomValues random;
    private final List<Map<String, Object>> ofPods = new ArrayList<>();
    private final List<Map<String, Object>> plain;
    private final List<String> volumes = new ArrayList<>();
    private final boolean singlePods;

    NewerStorage(RandomValues random, RandomStorage plain) {
        this.random = random;
        this.plain = plain.objects();
        this.singlePods = random.percent(40);
        this.plain.forEach(this::renew);
        if (!this.plain.isEmpty()) {
            this.plain.add(object(
                    "apiVersion",
                    "storage.k8s.io/v1",
                    "kind",
                    "StorageClass",
                    "metadata",
                    object("name", "wide"),
                    "provisioner",
                    random.of(NewerNodes.DRIVERS),
                    "volumeBindingMode",
                    "WaitForFirstConsumer"));
        }
    }

    private void renew(Map<String, Object> object) {
        Map<String, Object> spec = RandomValues.child(object, "spec");
        switch (RandomValues.text(object, "kind")) {
            case "PersistentVolume" -> {
                Map<String, Object> metadata = RandomValues.child(object, "metadata");
                volumes.add(RandomValues.text(metadata, "name"));
                random.maybe(
                        20,
                        metadata,
                        "labels",
                        () -> object("topology.kubernetes.io/zone", random.of("a", "b", "a__b")));
                random.maybe(20, spec, "accessModes", () -> List.of("ReadWriteOnce", "ReadWriteOncePod"));
                random.maybe(15, spec, "volumeAttributesClassName", () -> random.of("gold", "silver"));
                random.maybe(50, spec, "volumeMode", () -> random.of("Filesystem", "Filesystem", "Block"));
                random.maybe(
                        15,
                        spec,
                        "claimRef",
                        () -> object(
                                "namespace",
                                random.of(RandomPods.NAMESPACES),
                                "name",
                                "claim-" + random.between(0, 3),
                                "uid",
                                ""));
            }
            case "PersistentVolumeClaim" -> {
                random.maybe(singlePods ? 60 : 0, spec, "accessModes", () -> List.of("ReadWriteOncePod"));
                random.maybe(15, spec, "volumeAttributesClassName", () -> random.of("gold", "silver"));
                random.maybe(50, spec, "volumeMode", () -> "Filesystem");
                random.maybe(25, spec, "storageClassName", () -> random.of(CLASSES));
                Map<String, Object> metadata = RandomValues.child(object, "metadata");
                if (!metadata.containsKey("annotations")) {
                    random.maybe(
                            8,
                            metadata,
                            "annotations",
                            () -> object("volume.kubernetes.io/selected-node", random.of("n0", "n1")));
                }
                object.put("status", object("phase", random.of("Bound", "Pending", random.of("Pending", "Lost"))));
            }
            default -> {
                // Storage classes have no newer fields.
            }
        }
    }

    /** Returns one entry of {@code spec.volumes} whose claim belongs to the pod, is missing, or belongs to another pod. */
    Map<String, Object> ephemeral(String namespace, String pod, int number) {
        String name = "e" + number;
        Map<String, Object> spec = object(
                "accessModes",
                List.of("ReadWriteOnce"),
                "resources",
                object("requests", object("storage", random.of("1Gi", "8Gi"))));
        random.maybe(85, spec, "storageClassName", () -> random.of(CLASSES));
        if (random.percent(88)) {
            Map<String, Object> claimSpec = new LinkedHashMap<>(spec);
            Map<String, Object> metadata = object("namespace", namespace, "name", pod + "-" + name);
            metadata.put("uid", "uid-" + pod + "-" + name);
            random.maybe(92, metadata, "ownerReferences", () -> List.of(owner(random.percent(90) ? pod : "stranger")));
            if (random.percent(50) && !volumes.isEmpty()) {
                claimSpec.put("volumeName", random.of(volumes));
                metadata.put("annotations", object("pv.kubernetes.io/bind-completed", "yes"));
            }
            ofPods.add(object(
                    "apiVersion", "v1", "kind", "PersistentVolumeClaim", "metadata", metadata, "spec", claimSpec));
        }
        return object("name", name, "ephemeral", object("volumeClaimTemplate", object("spec", spec)));
    }

    private static Map<String, Object> owner(String pod) {
        return object("apiVersion", "v1", "kind", "Pod", "name", pod, "uid", "uid-" + pod, "controller", true);
    }

    /** Adds all objects other than nodes and pods. */
    List<Map<String, Object>> objects(List<String> nodes) {
        List<Map<String, Object>> objects = new ArrayList<>(plain);
        objects.addAll(ofPods);
        for (String driver : NewerNodes.DRIVERS) {
            random.maybe(
                    30,
                    objects,
                    () -> object(
                            "apiVersion",
                            "storage.k8s.io/v1",
                            "kind",
                            "CSIDriver",
                            "metadata",
                            object("name", driver),
                            "spec",
                            object("storageCapacity", random.percent(70))));
        }
        for (int i = random.between(0, 5); i > 0; i--) {
            objects.add(capacity("capacity-" + i));
        }
        for (int i = volumes.isEmpty() ? 0 : random.between(0, 4); i > 0; i--) {
            objects.add(attachment("attachment-" + i, random.of(nodes)));
        }
        return objects;
    }

    private Map<String, Object> capacity(String name) {
        Map<String, Object> capacity = object(
                "apiVersion",
                "storage.k8s.io/v1",
                "kind",
                "CSIStorageCapacity",
                "metadata",
                object("namespace", "default", "name", name),
                "storageClassName",
                random.of(CLASSES));
        random.maybe(
                85,
                capacity,
                "nodeTopology",
                () -> random.percent(30)
                        ? object()
                        : object("matchLabels", object("topology.kubernetes.io/zone", random.of(RandomNodes.ZONES))));
        random.maybe(80, capacity, "capacity", () -> random.of("1Gi", "5Gi", "100Gi"));
        random.maybe(30, capacity, "maximumVolumeSize", () -> random.of("1Gi", "10Gi"));
        return capacity;
    }

    private Map<String, Object> attachment(String name, String node) {
        return object(
                "apiVersion",
                "storage.k8s.io/v1",
                "kind",
                "VolumeAttachment",
                "metadata",
                object("name", name),
                "spec",
                object(
                        "attacher",
                        random.of(NewerNodes.DRIVERS),
                        "nodeName",
                        node,
                        "source",
                        object("persistentVolumeName", random.of(volumes))),
                "status",
                object("attached", true));
    }
}
