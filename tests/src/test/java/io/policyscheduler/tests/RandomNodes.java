package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.List;
import java.util.Map;

/** Nodes with every field that an algorithm reads. */
final class RandomNodes {
    static final List<String> ZONES = List.of("a", "b", "c");
    static final List<String> IMAGES = List.of("web:1", "db:2", "tool", "registry.example.com/web:1");

    private final RandomValues random;

    RandomNodes(RandomValues random) {
        this.random = random;
    }

    Map<String, Object> node(String name) {
        Map<String, Object> metadata = object("name", name, "uid", "uid-" + name, "labels", labels(name));
        random.maybe(
                10,
                metadata,
                "annotations",
                () -> object("scheduler.alpha.kubernetes.io/preferAvoidPods", avoidance()));
        Map<String, Object> spec = object();
        random.maybe(8, spec, "unschedulable", () -> true);
        random.maybe(30, spec, "taints", () -> random.several(0, 3, this::taint));
        Map<String, Object> status = object();
        random.maybe(97, status, "allocatable", this::allocatable);
        random.maybe(50, status, "images", () -> random.several(0, 3, this::image));
        random.maybe(
                30,
                status,
                "conditions",
                () -> List.of(object("type", "Ready", "status", random.of("True", "False", "Unknown"))));
        return object("apiVersion", "v1", "kind", "Node", "metadata", metadata, "spec", spec, "status", status);
    }

    Map<String, Object> csiNode(String node) {
        return object(
                "apiVersion",
                "storage.k8s.io/v1",
                "kind",
                "CSINode",
                "metadata",
                object("name", node),
                "spec",
                object(
                        "drivers",
                        List.of(object(
                                "name",
                                random.of("csi.example.com", "ebs.csi.aws.com"),
                                "nodeID",
                                node,
                                "allocatable",
                                object("count", random.between(0, 3))))));
    }

    private Map<String, Object> labels(String name) {
        Map<String, Object> labels = object();
        random.maybe(93, labels, "kubernetes.io/hostname", () -> name);
        random.maybe(80, labels, "zone", () -> random.of(ZONES));
        random.maybe(50, labels, "failure-domain.beta.kubernetes.io/zone", () -> random.of(ZONES));
        random.maybe(40, labels, "failure-domain.beta.kubernetes.io/region", () -> random.of("r1", "r2"));
        random.maybe(30, labels, "topology.kubernetes.io/zone", () -> random.of("a", "b", ""));
        random.maybe(40, labels, "rack", () -> random.of("1", "2", "3"));
        random.maybe(30, labels, "disk", () -> random.of("ssd", "hdd", ""));
        random.maybe(30, labels, "size", () -> random.of("5", "10", "-3", "large"));
        random.maybe(15, labels, "beta.kubernetes.io/instance-type", () -> random.of("m5.large", "t2.small"));
        return labels;
    }

    private Map<String, Object> taint() {
        Map<String, Object> taint = object("key", random.of("dedicated", "spot", "node.kubernetes.io/not-ready"));
        random.maybe(60, taint, "value", () -> random.of("gpu", "true", ""));
        taint.put("effect", random.of("NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule", "Odd"));
        return taint;
    }

    private Map<String, Object> allocatable() {
        Map<String, Object> resources = object();
        random.maybe(96, resources, "cpu", () -> random.of("0", "1", "2", "4", "4", "8", "3500m"));
        random.maybe(96, resources, "memory", () -> random.of("0", "2Gi", "4Gi", "8Gi", "8Gi", "16G"));
        random.maybe(96, resources, "pods", () -> random.of("0", "2", "5", "10", "110", "110", "110"));
        random.maybe(60, resources, "ephemeral-storage", () -> random.of("0", "1Gi", "100Gi"));
        random.maybe(30, resources, "example.com/gpu", () -> random.of("0", "1", "4"));
        random.maybe(20, resources, "hugepages-2Mi", () -> random.of("0", "64Mi", "1Gi"));
        random.maybe(15, resources, "attachable-volumes-aws-ebs", () -> random.of("0", "1", "2"));
        random.maybe(15, resources, "attachable-volumes-gce-pd", () -> random.of("1", "16"));
        random.maybe(15, resources, "attachable-volumes-azure-disk", () -> random.of("1", "2"));
        random.maybe(15, resources, "attachable-volumes-cinder", () -> random.of("1", "2"));
        random.maybe(10, resources, "attachable-volumes-csi-csi.example.com", () -> random.of("1", "2"));
        return resources;
    }

    private Map<String, Object> image() {
        return object(
                "names",
                random.several(1, 2, () -> random.of(IMAGES)),
                "sizeBytes",
                random.of(0L, 1L, 25_000_000L, 400_000_000L, 3_000_000_000L));
    }

    private String avoidance() {
        if (random.percent(10)) {
            return random.of("{", "", "null", "{\"preferAvoidPods\": 3}");
        }
        return "{\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\""
                + random.of("ReplicaSet", "ReplicationController") + "\",\"uid\":\"" + random.of("owner-1", "owner-2")
                + "\",\"controller\":true}}}]}";
    }
}
