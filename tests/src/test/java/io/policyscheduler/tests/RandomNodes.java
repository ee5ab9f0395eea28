package io.policyscheduler.tests;

import static io.policyscheduler.tests.Dice.object;

import java.util.List;
import java.util.Map;

/** Nodes with every field that an algorithm reads. */
final class RandomNodes {
    static final List<String> ZONES = List.of("a", "b", "c");
    static final List<String> IMAGES = List.of("web:1", "db:2", "tool", "registry.example.com/web:1");

    private final Dice dice;

    RandomNodes(Dice dice) {
        this.dice = dice;
    }

    Map<String, Object> node(String name) {
        Map<String, Object> metadata = object("name", name, "uid", "uid-" + name, "labels", labels(name));
        dice.maybe(
                10,
                metadata,
                "annotations",
                () -> object("scheduler.alpha.kubernetes.io/preferAvoidPods", avoidance()));
        Map<String, Object> spec = object();
        dice.maybe(8, spec, "unschedulable", () -> true);
        dice.maybe(30, spec, "taints", () -> dice.several(0, 3, this::taint));
        Map<String, Object> status = object();
        dice.maybe(97, status, "allocatable", this::allocatable);
        dice.maybe(50, status, "images", () -> dice.several(0, 3, this::image));
        dice.maybe(
                30,
                status,
                "conditions",
                () -> List.of(object("type", "Ready", "status", dice.of("True", "False", "Unknown"))));
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
                                dice.of("csi.example.com", "ebs.csi.aws.com"),
                                "nodeID",
                                node,
                                "allocatable",
                                object("count", dice.between(0, 3))))));
    }

    private Map<String, Object> labels(String name) {
        Map<String, Object> labels = object();
        dice.maybe(93, labels, "kubernetes.io/hostname", () -> name);
        dice.maybe(80, labels, "zone", () -> dice.of(ZONES));
        dice.maybe(50, labels, "failure-domain.beta.kubernetes.io/zone", () -> dice.of(ZONES));
        dice.maybe(40, labels, "failure-domain.beta.kubernetes.io/region", () -> dice.of("r1", "r2"));
        dice.maybe(30, labels, "topology.kubernetes.io/zone", () -> dice.of("a", "b", ""));
        dice.maybe(40, labels, "rack", () -> dice.of("1", "2", "3"));
        dice.maybe(30, labels, "disk", () -> dice.of("ssd", "hdd", ""));
        dice.maybe(30, labels, "size", () -> dice.of("5", "10", "-3", "large"));
        dice.maybe(15, labels, "beta.kubernetes.io/instance-type", () -> dice.of("m5.large", "t2.small"));
        return labels;
    }

    private Map<String, Object> taint() {
        Map<String, Object> taint = object("key", dice.of("dedicated", "spot", "node.kubernetes.io/not-ready"));
        dice.maybe(60, taint, "value", () -> dice.of("gpu", "true", ""));
        taint.put("effect", dice.of("NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule", "Odd"));
        return taint;
    }

    private Map<String, Object> allocatable() {
        Map<String, Object> resources = object();
        dice.maybe(96, resources, "cpu", () -> dice.of("0", "1", "2", "4", "4", "8", "3500m"));
        dice.maybe(96, resources, "memory", () -> dice.of("0", "2Gi", "4Gi", "8Gi", "8Gi", "16G"));
        dice.maybe(96, resources, "pods", () -> dice.of("0", "2", "5", "10", "110", "110", "110"));
        dice.maybe(60, resources, "ephemeral-storage", () -> dice.of("0", "1Gi", "100Gi"));
        dice.maybe(30, resources, "example.com/gpu", () -> dice.of("0", "1", "4"));
        dice.maybe(20, resources, "hugepages-2Mi", () -> dice.of("0", "64Mi", "1Gi"));
        dice.maybe(15, resources, "attachable-volumes-aws-ebs", () -> dice.of("0", "1", "2"));
        dice.maybe(15, resources, "attachable-volumes-gce-pd", () -> dice.of("1", "16"));
        dice.maybe(15, resources, "attachable-volumes-azure-disk", () -> dice.of("1", "2"));
        dice.maybe(15, resources, "attachable-volumes-cinder", () -> dice.of("1", "2"));
        dice.maybe(10, resources, "attachable-volumes-csi-csi.example.com", () -> dice.of("1", "2"));
        return resources;
    }

    private Map<String, Object> image() {
        return object(
                "names",
                dice.several(1, 2, () -> dice.of(IMAGES)),
                "sizeBytes",
                dice.of(0L, 1L, 25_000_000L, 400_000_000L, 3_000_000_000L));
    }

    private String avoidance() {
        if (dice.percent(10)) {
            return dice.of("{", "", "null", "{\"preferAvoidPods\": 3}");
        }
        return "{\"preferAvoidPods\":[{\"podSignature\":{\"podController\":{\"kind\":\""
                + dice.of("ReplicaSet", "ReplicationController") + "\",\"uid\":\"" + dice.of("owner-1", "owner-2")
                + "\",\"controller\":true}}}]}";
    }
}
