package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeSet;

/**
 * Normalizes outcomes for a comparison with the reference programs, which do not distinguish null, empty, and absent values, do not order the
 * nominations to clear, and name only the plugin for a gated pod.
 */
final class OutcomeNormalizer {
    private OutcomeNormalizer() {}

    /** Returns a normalized copy of an outcome. */
    static ObjectNode of(JsonNode outcome) {
        ObjectNode normalized = (ObjectNode) emptied(outcome);
        if (normalized.has("plugins")) {
            // The reference programs list plugins; the remaining predicates are in their failures.
            normalized.remove("predicates");
        }
        for (JsonNode pod : normalized.path("pods")) {
            if (pod.path("gated") instanceof ObjectNode gated) {
                gated.retain("plugin");
            }
            if (pod.path("preemption") instanceof ObjectNode preemption) {
                if (preemption.path("clearNominations") instanceof ObjectNode cleared) {
                    cleared.properties().forEach(node -> node.setValue(sorted(node.getValue())));
                }
                if (preemption.has("candidates")) {
                    // Errors of other nodes do not matter then.
                    preemption.remove("error");
                }
            }
        }
        return normalized;
    }

    private static ArrayNode sorted(JsonNode texts) {
        TreeSet<String> sorted = new TreeSet<>();
        texts.forEach(text -> sorted.add(text.asText()));
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        sorted.forEach(array::add);
        return array;
    }

    private static JsonNode emptied(JsonNode node) {
        if (node.isObject()) {
            ObjectNode kept = JsonNodeFactory.instance.objectNode();
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                JsonNode value = emptied(field.getValue());
                if (!value.isNull() && !(value.isContainerNode() && value.isEmpty())) {
                    kept.set(field.getKey(), value);
                }
            }
            return kept;
        }
        if (node.isArray()) {
            ArrayNode kept = JsonNodeFactory.instance.arrayNode();
            node.forEach(element -> kept.add(emptied(element)));
            return kept;
        }
        return node;
    }
}
