package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.creation.AmountChecks.PodAmounts;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The default values of the fields of a pod ({@code pkg/apis/core/v1/defaults.go}). */
final class PodDefaults {
    /** In the order of API servers. */
    static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers");

    private static final int GRACE_SECONDS = 30;

    private final Rules rules;

    PodDefaults(Rules rules) {
        this.rules = rules;
    }

    /** Applies the defaults of a pod. */
    void pod(ObjectNode pod) {
        ObjectNode spec = Fields.child(pod, "spec");
        Fields.putIfAbsent(spec, "enableServiceLinks", true);
        forEachContainer(spec, container -> {
            JsonNode limits = container.path("resources").path("limits");
            if (!limits.isEmpty()) {
                ObjectNode requests = Fields.child(Fields.child(container, "resources"), "requests");
                limits.properties().forEach(limit -> requests.putIfAbsent(limit.getKey(), limit.getValue()));
            }
        });
        if (spec.path("resources") instanceof ObjectNode resources && rules.has(NewerField.POD_RESOURCES)) {
            completePodLevel(spec, resources);
        }
        common(spec, true);
    }

    /** Applies the defaults of a pod template, which are fewer than those of pods. */
    void template(ObjectNode template) {
        common(Fields.child(template, "spec"), rules.fillsHostPortsOfTemplates());
    }

    private static void common(ObjectNode spec, boolean hostPorts) {
        Fields.putIfAbsent(spec, "restartPolicy", "Always");
        Fields.putIfAbsent(spec, "terminationGracePeriodSeconds", GRACE_SECONDS);
        Fields.putIfAbsent(spec, "dnsPolicy", "ClusterFirst");
        Fields.child(spec, "securityContext");
        Fields.putIfAbsent(spec, "schedulerName", "default-scheduler");
        boolean onHost = hostPorts && spec.path("hostNetwork").asBoolean();
        forEachContainer(spec, container -> container(container, onHost));
        Fields.forEach(spec.path("volumes"), PodDefaults::volume);
    }

    private static void container(ObjectNode container, boolean onHost) {
        String image = Fields.text(container, "image");
        boolean latest = image.endsWith(":latest") || image.lastIndexOf(':') <= image.lastIndexOf('/');
        boolean pulls = latest && !image.isEmpty() && !image.contains("@");
        Fields.putIfAbsent(container, "imagePullPolicy", pulls ? "Always" : "IfNotPresent");
        Fields.putIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
        Fields.putIfAbsent(container, "terminationMessagePolicy", "File");
        Fields.child(container, "resources");
        Fields.forEach(container.path("ports"), port -> {
            Fields.putIfAbsent(port, "protocol", "TCP");
            if (onHost && port.path("hostPort").asInt() == 0 && Fields.has(port, "containerPort")) {
                port.set("hostPort", port.path("containerPort"));
            }
        });
    }

    private static void volume(ObjectNode volume) {
        if (volume.path("rbd") instanceof ObjectNode rbd) {
            Fields.putIfAbsent(rbd, "pool", "rbd");
        } else if (volume.path("azureDisk") instanceof ObjectNode disk) {
            Fields.putIfAbsent(disk, "kind", "Shared");
        } else if (volume.path("ephemeral").path("volumeClaimTemplate") instanceof ObjectNode template) {
            Fields.putIfAbsent(Fields.child(template, "spec"), "volumeMode", "Filesystem");
        } else if (volume.size() == 1 && volume.has("name")) {
            volume.putObject("emptyDir");
        }
    }

    static void forEachContainer(JsonNode spec, java.util.function.Consumer<ObjectNode> action) {
        for (String list : CONTAINER_LISTS) {
            Fields.forEach(spec.path(list), action);
        }
    }

    private static final String HUGE_PAGES = "hugepages-";

    /** @param resources {@code spec.resources} */
    static void completePodLevel(ObjectNode spec, ObjectNode resources) {
        if (resources.path("limits").isEmpty() && resources.path("requests").isEmpty()) {
            return;
        }
        PodAmounts.ofContainers(spec, "limits").forEach((name, amount) -> {
            boolean given = resources.path("limits").has(name)
                    || resources.path("requests").has(name);
            if (name.startsWith(HUGE_PAGES) && !given) {
                Fields.child(resources, "limits").put(name, amount.toString());
            }
        });
        JsonNode limits = resources.path("limits");
        if (limits.isEmpty()) {
            return;
        }
        ObjectNode requests = Fields.child(resources, "requests");
        PodAmounts.ofContainers(spec, "requests").forEach((name, amount) -> {
            if ((name.equals("cpu") || name.equals("memory")) && !requests.has(name)) {
                requests.put(name, amount.toString());
            }
        });
        for (Map.Entry<String, JsonNode> limit : limits.properties()) {
            String name = limit.getKey();
            if ((name.equals("cpu") || name.equals("memory") || name.startsWith(HUGE_PAGES)) && !requests.has(name)) {
                requests.set(name, limit.getValue());
            }
        }
    }

    private static final List<String> POD_AFFINITIES = List.of("podAffinity", "podAntiAffinity");

    static void mergeLabelKeys(ObjectNode pod, Rules rules) {
        JsonNode spec = pod.path("spec");
        JsonNode labels = pod.path("metadata").path("labels");
        if (rules.has(NewerField.AFFINITY_LABEL_KEYS)) {
            forEachTerm(spec, term -> {
                if (term.path("labelSelector") instanceof ObjectNode selector) {
                    require(selector, term.path("matchLabelKeys"), "In", labels);
                    require(selector, term.path("mismatchLabelKeys"), "NotIn", labels);
                }
            });
        }
        if (rules.mergesSpreadKeys()) {
            Fields.forEach(spec.path("topologySpreadConstraints"), constraint -> {
                if (constraint.path("labelSelector") instanceof ObjectNode selector) {
                    require(selector, constraint.path("matchLabelKeys"), "In", labels);
                }
            });
        }
    }

    private static void require(ObjectNode selector, JsonNode keys, String operator, JsonNode labels) {
        for (JsonNode key : keys) {
            JsonNode value = labels.path(key.asText());
            if (value.isTextual()) {
                ObjectNode requirement = selector.objectNode();
                requirement.put("key", key.asText()).put("operator", operator);
                requirement.putArray("values").add(value.asText());
                ArrayNode expressions = Fields.list(selector, "matchExpressions");
                if (!contains(expressions, requirement)) {
                    expressions.add(requirement);
                }
            }
        }
    }

    /** Whether the requirement exists already, as in a stored object that is created again. */
    private static boolean contains(ArrayNode expressions, ObjectNode requirement) {
        for (JsonNode expression : expressions) {
            if (expression.equals(requirement)) {
                return true;
            }
        }
        return false;
    }

    private static void forEachTerm(JsonNode spec, Consumer<ObjectNode> action) {
        for (String kind : POD_AFFINITIES) {
            JsonNode affinity = spec.path("affinity").path(kind);
            Fields.forEach(affinity.path("requiredDuringSchedulingIgnoredDuringExecution"), action);
            Fields.forEach(affinity.path("preferredDuringSchedulingIgnoredDuringExecution"), weighted -> {
                if (weighted.path("podAffinityTerm") instanceof ObjectNode term) {
                    action.accept(term);
                }
            });
        }
    }
}
