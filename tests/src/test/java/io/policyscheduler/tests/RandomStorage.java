package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Volumes, claims, persistent volumes, and storage classes, including references to missing objects. */
final class RandomStorage {
    private static final List<String> CLASSES = List.of("fast", "late", "static", "gone");

    private final RandomValues random;
    private final List<Map<String, Object>> objects = new ArrayList<>();
    private final List<String> bindable = new ArrayList<>();
    private final Set<String> taken = new LinkedHashSet<>();

    RandomStorage(RandomValues random) {
        this.random = random;
        if (random.percent(70)) {
            addClasses();
            for (int i = random.between(0, 6); i > 0; i--) {
                addVolume("pv-" + i);
            }
            for (String namespace : RandomPods.NAMESPACES) {
                for (int i = 0; i < 4; i++) {
                    addClaim(namespace, "claim-" + i);
                }
            }
        }
    }

    /** Returns storage classes, volumes, and claims. */
    List<Map<String, Object>> objects() {
        return objects;
    }

    /** Returns one entry of {@code spec.volumes}. */
    Map<String, Object> podVolume(String namespace) {
        Map<String, Object> volume = object("name", "v" + random.between(0, 99));
        switch (random.between(0, 8)) {
            case 0 -> volume.put("gcePersistentDisk", object("pdName", disk(), "readOnly", random.percent(50)));
            case 1 -> volume.put("awsElasticBlockStore", object("volumeID", disk()));
            case 2 ->
                volume.put("rbd", object("monitors", List.of(random.of("m1", "m2")), "pool", "rbd", "image", disk()));
            case 3 -> volume.put("iscsi", object("iqn", disk(), "lun", 0, "readOnly", random.percent(30)));
            case 4 -> volume.put("azureDisk", object("diskName", disk()));
            case 5 -> volume.put("cinder", object("volumeID", disk()));
            case 6 -> volume.put("emptyDir", object());
            default -> {
                if (objects.isEmpty()) {
                    volume.put("configMap", object("name", namespace));
                } else {
                    String claim = random.percent(94) ? "claim-" + random.between(0, 3) : "claim-gone";
                    volume.put("persistentVolumeClaim", object("claimName", claim));
                }
            }
        }
        return volume;
    }

    private String disk() {
        return "disk-" + random.between(1, 5);
    }

    private void addClasses() {
        objects.add(storageClass("fast", random.of("kubernetes.io/aws-ebs", "csi.example.com"), "Immediate"));
        Map<String, Object> late =
                storageClass("late", random.of("ebs.csi.aws.com", "kubernetes.io/gce-pd"), "WaitForFirstConsumer");
        random.maybe(
                30,
                late,
                "allowedTopologies",
                () -> List.of(object(
                        "matchLabelExpressions",
                        List.of(object("key", "zone", "values", List.of(random.of(RandomNodes.ZONES)))))));
        objects.add(late);
        objects.add(storageClass("static", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"));
    }

    private static Map<String, Object> storageClass(String name, String provisioner, String mode) {
        return object(
                "apiVersion",
                "storage.k8s.io/v1",
                "kind",
                "StorageClass",
                "metadata",
                object("name", name),
                "provisioner",
                provisioner,
                "volumeBindingMode",
                mode);
    }

    private void addVolume(String name) {
        Map<String, Object> metadata = object("name", name);
        random.maybe(
                40,
                metadata,
                "labels",
                () -> object("failure-domain.beta.kubernetes.io/zone", random.of("a", "b", "a__b", "a__")));
        Map<String, Object> spec = object(
                "capacity",
                object("storage", random.of("1Gi", "10Gi")),
                "accessModes",
                List.of(random.of("ReadWriteOnce", "ReadWriteMany")),
                "storageClassName",
                random.of(CLASSES));
        switch (random.between(0, 3)) {
            case 0 -> spec.put("awsElasticBlockStore", object("volumeID", disk()));
            case 1 -> spec.put("csi", object("driver", "csi.example.com", "volumeHandle", disk()));
            case 2 -> spec.put("gcePersistentDisk", object("pdName", disk()));
            default -> spec.put("local", object("path", "/mnt"));
        }
        random.maybe(
                50,
                spec,
                "nodeAffinity",
                () -> object(
                        "required",
                        object(
                                "nodeSelectorTerms",
                                List.of(object(
                                        "matchExpressions",
                                        List.of(object(
                                                "key",
                                                "zone",
                                                "operator",
                                                "In",
                                                "values",
                                                List.of(random.of(RandomNodes.ZONES)))))))));
        objects.add(object(
                "apiVersion",
                "v1",
                "kind",
                "PersistentVolume",
                "metadata",
                metadata,
                "spec",
                spec,
                "status",
                object("phase", random.of("Available", "Bound"))));
        bindable.add(name);
    }

    private void addClaim(String namespace, String name) {
        Map<String, Object> metadata = object("namespace", namespace, "name", name, "uid", namespace + "-" + name);
        Map<String, Object> spec = object(
                "accessModes",
                List.of("ReadWriteOnce"),
                "resources",
                object("requests", object("storage", random.of("1Gi", "5Gi", "20Gi"))));
        random.maybe(90, spec, "storageClassName", () -> random.of("late", "late", "static", "static", "fast", "gone"));
        if (random.percent(50)) {
            String volume = bindable.isEmpty() || random.percent(10) ? "pv-gone" : random.of(bindable);
            if (taken.add(volume) || random.percent(5)) {
                spec.put("volumeName", volume);
                random.maybe(90, metadata, "annotations", () -> object("pv.kubernetes.io/bind-completed", "yes"));
            }
        }
        random.maybe(2, metadata, "deletionTimestamp", () -> "2020-01-01T00:00:00Z");
        objects.add(object("apiVersion", "v1", "kind", "PersistentVolumeClaim", "metadata", metadata, "spec", spec));
    }
}
