package io.policyscheduler.tests;

import static io.policyscheduler.tests.Dice.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pods that use fields newer than v1.17, in addition to older ones. */
final class NewerPods {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private final Dice dice;
    private final RandomPods plain;
    private final NewerStorage storage;
    /** Each snapshot prefers some fields, so that others do not hide their effects. */
    private final int affinity;

    private final int spreading;
    private final int volumes;
    private final int requests;
    private final int resizes;

    NewerPods(Dice dice, RandomPods plain, NewerStorage storage) {
        this.dice = dice;
        this.plain = plain;
        this.storage = storage;
        this.affinity = dice.of(0, 40, 100);
        this.spreading = dice.of(0, 40, 100);
        this.volumes = dice.of(0, 40, 100);
        this.requests = dice.of(0, 30, 60);
        this.resizes = dice.of(0, 30, 60);
    }

    /**
     * Returns a pod.
     *
     * @param node where it runs; empty for a pending one
     * @param nodes names of all nodes
     */
    Map<String, Object> pod(String name, String node, List<String> nodes) {
        Map<String, Object> pod = plain.pod(name, node, nodes);
        Map<String, Object> metadata = Dice.child(pod, "metadata");
        if (node.isEmpty()) {
            metadata.remove("deletionTimestamp");
        }
        Map<String, Object> labels = Dice.child(metadata, "labels");
        dice.maybe(30, labels, "pod-template-hash", () -> dice.of("h1", "h2"));
        Map<String, Object> spec = Dice.child(pod, "spec");
        keep(volumes, spec, "volumes");
        keep(spreading, spec, "topologySpreadConstraints");
        keep(affinity, spec, "affinity");
        rename(spec, "containers", "c");
        rename(spec, "initContainers", "i");
        addRequests(spec);
        dice.maybe(resizes, Dice.child(pod, "status"), "containerStatuses", () -> statuses(spec, "containers"));
        dice.maybe(resizes, Dice.child(pod, "status"), "initContainerStatuses", () -> statuses(spec, "initContainers"));
        dice.maybe(
                resizes / 4,
                Dice.child(pod, "status"),
                "conditions",
                () -> List.of(object(
                        "type", "PodResizePending", "status", "True", "reason", dice.of("Infeasible", "Deferred"))));
        Map<String, Object> terms = Dice.child(spec, "affinity");
        Map<String, Object> ofNodes = Dice.child(terms, "nodeAffinity");
        Dice.children(Dice.child(ofNodes, REQUIRED), "nodeSelectorTerms").forEach(NewerPods::repair);
        Dice.children(ofNodes, PREFERRED).forEach(term -> repair(Dice.child(term, "preference")));
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            Map<String, Object> ofKind = Dice.child(terms, kind);
            Dice.children(ofKind, REQUIRED).forEach(term -> renew(term, labels));
            Dice.children(ofKind, PREFERRED).forEach(term -> renew(Dice.child(term, "podAffinityTerm"), labels));
        }
        Dice.children(spec, "topologySpreadConstraints").forEach(constraint -> renewSpread(constraint, labels));
        if (node.isEmpty()) {
            if (spec.containsKey("nodeName")) {
                // A pod that has a node is not nominated.
                Dice.child(pod, "status").remove("nominatedNodeName");
            }
            dice.maybe(3, spec, "schedulingGates", () -> List.of(object("name", "example.com/wait")));
        }
        String namespace = Dice.text(metadata, "namespace");
        if (dice.percent(volumes / 3)) {
            List<Object> all = new ArrayList<>(Dice.children(spec, "volumes"));
            for (int i = dice.between(1, 2); i > 0; i--) {
                all.add(storage.ephemeral(namespace, name, i));
            }
            spec.put("volumes", all);
        }
        return pod;
    }

    /** An API server rejects a requirement whose values do not fit its operator. */
    private static void repair(Map<String, Object> term) {
        for (Map<String, Object> requirement : Dice.children(term, "matchExpressions")) {
            switch (Dice.text(requirement, "operator")) {
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
        if (!dice.percent(chance)) {
            spec.remove(key);
        }
    }

    private static void rename(Map<String, Object> spec, String key, String prefix) {
        int number = 0;
        for (Map<String, Object> container : Dice.children(spec, key)) {
            container.put("name", prefix + number++);
        }
    }

    private void addRequests(Map<String, Object> spec) {
        dice.maybe(requests, spec, "initContainers", () -> dice.several(1, 4, this::initContainer));
        rename(spec, "initContainers", "i");
        dice.maybe(requests / 2, spec, "overhead", this::amounts);
        if (dice.percent(requests / 2)) {
            Map<String, Object> resources = object("requests", podLevel());
            dice.maybe(20, resources, "limits", this::podLevel);
            spec.put("resources", resources);
        }
    }

    private Map<String, Object> initContainer() {
        Map<String, Object> container = object("name", "", "image", dice.of(RandomNodes.IMAGES));
        dice.maybe(60, container, "restartPolicy", () -> "Always");
        dice.maybe(85, container, "resources", () -> object("requests", amounts()));
        dice.maybe(
                15,
                container,
                "ports",
                () -> List.of(object("containerPort", 80, "hostPort", dice.of(80, 443), "protocol", "TCP")));
        return container;
    }

    private Map<String, Object> amounts() {
        Map<String, Object> amounts = object();
        dice.maybe(75, amounts, "cpu", () -> dice.percent(90) ? dice.cpu() : dice.of("1500u", "100500u", "0.0001"));
        dice.maybe(75, amounts, "memory", dice::bytes);
        dice.maybe(15, amounts, "ephemeral-storage", dice::bytes);
        dice.maybe(12, amounts, "example.com/gpu", () -> dice.of("0", "1", "2"));
        dice.maybe(8, amounts, "hugepages-2Mi", () -> dice.of("2Mi", "64Mi"));
        dice.maybe(3, amounts, "hugepages-1Gi", () -> "1Gi");
        dice.maybe(2, amounts, "odd", () -> "1");
        return amounts;
    }

    private Map<String, Object> podLevel() {
        Map<String, Object> amounts = object();
        dice.maybe(60, amounts, "cpu", dice::cpu);
        // Not 1.5Gi: each time the real scheduler reads a fractional quantity, it adds the overhead to it again.
        dice.maybe(60, amounts, "memory", () -> dice.of("0", "1", "128Mi", "200M", "1Gi", "1536Mi", "2Gi", "4Gi"));
        dice.maybe(15, amounts, "hugepages-2Mi", () -> dice.of("2Mi", "64Mi"));
        dice.maybe(5, amounts, "ephemeral-storage", () -> "1Gi");
        return amounts;
    }

    private List<Map<String, Object>> statuses(Map<String, Object> spec, String key) {
        List<Map<String, Object>> statuses = new ArrayList<>();
        for (Map<String, Object> container : Dice.children(spec, key)) {
            Map<String, Object> status = object("name", dice.percent(95) ? Dice.text(container, "name") : "other");
            dice.maybe(70, status, "resources", () -> object("requests", amounts()));
            dice.maybe(60, status, "allocatedResources", this::amounts);
            statuses.add(status);
        }
        return statuses;
    }

    private void renew(Map<String, Object> term, Map<String, Object> labels) {
        dice.maybe(40, term, "namespaceSelector", () -> switch (dice.between(0, 3)) {
            case 0 -> object();
            case 1 -> object("matchLabels", object("team", dice.of("red", "blue")));
            case 2 ->
                object(
                        "matchExpressions",
                        List.of(object("key", "team", "operator", dice.of("Exists", "DoesNotExist"))));
            default ->
                object(
                        "matchExpressions",
                        List.of(object(
                                "key",
                                "kubernetes.io/metadata.name",
                                "operator",
                                dice.of("In", "NotIn"),
                                "values",
                                List.of(dice.of(RandomPods.NAMESPACES)))));
        });
        if (dice.percent(15)) {
            addKeys(term, "matchLabelKeys", "In", labels);
        }
        if (dice.percent(10)) {
            addKeys(term, "mismatchLabelKeys", "NotIn", labels);
        }
    }

    private void renewSpread(Map<String, Object> constraint, Map<String, Object> labels) {
        dice.maybe(30, constraint, "minDomains", () -> dice.between(1, 4));
        dice.maybe(30, constraint, "nodeAffinityPolicy", () -> dice.of("Honor", "Ignore"));
        dice.maybe(30, constraint, "nodeTaintsPolicy", () -> dice.of("Honor", "Ignore"));
        if (dice.percent(30)) {
            addKeys(constraint, "matchLabelKeys", "In", labels);
        }
    }

    /** Often, but not always, merged into the selector, as a current API server does it. */
    private void addKeys(Map<String, Object> term, String field, String operator, Map<String, Object> labels) {
        String key = dice.of("pod-template-hash", "app", "tier", "missing");
        term.put(field, List.of(key));
        Object value = labels.get(key);
        if (value != null && term.containsKey("labelSelector") && dice.percent(70)) {
            Map<String, Object> selector = Dice.child(term, "labelSelector");
            List<Object> expressions = new ArrayList<>(Dice.children(selector, "matchExpressions"));
            expressions.add(object("key", key, "operator", operator, "values", List.of(value)));
            selector.put("matchExpressions", expressions);
        }
    }
}
