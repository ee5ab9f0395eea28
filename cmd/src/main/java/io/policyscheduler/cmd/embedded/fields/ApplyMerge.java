package io.policyscheduler.cmd.embedded.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.Map;
import java.util.Optional;

/** Brings applied fields into an object: maps by name, lists with keys by keys, all else as a whole. */
final class ApplyMerge {
    private ApplyMerge() {}

    /**
     * The merged value.
     *
     * @param field the name under which the value stands
     * @param present is changed and returned where it can be
     */
    static JsonNode merge(String field, JsonNode present, JsonNode applied) {
        if (present instanceof ObjectNode object && applied.isObject() && !ListKeys.isAtomic(field)) {
            for (Map.Entry<String, JsonNode> member : applied.properties()) {
                String name = member.getKey();
                object.set(name, merge(name, object.path(name), member.getValue()));
            }
            return object;
        }
        if (present instanceof ArrayNode list && applied.isArray() && !list.isEmpty()) {
            return mergeLists(field, list, applied);
        }
        return applied;
    }

    private static JsonNode mergeLists(String field, ArrayNode present, JsonNode applied) {
        ArrayNode merged = Json.array().addAll(present);
        for (JsonNode item : applied) {
            Optional<ObjectNode> key = ListKeys.key(field, item);
            String step =
                    ListKeys.isSet(field) ? "v:" + item : key.map(k -> "k:" + k).orElse("");
            if (step.isEmpty()) {
                return applied;
            }
            int at = 0;
            while (at < merged.size() && !FieldSet.isItem(field, merged.get(at), step)) {
                at++;
            }
            if (at < merged.size()) {
                merged.set(at, merge("", merged.get(at), item));
            } else {
                merged.add(item);
            }
        }
        return merged;
    }
}
