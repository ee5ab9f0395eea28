package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A large, reproducible cluster with everything that policies of different releases decide differently. Its apps have different sizes and
 * constraints.
 */
final class CompareCluster {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOST = "kubernetes.io/hostname";
    private static final int APPS = 60;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final RandomValues random;
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
    private final Dump dump = new Dump(
            FeatureGates.defaults(),
            warning -> {
                throw new IllegalStateException(warning);
            },
            objects -> {});

    private CompareCluster(long seed) {
        this.random = new RandomValues(seed);
    }

    static ClusterSnapshot of(long seed, int nodes, int running, int pending) {
        CompareCluster compared = new CompareCluster(seed);
        for (int i = 0; i < nodes; i++) {
            compared.node(i);
        }
        for (int app = 0; app < APPS; app++) {
            compared.owners(app);
        }
        compared.add(object(
                "kind",
                "StorageClass",
                "metadata",
                object("name", "later"),
                "provisioner",
                "kubernetes.io/no-provisioner",
                "volumeBindingMode",
                "WaitForFirstConsumer"));
        for (int i = 0; i < running + pending; i++) {
            compared.pod(i, i < running ? "node-" + compared.random.between(0, nodes - 1) : "", nodes);
        }
        return compared.dump.snapshot();
    }

    private void add(Map<String, Object> object) {
        JsonNode tree = MAPPER.valueToTree(object);
        try (TreeTraversingParser parser = new TreeTraversingParser(tree)) {
            parser.nextToken();
            ClusterObject read = Objects.requireNonNull(reader.read(parser, null), tree::toString);
            dump.add("world", read);
        } catch (IOException e) {
            throw new IllegalStateException(tree.toString(), e);
        }
    }

    private void node(int number) {
        String name = "node-" + number;
        String zone = "z" + number % 3;
        Map<String, Object> labels = object(
                HOST,
                name,
                ZONE,
                zone,
                "topology.kubernetes.io/region",
                "r1",
                "zone",
                zone,
                "region",
                number % 5 == 0 ? "r2" : "r1");
        random.maybe(30, labels, "ssd", () -> "true");
        random.maybe(5, labels, "retiring", () -> "true");
        Map<String, Object> metadata = object("name", name, "uid", "uid-" + name, "labels", labels);
        random.maybe(
                5, metadata, "annotations", () -> object("scheduler.alpha.kubernetes.io/preferAvoidPods", avoided()));
        Map<String, Object> spec = object();
        random.maybe(
                10,
                spec,
                "taints",
                () -> List.of(object(
                        "key",
                        "dedicated",
                        "value",
                        random.of("gpu", "db"),
                        "effect",
                        random.of("NoSchedule", "PreferNoSchedule"))));
        random.maybe(2, spec, "unschedulable", () -> true);
        Map<String, Object> allocatable =
                object("cpu", random.of("4", "8", "16"), "memory", random.of("16Gi", "32Gi", "64Gi"), "pods", "30");
        random.maybe(10, allocatable, "nvidia.com/gpu", () -> "4");
        Map<String, Object> status = object("allocatable", allocatable, "images", random.several(4, 10, this::image));
        add(object("kind", "Node", "metadata", metadata, "spec", spec, "status", status));
    }

    private Map<String, Object> image() {
        return object(
                "names",
                List.of("app-" + random.between(0, APPS - 1) + ":1"),
                "sizeBytes",
                random.of(40_000_000L, 300_000_000L, 900_000_000L));
    }

    private String avoided() {
        List<String> entries = random.several(
                5,
                10,
                () -> "{\"podSignature\":{\"podController\":{\"kind\":\"ReplicaSet\",\"uid\":\"rs-"
                        + random.between(0, APPS - 1) + "\",\"controller\":true}}}");
        return "{\"preferAvoidPods\":[" + String.join(",", entries) + "]}";
    }

    private void owners(int app) {
        Map<String, Object> labels = object("app", "a" + app);
        if (app % 3 != 0) {
            add(object(
                    "kind",
                    "Service",
                    "metadata",
                    object("name", "s" + app, "namespace", "default"),
                    "spec",
                    object("selector", labels)));
        }
        add(object(
                "kind",
                "ReplicaSet",
                "apiVersion",
                "apps/v1",
                "metadata",
                object("name", "rs-" + app, "namespace", "default"),
                "spec",
                object("selector", object("matchLabels", labels))));
    }

    private void pod(int number, String node, int nodes) {
        int app = random.between(0, APPS - 1);
        Map<String, Object> requests =
                object("cpu", 50 + 10 * (app % 40) + "m", "memory", 100 + 50 * (app % 30) + "Mi");
        Map<String, Object> limits = object();
        if (app % 14 == 0) {
            requests.put("nvidia.com/gpu", "1");
            limits.put("nvidia.com/gpu", "1");
        }
        Map<String, Object> container = object("name", "c", "image", "app-" + app + ":1");
        if (app % 15 != 1) {
            container.put("resources", object("requests", requests, "limits", limits));
        }
        if (app % 12 == 0) {
            container.put("ports", List.of(object("containerPort", 80, "hostPort", 8000 + app)));
        }
        Map<String, Object> spec =
                object("nodeName", node, "containers", List.of(container), "affinity", affinity(app));
        if (app % 10 == 0) {
            spec.put("nodeSelector", object("ssd", "true"));
        }
        if (app % 6 == 0) {
            spec.put("tolerations", List.of(object("key", "dedicated", "operator", "Exists")));
        }
        if (app % 11 == 0) {
            spec.put("topologySpreadConstraints", List.of(spread(app)));
        }
        if (app % 13 == 0 && node.isEmpty()) {
            spec.put("volumes", List.of(volume(number, nodes)));
        }
        Map<String, Object> owner =
                object("kind", "ReplicaSet", "name", "rs-" + app, "uid", "rs-" + app, "controller", true);
        add(object(
                "kind",
                "Pod",
                "metadata",
                object(
                        "name",
                        "pod-" + number,
                        "namespace",
                        "default",
                        "uid",
                        "uid-" + number,
                        "labels",
                        object("app", "a" + app),
                        "ownerReferences",
                        List.of(owner)),
                "spec",
                spec));
    }

    private static Map<String, Object> affinity(int app) {
        Map<String, Object> affinity = object();
        if (app % 7 == 0) {
            Map<String, Object> term = object(
                    "matchExpressions", List.of(object("key", "zone", "operator", "In", "values", List.of("z1"))));
            affinity.put(
                    "nodeAffinity",
                    object(
                            "preferredDuringSchedulingIgnoredDuringExecution",
                            List.of(object("weight", 10, "preference", term))));
        }
        if (app % 8 == 0) {
            affinity.put(
                    "podAntiAffinity",
                    object("requiredDuringSchedulingIgnoredDuringExecution", List.of(podTerm(app, HOST))));
        }
        if (app % 9 == 0) {
            affinity.put(
                    "podAffinity",
                    object(
                            "preferredDuringSchedulingIgnoredDuringExecution",
                            List.of(object("weight", 20, "podAffinityTerm", podTerm(app + 1, ZONE)))));
        }
        return affinity;
    }

    private static Map<String, Object> podTerm(int app, String key) {
        return object("topologyKey", key, "labelSelector", selector(app));
    }

    private static Map<String, Object> selector(int app) {
        return object("matchLabels", object("app", "a" + app % APPS));
    }

    private Map<String, Object> spread(int app) {
        return object(
                "maxSkew",
                1,
                "topologyKey",
                ZONE,
                "whenUnsatisfiable",
                random.of("DoNotSchedule", "ScheduleAnyway"),
                "labelSelector",
                selector(app));
    }

    /** Returns a claim that is bound to a volume in one zone, or one that waits for its first consumer and finds volumes on a few nodes. */
    private Map<String, Object> volume(int number, int nodes) {
        String claim = "claim-" + number;
        boolean waits = random.percent(50);
        Map<String, Object> claimSpec = object(
                "accessModes", List.of("ReadWriteOnce"), "resources", object("requests", object("storage", "1Gi")));
        claimSpec.put("storageClassName", waits ? "later" : "");
        if (!waits) {
            claimSpec.put("volumeName", "pv-" + number);
        }
        Map<String, Object> annotations = waits ? object() : object("pv.kubernetes.io/bind-completed", "yes");
        add(object(
                "kind",
                "PersistentVolumeClaim",
                "metadata",
                object("name", claim, "namespace", "default", "uid", claim, "annotations", annotations),
                "spec",
                claimSpec,
                "status",
                object("phase", waits ? "Pending" : "Bound")));
        List<Map<String, Object>> volumes = new ArrayList<>();
        if (waits) {
            for (int i = 0; i < 3; i++) {
                volumes.add(persistentVolume(
                        "pv-" + number + "-" + i, "later", HOST, "node-" + random.between(0, nodes - 1)));
            }
        } else {
            volumes.add(persistentVolume("pv-" + number, "", ZONE, "z" + number % 3));
        }
        volumes.forEach(this::add);
        return object("name", "v", "persistentVolumeClaim", object("claimName", claim));
    }

    private static Map<String, Object> persistentVolume(String name, String storageClass, String key, String value) {
        Map<String, Object> term =
                object("matchExpressions", List.of(object("key", key, "operator", "In", "values", List.of(value))));
        Map<String, Object> labels = key.equals(ZONE) ? object(ZONE, value) : object();
        return object(
                "kind",
                "PersistentVolume",
                "metadata",
                object("name", name, "labels", labels),
                "spec",
                object(
                        "capacity",
                        object("storage", "1Gi"),
                        "accessModes",
                        List.of("ReadWriteOnce"),
                        "storageClassName",
                        storageClass,
                        "nodeAffinity",
                        object("required", object("nodeSelectorTerms", List.of(term)))),
                "status",
                object("phase", "Available"));
    }
}
