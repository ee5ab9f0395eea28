package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pods with every field that an algorithm reads. */
final class RandomPods {
    static final List<String> NAMESPACES = List.of("default", "other");
    private static final List<String> TOPOLOGY_KEYS =
            List.of("zone", "rack", "kubernetes.io/hostname", "failure-domain.beta.kubernetes.io/zone", "nowhere");

    private final RandomValues random;
    private final RandomStorage storage;
    private final boolean badSelectors;

    /** @param badSelectors whether some selectors are invalid */
    RandomPods(RandomValues random, RandomStorage storage, boolean badSelectors) {
        this.random = random;
        this.storage = storage;
        this.badSelectors = badSelectors;
    }

    /**
     * Returns a pod.
     *
     * @param node where it runs; empty for a pending one
     * @param nodes names of all nodes
     */
    Map<String, Object> pod(String name, String node, List<String> nodes) {
        String namespace = random.of("default", "default", "other");
        Map<String, Object> metadata = object("namespace", namespace, "name", name, "uid", "uid-" + name);
        random.maybe(92, metadata, "labels", this::labels);
        random.maybe(30, metadata, "ownerReferences", () -> List.of(owner()));
        random.maybe(4, metadata, "deletionTimestamp", () -> "2020-01-01T00:00:00Z");
        Map<String, Object> spec = object("containers", random.several(1, 3, this::container));
        random.maybe(50, spec, "priority", () -> random.of(-10, 0, 5, 100, 1000));
        random.maybe(5, spec, "preemptionPolicy", () -> random.of("Never", "PreemptLowerPriority"));
        random.maybe(12, spec, "initContainers", () -> random.several(1, 2, this::container));
        random.maybe(8, spec, "overhead", () -> object("cpu", random.cpu(), "memory", random.bytes()));
        random.maybe(35, spec, "tolerations", () -> random.several(1, 3, this::toleration));
        random.maybe(12, spec, "nodeSelector", () -> object(random.of("zone", "disk"), random.of("a", "ssd", "")));
        random.maybe(40, spec, "affinity", this::affinity);
        random.maybe(20, spec, "topologySpreadConstraints", () -> random.several(1, 2, this::spread));
        random.maybe(30, spec, "volumes", () -> random.several(1, 3, () -> storage.podVolume(namespace)));
        Map<String, Object> status = object();
        if (!node.isEmpty()) {
            spec.put("nodeName", node);
            status.put("phase", "Running");
            random.maybe(80, status, "startTime", () -> "2020-01-01T00:0" + random.between(0, 9) + ":00Z");
        } else {
            random.maybe(3, spec, "nodeName", () -> random.of(nodes));
            random.maybe(8, status, "nominatedNodeName", () -> random.of(nodes));
        }
        return object("apiVersion", "v1", "kind", "Pod", "metadata", metadata, "spec", spec, "status", status);
    }

    Map<String, Object> labels() {
        Map<String, Object> labels = object("app", random.of("web", "db", "batch"));
        random.maybe(50, labels, "tier", () -> random.of("1", "2"));
        return labels;
    }

    private Map<String, Object> owner() {
        return object(
                "apiVersion",
                "apps/v1",
                "kind",
                random.of("ReplicaSet", "ReplicationController", "StatefulSet"),
                "name",
                "owner",
                "uid",
                random.of("owner-1", "owner-2", "owner-3"),
                "controller",
                random.percent(90));
    }

    private Map<String, Object> container() {
        Map<String, Object> container =
                object("name", "c" + random.between(0, 99), "image", random.of(RandomNodes.IMAGES));
        Map<String, Object> resources = object();
        random.maybe(80, resources, "requests", this::resources);
        random.maybe(25, resources, "limits", this::resources);
        container.put("resources", resources);
        random.maybe(20, container, "ports", () -> random.several(1, 2, this::port));
        return container;
    }

    private Map<String, Object> resources() {
        Map<String, Object> resources = object();
        random.maybe(75, resources, "cpu", random::cpu);
        random.maybe(75, resources, "memory", random::bytes);
        random.maybe(10, resources, "ephemeral-storage", random::bytes);
        random.maybe(8, resources, "example.com/gpu", () -> random.of("0", "1", "2"));
        random.maybe(5, resources, "hugepages-2Mi", () -> random.of("2Mi", "64Mi"));
        random.maybe(3, resources, "example.com/unknown", () -> "1");
        return resources;
    }

    private Map<String, Object> port() {
        Map<String, Object> port = object("containerPort", 80);
        random.maybe(80, port, "hostPort", () -> random.of(0, 80, 80, 443));
        random.maybe(60, port, "protocol", () -> random.of("TCP", "UDP", "SCTP", ""));
        random.maybe(40, port, "hostIP", () -> random.of("0.0.0.0", "10.0.0.1", "10.0.0.2", ""));
        return port;
    }

    private Map<String, Object> toleration() {
        Map<String, Object> toleration = object();
        random.maybe(85, toleration, "key", () -> random.of("dedicated", "spot", "node.kubernetes.io/unschedulable"));
        random.maybe(70, toleration, "operator", () -> random.of("Exists", "Equal", "", "Odd"));
        random.maybe(40, toleration, "value", () -> random.of("gpu", "true", ""));
        random.maybe(60, toleration, "effect", () -> random.of("NoSchedule", "NoExecute", "PreferNoSchedule", ""));
        return toleration;
    }

    private Map<String, Object> affinity() {
        Map<String, Object> affinity = object();
        if (random.percent(50)) {
            Map<String, Object> node = object();
            random.maybe(
                    60,
                    node,
                    "requiredDuringSchedulingIgnoredDuringExecution",
                    () -> object("nodeSelectorTerms", random.several(0, 2, this::nodeTerm)));
            random.maybe(
                    60,
                    node,
                    "preferredDuringSchedulingIgnoredDuringExecution",
                    () -> random.several(
                            1, 2, () -> object("weight", random.of(0, 1, 50, 100), "preference", nodeTerm())));
            affinity.put("nodeAffinity", node);
        }
        random.maybe(45, affinity, "podAffinity", () -> podTerms(30));
        random.maybe(45, affinity, "podAntiAffinity", () -> podTerms(60));
        return affinity;
    }

    private Map<String, Object> nodeTerm() {
        Map<String, Object> term = object();
        random.maybe(90, term, "matchExpressions", () -> random.several(0, 2, this::nodeRequirement));
        random.maybe(
                10,
                term,
                "matchFields",
                () -> List.of(object(
                        "key",
                        "metadata.name",
                        "operator",
                        random.of("In", "NotIn"),
                        "values",
                        List.of(random.of("n0", "n1", "n2")))));
        return term;
    }

    private Map<String, Object> nodeRequirement() {
        Map<String, Object> requirement = object("key", random.of("zone", "disk", "size", "missing"));
        String operator = random.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", random.of("Odd", "In"));
        requirement.put("operator", operator);
        switch (operator) {
            case "Gt", "Lt" -> requirement.put("values", List.of(random.of("1", "5", "7", "x")));
            case "Exists", "DoesNotExist" -> random.maybe(5, requirement, "values", () -> List.of("a"));
            default -> requirement.put("values", random.several(random.percent(95) ? 1 : 0, 2, this::nodeValue));
        }
        return requirement;
    }

    private String nodeValue() {
        return random.of("a", "b", "ssd", "5");
    }

    private Map<String, Object> podTerms(int requiredChance) {
        Map<String, Object> terms = object();
        random.maybe(
                requiredChance,
                terms,
                "requiredDuringSchedulingIgnoredDuringExecution",
                () -> random.several(1, 2, this::podTerm));
        random.maybe(
                50,
                terms,
                "preferredDuringSchedulingIgnoredDuringExecution",
                () -> random.several(
                        1, 2, () -> object("weight", random.of(1, 10, 100), "podAffinityTerm", podTerm())));
        return terms;
    }

    private Map<String, Object> podTerm() {
        Map<String, Object> term = object("topologyKey", random.of(TOPOLOGY_KEYS));
        random.maybe(95, term, "labelSelector", this::selector);
        random.maybe(25, term, "namespaces", () -> random.several(0, 2, () -> random.of(NAMESPACES)));
        return term;
    }

    /** Returns a label selector over {@link #labels()}. */
    Map<String, Object> selector() {
        Map<String, Object> selector = object();
        random.maybe(70, selector, "matchLabels", () -> object("app", random.of("web", "db", "batch")));
        random.maybe(30, selector, "matchExpressions", () -> new ArrayList<>(List.of(labelRequirement())));
        return selector;
    }

    private Map<String, Object> labelRequirement() {
        if (badSelectors && random.percent(15)) {
            return object("key", "app", "operator", random.of("In", "Odd"), "values", List.of());
        }
        String operator = random.of("In", "NotIn", "Exists", "DoesNotExist");
        Map<String, Object> requirement = object("key", random.of("app", "tier"), "operator", operator);
        if (operator.endsWith("In")) {
            requirement.put("values", List.of(random.of("web", "1"), random.of("db", "2")));
        }
        return requirement;
    }

    private Map<String, Object> spread() {
        Map<String, Object> constraint = object(
                "maxSkew",
                random.between(1, 3),
                "topologyKey",
                random.of(TOPOLOGY_KEYS),
                "whenUnsatisfiable",
                random.of("DoNotSchedule", "ScheduleAnyway"));
        random.maybe(95, constraint, "labelSelector", this::selector);
        return constraint;
    }
}
