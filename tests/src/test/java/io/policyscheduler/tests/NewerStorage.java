package io.policyscheduler.tests;

import static io.policyscheduler.tests.Dice.object;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Storage features newer than v1.17: ReadWriteOncePod, ephemeral volumes, capacity, attributes, and attachments. */
final class NewerStorage {
    private static final List<String> CLASSES = List.of("fast", "late", "static", "wide");

    private final Dice dice;
    private final List<Map<String, Object>> ofPods = new ArrayList<>();
    private final List<Map<String, Object>> plain;
    private final List<String> volumes = new ArrayList<>();
    private final boolean singlePods;

    NewerStorage(Dice dice, RandomStorage plain) {
        this.dice = dice;
        this.plain = plain.objects();
        this.singlePods = dice.percent(40);
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
                    dice.of(NewerNodes.DRIVERS),
                    "volumeBindingMode",
                    "WaitForFirstConsumer"));
        }
    }

    private void renew(Map<String, Object> object) {
        Map<String, Object> spec = Dice.child(object, "spec");
        switch (Dice.text(object, "kind")) {
            case "PersistentVolume" -> {
                Map<String, Object> metadata = Dice.child(object, "metadata");
                volumes.add(Dice.text(metadata, "name"));
                dice.maybe(
                        20, metadata, "labels", () -> object("topology.kubernetes.io/zone", dice.of("a", "b", "a__b")));
                dice.maybe(20, spec, "accessModes", () -> List.of("ReadWriteOnce", "ReadWriteOncePod"));
                dice.maybe(15, spec, "volumeAttributesClassName", () -> dice.of("gold", "silver"));
                dice.maybe(50, spec, "volumeMode", () -> dice.of("Filesystem", "Filesystem", "Block"));
                dice.maybe(
                        15,
                        spec,
                        "claimRef",
                        () -> object(
                                "namespace",
                                dice.of(RandomPods.NAMESPACES),
                                "name",
                                "claim-" + dice.between(0, 3),
                                "uid",
                                ""));
            }
            case "PersistentVolumeClaim" -> {
                dice.maybe(singlePods ? 60 : 0, spec, "accessModes", () -> List.of("ReadWriteOncePod"));
                dice.maybe(15, spec, "volumeAttributesClassName", () -> dice.of("gold", "silver"));
                dice.maybe(50, spec, "volumeMode", () -> "Filesystem");
                dice.maybe(25, spec, "storageClassName", () -> dice.of(CLASSES));
                Map<String, Object> metadata = Dice.child(object, "metadata");
                if (!metadata.containsKey("annotations")) {
                    dice.maybe(
                            8,
                            metadata,
                            "annotations",
                            () -> object("volume.kubernetes.io/selected-node", dice.of("n0", "n1")));
                }
                object.put("status", object("phase", dice.of("Bound", "Pending", dice.of("Pending", "Lost"))));
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
                object("requests", object("storage", dice.of("1Gi", "8Gi"))));
        dice.maybe(85, spec, "storageClassName", () -> dice.of(CLASSES));
        if (dice.percent(88)) {
            Map<String, Object> claimSpec = new LinkedHashMap<>(spec);
            Map<String, Object> metadata = object("namespace", namespace, "name", pod + "-" + name);
            metadata.put("uid", "uid-" + pod + "-" + name);
            dice.maybe(92, metadata, "ownerReferences", () -> List.of(owner(dice.percent(90) ? pod : "stranger")));
            if (dice.percent(50) && !volumes.isEmpty()) {
                claimSpec.put("volumeName", dice.of(volumes));
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
            dice.maybe(
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
                            object("storageCapacity", dice.percent(70))));
        }
        for (int i = dice.between(0, 5); i > 0; i--) {
            objects.add(capacity("capacity-" + i));
        }
        for (int i = volumes.isEmpty() ? 0 : dice.between(0, 4); i > 0; i--) {
            objects.add(attachment("attachment-" + i, dice.of(nodes)));
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
                dice.of(CLASSES));
        dice.maybe(
                85,
                capacity,
                "nodeTopology",
                () -> dice.percent(30)
                        ? object()
                        : object("matchLabels", object("topology.kubernetes.io/zone", dice.of(RandomNodes.ZONES))));
        dice.maybe(80, capacity, "capacity", () -> dice.of("1Gi", "5Gi", "100Gi"));
        dice.maybe(30, capacity, "maximumVolumeSize", () -> dice.of("1Gi", "10Gi"));
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
                        dice.of(NewerNodes.DRIVERS),
                        "nodeName",
                        node,
                        "source",
                        object("persistentVolumeName", dice.of(volumes))),
                "status",
                object("attached", true));
    }
}
