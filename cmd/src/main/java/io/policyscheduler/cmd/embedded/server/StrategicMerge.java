package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Strategic merge patch (apimachinery strategicpatch): as a merge patch, but lists whose elements have a merge key are
 * merged element by element. The merge keys are those of the Kubernetes types that this server stores; other lists are
 * replaced. The order directives are accepted and ignored: elements keep their order, new ones come last.
 */
final class StrategicMerge {
    private static final String DIRECTIVE = "$patch";
    private static final String RETAIN_KEYS = "$retainKeys";
    private static final String ORDER = "$setElementOrder/";
    private static final String DELETE_PRIMITIVES = "$deleteFromPrimitiveList/";
    private static final Map<String, List<String>> MERGE_KEYS = Map.ofEntries(
            Map.entry("conditions", List.of("type")),
            Map.entry("containers", List.of("name")),
            Map.entry("initContainers", List.of("name")),
            Map.entry("ephemeralContainers", List.of("name")),
            Map.entry("volumes", List.of("name")),
            Map.entry("env", List.of("name")),
            Map.entry("ports", List.of("containerPort", "port")),
            Map.entry("volumeMounts", List.of("mountPath")),
            Map.entry("volumeDevices", List.of("devicePath")),
            Map.entry("imagePullSecrets", List.of("name")),
            Map.entry("secrets", List.of("name")),
            Map.entry("hostAliases", List.of("ip")),
            Map.entry("podIPs", List.of("ip")),
            Map.entry("topologySpreadConstraints", List.of("topologyKey")),
            Map.entry("resourceClaims", List.of("name")),
            Map.entry("schedulingGates", List.of("name")),
            Map.entry("ownerReferences", List.of("uid")),
            Map.entry("addresses", List.of("type")),
            Map.entry("drivers", List.of("name")));
    private static final Set<String> PRIMITIVE_SETS = Set.of("finalizers", "podCIDRs", "volumesInUse");

    private StrategicMerge() {}

    /** The fields by which the elements of a list of this name are told apart, any of which an element has; empty for other lists. */
    static List<String> keys(String list) {
        return MERGE_KEYS.getOrDefault(list, List.of());
    }

    /** Whether a list of this name holds texts that are added one by one. */
    static boolean isSet(String list) {
        return PRIMITIVE_SETS.contains(list);
    }

    static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        switch (Json.text(patch, DIRECTIVE)) {
            case "replace" -> {
                return (ObjectNode) clean(patch);
            }
            case "delete" -> {
                return Json.object();
            }
            default -> {}
        }
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            String field = change.getKey();
            JsonNode value = change.getValue();
            if (field.startsWith(DELETE_PRIMITIVES)) {
                String list = field.substring(DELETE_PRIMITIVES.length());
                if (target.path(list) instanceof ArrayNode present) {
                    target.set(list, without(present, value));
                }
            } else if (field.equals(RETAIN_KEYS)) {
                Set<String> retained = new HashSet<>();
                value.forEach(v -> retained.add(v.asText()));
                target.retain(retained);
            } else if (!field.equals(DIRECTIVE) && !field.startsWith(ORDER)) {
                applyField(target, field, value);
            }
        }
        return target;
    }

    private static void applyField(ObjectNode target, String field, JsonNode value) {
        JsonNode present = target.path(field);
        if (value.isNull()) {
            target.remove(field);
        } else if (value instanceof ObjectNode change) {
            if (present instanceof ObjectNode object) {
                target.set(field, apply(object, change));
            } else if (!Json.text(change, DIRECTIVE).equals("delete")) {
                target.set(field, clean(change));
            }
        } else if (value instanceof ArrayNode changes) {
            ArrayNode old = present instanceof ArrayNode list ? list : Json.array();
            target.set(field, applyList(field, old, changes));
        } else {
            target.set(field, value);
        }
    }

    private static ArrayNode applyList(String field, ArrayNode present, ArrayNode changes) {
        if (PRIMITIVE_SETS.contains(field)) {
            return without(present, changes).addAll(changes);
        }
        @Nullable String key = mergeKey(field, changes);
        if (key == null) {
            return (ArrayNode) clean(changes);
        }
        for (JsonNode change : changes) {
            if (Json.text(change, DIRECTIVE).equals("replace")) {
                return (ArrayNode) clean(changes);
            }
        }
        List<JsonNode> result = new ArrayList<>();
        present.forEach(result::add);
        for (JsonNode change : changes) {
            mergeElement(result, key, change);
        }
        return Json.array().addAll(result);
    }

    private static void mergeElement(List<JsonNode> result, String key, JsonNode change) {
        JsonNode id = change.path(key);
        if (id.isMissingNode()) {
            throw StatusError.badRequest("map: " + change + " does not contain declared merge key: " + key);
        }
        boolean delete = Json.text(change, DIRECTIVE).equals("delete");
        for (int i = 0; i < result.size(); i++) {
            if (result.get(i).path(key).equals(id)) {
                if (delete) {
                    result.remove(i);
                } else {
                    result.set(i, apply((ObjectNode) result.get(i), (ObjectNode) change));
                }
                return;
            }
        }
        if (!delete) {
            result.add(clean(change));
        }
    }

    /** The merge key of a list of objects; null when the list is replaced as a whole. */
    private static @Nullable String mergeKey(String field, ArrayNode changes) {
        List<String> keys = MERGE_KEYS.getOrDefault(field, List.of());
        if (keys.isEmpty() || (!changes.isEmpty() && !changes.get(0).isObject())) {
            return null;
        }
        for (String key : keys) {
            if (changes.path(0).has(key)) {
                return key;
            }
        }
        return keys.get(0);
    }

    private static ArrayNode without(ArrayNode list, JsonNode removed) {
        Set<String> names = new HashSet<>();
        removed.forEach(r -> names.add(r.asText()));
        ArrayNode kept = Json.array();
        list.forEach(item -> {
            if (!names.contains(item.asText())) {
                kept.add(item);
            }
        });
        return kept;
    }

    /** A copy without directives, removals and elements that are nothing but a directive. */
    private static JsonNode clean(JsonNode value) {
        if (value instanceof ObjectNode object) {
            ObjectNode result = Json.object();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                if (!field.getKey().startsWith("$") && !field.getValue().isNull()) {
                    result.set(field.getKey(), clean(field.getValue()));
                }
            }
            return result;
        }
        if (value instanceof ArrayNode array) {
            ArrayNode result = Json.array();
            for (JsonNode item : array) {
                boolean directive = item.has(DIRECTIVE)
                        && (item.size() == 1 || Json.text(item, DIRECTIVE).equals("delete"));
                if (!directive) {
                    result.add(clean(item));
                }
            }
            return result;
        }
        return value;
    }
}
