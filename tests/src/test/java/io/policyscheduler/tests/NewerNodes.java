package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.List;
import java.util.Map;

/** Nodes with current cloud labels and CSI limits. */
final class NewerNodes {
    static final List<String> DRIVERS = List.of(
            "csi.example.com",
            "ebs.csi.aws.com",
            "pd.csi.storage.gke.io",
            "disk.csi.azure.com",
            "cinder.csi.openstack.org");
    private static final List<String> ZONE_KEYS =
            List.of("topology.ebs.csi.aws.com/zone", "topology.gke.io/zone", "topology.cinder.csi.openstack.org/zone");

    private final RandomValues random;
    private final RandomNodes plain;
    /** Adds nodes with room for all pods, so that other constraints than resources decide. */
    private final boolean roomy;

    private final boolean clean;

    NewerNodes(RandomValues random) {
        this.random = random;
        this.plain = new RandomNodes(random);
        this.roomy = random.percent(60);
        this.clean = random.percent(50);
    }

    Map<String, Object> node(String name) {
        Map<String, Object> node = plain.node(name);
        Map<String, Object> metadata = RandomValues.child(node, "metadata");
        metadata.remove("annotations");
        Map<String, Object> labels = RandomValues.child(metadata, "labels");
        random.maybe(70, labels, "topology.kubernetes.io/zone", () -> random.of(RandomNodes.ZONES));
        for (String key : ZONE_KEYS) {
            random.maybe(60, labels, key, () -> labels.getOrDefault("topology.kubernetes.io/zone", "a"));
        }
        if (clean) {
            node.put("spec", object());
        }
        if (roomy) {
            Map<String, Object> allocatable = object("cpu", "64", "memory", "256Gi", "pods", random.of("3", "110"));
            random.maybe(90, allocatable, "ephemeral-storage", () -> "1Ti");
            random.maybe(50, allocatable, "example.com/gpu", () -> random.of("1", "8"));
            random.maybe(50, allocatable, "hugepages-2Mi", () -> random.of("64Mi", "4Gi"));
            random.maybe(30, allocatable, "hugepages-1Gi", () -> random.of("1Gi", "4Gi"));
            random.maybe(20, allocatable, "example.com/unknown", () -> "2");
            RandomValues.child(node, "status").put("allocatable", allocatable);
        }
        return node;
    }

    Map<String, Object> csiNode(String node) {
        Map<String, Object> metadata = object("name", node);
        random.maybe(
                50,
                metadata,
                "annotations",
                () -> object(
                        "storage.alpha.kubernetes.io/migrated-plugins",
                        random.of(
                                "kubernetes.io/aws-ebs,kubernetes.io/gce-pd,kubernetes.io/cinder,kubernetes.io/azure-disk",
                                "kubernetes.io/aws-ebs",
                                "kubernetes.io/gce-pd")));
        return object(
                "apiVersion",
                "storage.k8s.io/v1",
                "kind",
                "CSINode",
                "metadata",
                metadata,
                "spec",
                object(
                        "drivers",
                        DRIVERS.stream()
                                .filter(d -> random.percent(50))
                                .map(d -> driver(d, node))
                                .toList()));
    }

    private Map<String, Object> driver(String name, String node) {
        Map<String, Object> driver = object("name", name, "nodeID", node);
        random.maybe(
                80, driver, "allocatable", () -> random.percent(90) ? object("count", random.between(0, 4)) : object());
        return driver;
    }
}
