package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pods that use fields newer than v1.17, in addition to older ones. */
final class NewerPods {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private final RandomValues random;
    private final RandomPods plain;
    private final NewerStorage storage;
    /** Each snapshot prefers some fields, so that others do not hide their effects. */
    private final int affinity;

    private final int spreading;
    private final int volumes;
    private final int requests;
    private final int resizes;

    NewerPods(RandomValues random, RandomPods plain, NewerStorage storage) {
        this.random = random;
        this.plain = plain;
        this.storage = storage;
        this.affinity = random.of(0, 40, 100);
        this.spreading = random.of(0, 40, 100);
        this.volumes = random.of(0, 40, 100);
        this.requests = random.of(0, 30, 60);
        this.resizes = random.of(0, 30, 60);
    }

    /**
     * Returns a pod.
     *
     * @param node where it runs; empty for a pending one
     * @param nodes names of all nodes
     */
    Map<String, Object> pod(String name, String node, List<String> nodes) {
        Map<String, Object> pod = plain.pod(name, node, nodes);
        Map<String, Object> metadata = RandomValues.child(pod, "metadata");
        if (node.isEmpty()) {
            metadata.remove("deletionTimestamp");
        }
        Map<String, Object> labels = RandomValues.child(metadata, "labels");
        random.maybe(30, labels, "pod-template-hash", () -> random.of("h1", "h2"));
        Map<String, Object> spec = RandomValues.child(pod, "spec");
        keep(volumes, spec, "volumes");
        keep(spreading, spec, "topologySpreadConstraints");
        keep(affinity, spec, "affinity");
        rename(spec, "containers", "c");
        rename(spec, "initContainers", "i");
        addRequests(spec);
        random.maybe(
                resizes, RandomValues.child(pod, "status"), "containerStatuses", () -> statuses(spec, "containers"));
        random.maybe(
                resizes,
                RandomValues.child(pod, "status"),
                "initContainerStatuses",
                () -> statuses(spec, "initContainers"));
        random.maybe(
                resizes / 4,
                RandomValues.child(pod, "status"),
                "conditions",
                () -> List.of(object(
                        "type", "PodResizePending", "status", "True", "reason", random.of("Infeasible", "Deferred"))));
        Map<String, Object> terms = RandomValues.child(spec, "affinity");
        Map<String, Object> ofNodes = RandomValues.child(terms, "nodeAffinity");
        RandomValues.children(RandomValues.child(ofNodes, REQUIRED), "nodeSelectorTerms")
                .forEach(NewerPods::repair);
        RandomValues.children(ofNodes, PREFERRED).forEach(term -> repair(RandomValues.child(term, "preference")));
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            Map<String, Object> ofKind = RandomValues.child(terms, kind);
            RandomValues.children(ofKind, REQUIRED).forEach(term -> renew(term, labels));
            RandomValues.children(ofKind, PREFERRED)
                    .forEach(term -> renew(RandomValues.child(term, "podAffinityTerm"), labels));
        }
        RandomValues.children(spec, "topologySpreadConstraints").forEach(constraint -> renewSpread(constraint, labels));
        if (node.isEmpty()) {
            if (spec.containsKey("nodeName")) {
                // A pod that has a node is not nominated.
                RandomValues.child(pod, "status").remove("nominatedNodeName");
            }
            random.maybe(3, spec, "schedulingGates", () -> List.of(object("name", "example.com/wait")));
        }
        String namespace = RandomValues.text(metadata, "namespace");
        if (random.percent(volumes / 3)) {
            List<Object> all = new ArrayList<>(RandomValues.children(spec, "volumes"));
            for (int i = random.between(1, 2); i > 0; i--) {
                all.add(storage.ephemeral(namespace, name, i));
            }
            spec.put("volumes", all);
        }
        return pod;
    }

    /** An API server rejects a requirement whose values do not fit its operator. */
    private static void repair(Map<String, Object> term) {
        for (Map<String, Object> requirement : RandomValues.children(term, "matchExpressions")) {
            switch (RandomValues.text(requirement, "operator")) {
                case "In", "NotIn" -> {
                    if (List.of().equals(requirement.get("values"))) {
                        requirement.put("values", List.of("a"));
                    }
                }
                case "Gt", "Lt" -> {
                    if (List.of("x").equals(requirement.get("values"))) {
                        requirement.put("values", List.of("6"));
                    }
                }
                default -> {
                    requirement.put(
                            "operator", "Exists".equals(requirement.get("operator")) ? "Exists" : "DoesNotExist");
                    requirement.remove("values");
                }
            }
        }
    }

    private void keep(int chance, Map<String, Object> spec, String key) {
        if (!random.percent(chance)) {
            spec.remove(key);
        }
    }

    private static void rename(Map<String, Object> spec, String key, String prefix) {
        int number = 0;
        for (Map<String, Object> container : RandomValues.children(spec, key)) {
            container.put("name", prefix + number++);
        }
    }

    private void addRequests(Map<String, Object> spec) {
        random.maybe(requests, spec, "initContainers", () -> random.several(1, 4, this::initContainer));
        rename(spec, "initContainers", "i");
        random.maybe(requests / 2, spec, "overhead", this::amounts);
        if (random.percent(requests / 2)) {
            Map<String, Object> resources = object("requests", podLevel());
            random.maybe(20, resources, "limits", this::podLevel);
            spec.put("resources", resources);
        }
    }

    private Map<String, Object> initContainer() {
        Map<String, Object> container = object("name", "", "image", random.of(RandomNodes.IMAGES));
        random.maybe(60, container, "restartPolicy", () -> "Always");
        random.maybe(85, container, "resources", () -> object("requests", amounts()));
        random.maybe(
                15,
                container,
                "ports",
                () -> List.of(object("containerPort", 80, "hostPort", random.of(80, 443), "protocol", "TCP")));
        return container;
    }

    private Map<String, Object> amounts() {
        Map<String, Object> amounts = object();
        random.maybe(
                75, amounts, "cpu", () -> random.percent(90) ? random.cpu() : random.of("1500u", "100500u", "0.0001"));
        random.maybe(75, amounts, "memory", random::bytes);
        random.maybe(15, amounts, "ephemeral-storage", random::bytes);
        random.maybe(12, amounts, "example.com/gpu", () -> random.of("0", "1", "2"));
        random.maybe(8, amounts, "hugepages-2Mi", () -> random.of("2Mi", "64Mi"));
        random.maybe(3, amounts, "hugepages-1Gi", () -> "1Gi");
        random.maybe(2, amounts, "odd", () -> "1");
        return amounts;
    }

    private Map<String, Object> podLevel() {
        Map<String, Object> amounts = object();
        random.maybe(60, amounts, "cpu", random::cpu);
        // Not 1.5Gi: each time the real scheduler reads a fractional quantity, it adds the overhead to it again.
        random.maybe(60, amounts, "memory", () -> random.of("0", "1", "128Mi", "200M", "1Gi", "1536Mi", "2Gi", "4Gi"));
        random.maybe(15, amounts, "hugepages-2Mi", () -> random.of("2Mi", "64Mi"));
        random.maybe(5, amounts, "ephemeral-storage", () -> "1Gi");
        return amounts;
    }

    private List<Map<String, Object>> statuses(Map<String, Object> spec, String key) {
        List<Map<String, Object>> statuses = new ArrayList<>();
        for (Map<String, Object> container : RandomValues.children(spec, key)) {
            Map<String, Object> status =
                    object("name", random.percent(95) ? RandomValues.text(container, "name") : "other");
            random.maybe(70, status, "resources", () -> object("requests", amounts()));
            random.maybe(60, status, "allocatedResources", this::amounts);
            statuses.add(status);
        }
        return statuses;
    }

    private void renew(Map<String, Object> term, Map<String, Object> labels) {
        random.maybe(40, term, "namespaceSelector", () -> switch (random.between(0, 3)) {
            case 0 -> object();
            case 1 -> object("matchLabels", object("team", random.of("red", "blue")));
            case 2 ->
                object(
                        "matchExpressions",
                        List.of(object("key", "team", "operator", random.of("Exists", "DoesNotExist"))));
            default ->
                object(
                        "matchExpressions",
                        List.of(object(
                                "key",
                                "kubernetes.io/metadata.name",
                                "operator",
                                random.of("In", "NotIn"),
                                "values",
                                List.of(random.of(RandomPods.NAMESPACES)))));
        });
        if (random.percent(15)) {
            addKeys(term, "matchLabelKeys", "In", labels);
        }
        if (random.percent(10)) {
            addKeys(term, "mismatchLabelKeys", "NotIn", labels);
        }
    }

    private void renewSpread(Map<String, Object> constraint, Map<String, Object> labels) {
        random.maybe(30, constraint, "minDomains", () -> random.between(1, 4));
        random.maybe(30, constraint, "nodeAffinityPolicy", () -> random.of("Honor", "Ignore"));
        random.maybe(30, constraint, "nodeTaintsPolicy", () -> random.of("Honor", "Ignore"));
        if (random.percent(30)) {
            addKeys(constraint, "matchLabelKeys", "In", labels);
        }
    }

    /** Often, but not always, merged into the selector, as a current API server does it. */
    private void addKeys(Map<String, Object> term, String field, String operator, Map<String, Object> labels) {
        String key = random.of("pod-template-hash", "app", "tier", "missing");
        term.put(field, List.of(key));
        Object value = labels.get(key);
        if (value != null && term.containsKey("labelSelector") && random.percent(70)) {
            Map<String, Object> selector = RandomValues.child(term, "labelSelector");
            List<Object> expressions = new ArrayList<>(RandomValues.children(selector, "matchExpressions"));
            expressions.add(object("key", key, "operator", operator, "values", List.of(value)));
            selector.put("matchExpressions", expressions);
        }
    }
}
