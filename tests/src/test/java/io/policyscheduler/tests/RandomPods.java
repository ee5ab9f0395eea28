package io.policyscheduler.tests;

import static io.policyscheduler.tests.Dice.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pods with every field that an algorithm reads. */
final class RandomPods {
    static final List<String> NAMESPACES = List.of("default", "other");
    private static final List<String> TOPOLOGY_KEYS =
            List.of("zone", "rack", "kubernetes.io/hostname", "failure-domain.beta.kubernetes.io/zone", "nowhere");

    private final Dice dice;
    private final RandomStorage storage;
    private final boolean badSelectors;

    /** @param badSelectors whether some selectors are invalid */
    RandomPods(Dice dice, RandomStorage storage, boolean badSelectors) {
        this.dice = dice;
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
        String namespace = dice.of("default", "default", "other");
        Map<String, Object> metadata = object("namespace", namespace, "name", name, "uid", "uid-" + name);
        dice.maybe(92, metadata, "labels", this::labels);
        dice.maybe(30, metadata, "ownerReferences", () -> List.of(owner()));
        dice.maybe(4, metadata, "deletionTimestamp", () -> "2020-01-01T00:00:00Z");
        Map<String, Object> spec = object("containers", dice.several(1, 3, this::container));
        dice.maybe(50, spec, "priority", () -> dice.of(-10, 0, 5, 100, 1000));
        dice.maybe(5, spec, "preemptionPolicy", () -> dice.of("Never", "PreemptLowerPriority"));
        dice.maybe(12, spec, "initContainers", () -> dice.several(1, 2, this::container));
        dice.maybe(8, spec, "overhead", () -> object("cpu", dice.cpu(), "memory", dice.bytes()));
        dice.maybe(35, spec, "tolerations", () -> dice.several(1, 3, this::toleration));
        dice.maybe(12, spec, "nodeSelector", () -> object(dice.of("zone", "disk"), dice.of("a", "ssd", "")));
        dice.maybe(40, spec, "affinity", this::affinity);
        dice.maybe(20, spec, "topologySpreadConstraints", () -> dice.several(1, 2, this::spread));
        dice.maybe(30, spec, "volumes", () -> dice.several(1, 3, () -> storage.podVolume(namespace)));
        Map<String, Object> status = object();
        if (!node.isEmpty()) {
            spec.put("nodeName", node);
            status.put("phase", "Running");
            dice.maybe(80, status, "startTime", () -> "2020-01-01T00:0" + dice.between(0, 9) + ":00Z");
        } else {
            dice.maybe(3, spec, "nodeName", () -> dice.of(nodes));
            dice.maybe(8, status, "nominatedNodeName", () -> dice.of(nodes));
        }
        return object("apiVersion", "v1", "kind", "Pod", "metadata", metadata, "spec", spec, "status", status);
    }

    Map<String, Object> labels() {
        Map<String, Object> labels = object("app", dice.of("web", "db", "batch"));
        dice.maybe(50, labels, "tier", () -> dice.of("1", "2"));
        return labels;
    }

    private Map<String, Object> owner() {
        return object(
                "apiVersion",
                "apps/v1",
                "kind",
                dice.of("ReplicaSet", "ReplicationController", "StatefulSet"),
                "name",
                "owner",
                "uid",
                dice.of("owner-1", "owner-2", "owner-3"),
                "controller",
                dice.percent(90));
    }

    private Map<String, Object> container() {
        Map<String, Object> container = object("name", "c" + dice.between(0, 99), "image", dice.of(RandomNodes.IMAGES));
        Map<String, Object> resources = object();
        dice.maybe(80, resources, "requests", this::resources);
        dice.maybe(25, resources, "limits", this::resources);
        container.put("resources", resources);
        dice.maybe(20, container, "ports", () -> dice.several(1, 2, this::port));
        return container;
    }

    private Map<String, Object> resources() {
        Map<String, Object> resources = object();
        dice.maybe(75, resources, "cpu", dice::cpu);
        dice.maybe(75, resources, "memory", dice::bytes);
        dice.maybe(10, resources, "ephemeral-storage", dice::bytes);
        dice.maybe(8, resources, "example.com/gpu", () -> dice.of("0", "1", "2"));
        dice.maybe(5, resources, "hugepages-2Mi", () -> dice.of("2Mi", "64Mi"));
        dice.maybe(3, resources, "example.com/unknown", () -> "1");
        return resources;
    }

    private Map<String, Object> port() {
        Map<String, Object> port = object("containerPort", 80);
        dice.maybe(80, port, "hostPort", () -> dice.of(0, 80, 80, 443));
        dice.maybe(60, port, "protocol", () -> dice.of("TCP", "UDP", "SCTP", ""));
        dice.maybe(40, port, "hostIP", () -> dice.of("0.0.0.0", "10.0.0.1", "10.0.0.2", ""));
        return port;
    }

    private Map<String, Object> toleration() {
        Map<String, Object> toleration = object();
        dice.maybe(85, toleration, "key", () -> dice.of("dedicated", "spot", "node.kubernetes.io/unschedulable"));
        dice.maybe(70, toleration, "operator", () -> dice.of("Exists", "Equal", "", "Odd"));
        dice.maybe(40, toleration, "value", () -> dice.of("gpu", "true", ""));
        dice.maybe(60, toleration, "effect", () -> dice.of("NoSchedule", "NoExecute", "PreferNoSchedule", ""));
        return toleration;
    }

    private Map<String, Object> affinity() {
        Map<String, Object> affinity = object();
        if (dice.percent(50)) {
            Map<String, Object> node = object();
            dice.maybe(
                    60,
                    node,
                    "requiredDuringSchedulingIgnoredDuringExecution",
                    () -> object("nodeSelectorTerms", dice.several(0, 2, this::nodeTerm)));
            dice.maybe(
                    60,
                    node,
                    "preferredDuringSchedulingIgnoredDuringExecution",
                    () -> dice.several(1, 2, () -> object("weight", dice.of(0, 1, 50, 100), "preference", nodeTerm())));
            affinity.put("nodeAffinity", node);
        }
        dice.maybe(45, affinity, "podAffinity", () -> podTerms(30));
        dice.maybe(45, affinity, "podAntiAffinity", () -> podTerms(60));
        return affinity;
    }

    private Map<String, Object> nodeTerm() {
        Map<String, Object> term = object();
        dice.maybe(90, term, "matchExpressions", () -> dice.several(0, 2, this::nodeRequirement));
        dice.maybe(
                10,
                term,
                "matchFields",
                () -> List.of(object(
                        "key",
                        "metadata.name",
                        "operator",
                        dice.of("In", "NotIn"),
                        "values",
                        List.of(dice.of("n0", "n1", "n2")))));
        return term;
    }

    private Map<String, Object> nodeRequirement() {
        Map<String, Object> requirement = object("key", dice.of("zone", "disk", "size", "missing"));
        String operator = dice.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", dice.of("Odd", "In"));
        requirement.put("operator", operator);
        switch (operator) {
            case "Gt", "Lt" -> requirement.put("values", List.of(dice.of("1", "5", "7", "x")));
            case "Exists", "DoesNotExist" -> dice.maybe(5, requirement, "values", () -> List.of("a"));
            default -> requirement.put("values", dice.several(dice.percent(95) ? 1 : 0, 2, this::nodeValue));
        }
        return requirement;
    }

    private String nodeValue() {
        return dice.of("a", "b", "ssd", "5");
    }

    private Map<String, Object> podTerms(int requiredChance) {
        Map<String, Object> terms = object();
        dice.maybe(
                requiredChance,
                terms,
                "requiredDuringSchedulingIgnoredDuringExecution",
                () -> dice.several(1, 2, this::podTerm));
        dice.maybe(
                50,
                terms,
                "preferredDuringSchedulingIgnoredDuringExecution",
                () -> dice.several(1, 2, () -> object("weight", dice.of(1, 10, 100), "podAffinityTerm", podTerm())));
        return terms;
    }

    private Map<String, Object> podTerm() {
        Map<String, Object> term = object("topologyKey", dice.of(TOPOLOGY_KEYS));
        dice.maybe(95, term, "labelSelector", this::selector);
        dice.maybe(25, term, "namespaces", () -> dice.several(0, 2, () -> dice.of(NAMESPACES)));
        return term;
    }

    /** Returns a label selector over {@link #labels()}. */
    Map<String, Object> selector() {
        Map<String, Object> selector = object();
        dice.maybe(70, selector, "matchLabels", () -> object("app", dice.of("web", "db", "batch")));
        dice.maybe(30, selector, "matchExpressions", () -> new ArrayList<>(List.of(labelRequirement())));
        return selector;
    }

    private Map<String, Object> labelRequirement() {
        if (badSelectors && dice.percent(15)) {
            return object("key", "app", "operator", dice.of("In", "Odd"), "values", List.of());
        }
        String operator = dice.of("In", "NotIn", "Exists", "DoesNotExist");
        Map<String, Object> requirement = object("key", dice.of("app", "tier"), "operator", operator);
        if (operator.endsWith("In")) {
            requirement.put("values", List.of(dice.of("web", "1"), dice.of("db", "2")));
        }
        return requirement;
    }

    private Map<String, Object> spread() {
        Map<String, Object> constraint = object(
                "maxSkew",
                dice.between(1, 3),
                "topologyKey",
                dice.of(TOPOLOGY_KEYS),
                "whenUnsatisfiable",
                dice.of("DoNotSchedule", "ScheduleAnyway"));
        dice.maybe(95, constraint, "labelSelector", this::selector);
        return constraint;
    }
}
