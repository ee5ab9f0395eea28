package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import java.util.List;
import java.util.function.Consumer;

/** Label keys that become requirements of selectors when a pod is created ({@code pkg/registry/core/pod/strategy.go}). */
final class LabelKeys {
    private static final List<String> POD_AFFINITIES = List.of("podAffinity", "podAntiAffinity");

    private LabelKeys() {}

    static void merge(ObjectNode pod, CreationRules rules) {
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

    /** What has been created once, and is created again from what was stored, has it. */
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
