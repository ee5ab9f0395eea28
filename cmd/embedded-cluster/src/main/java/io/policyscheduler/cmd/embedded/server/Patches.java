package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ListSchema;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Applies patches of the three formats of API servers. */
public final class Patches {
    /** The content type of strategic merge patches. */
    public static final String STRATEGIC = "application/strategic-merge-patch+json";

    private Patches() {}

    /**
     * Returns the patched object; the given object may be changed in place.
     *
     * @throws StatusError if the API server rejects the patch, or does not support its content type
     */
    public static ObjectNode apply(String contentType, ObjectNode target, JsonNode patch) {
        JsonNode result = switch (contentType) {
            case "application/merge-patch+json" -> merge(target, patch);
            case STRATEGIC -> StrategicMerge.apply(target, object(patch));
            case "application/json-patch+json" -> jsonPatch(target, patch);
            default -> throw StatusError.of(415, "UnsupportedMediaType", "415: Unsupported Media Type");
        };
        return object(result);
    }

    private static ObjectNode object(JsonNode node) {
        if (node instanceof ObjectNode found) {
            return found;
        }
        throw StatusError.badRequest("error decoding patch: a JSON object is expected");
    }

    /** RFC 7386. */
    private static JsonNode merge(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch;
        }
        ObjectNode result = target instanceof ObjectNode present ? present : Json.object();
        for (Map.Entry<String, JsonNode> change : changes.properties()) {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                result.set(change.getKey(), merge(result.path(change.getKey()), change.getValue()));
            }
        }
        return result;
    }

    /** RFC 6902. */
    private static JsonNode jsonPatch(JsonNode target, JsonNode patch) {
        if (!patch.isArray()) {
            throw StatusError.badRequest("json: cannot unmarshal object into Go value of type jsonpatch.Patch");
        }
        JsonNode result = target;
        for (JsonNode step : patch) {
            String path = Json.text(step, "path");
            switch (Json.text(step, "op")) {
                case "add" -> result = add(result, path, step.path("value"));
                case "remove" -> remove(result, path);
                case "replace" -> {
                    if (path.isEmpty()) {
                        result = step.path("value");
                    } else {
                        set(result, path, step.path("value"));
                    }
                }
                case "copy" ->
                    result = add(
                            result, path, find(result, Json.text(step, "from")).deepCopy());
                case "move" -> {
                    JsonNode moved = find(result, Json.text(step, "from"));
                    remove(result, Json.text(step, "from"));
                    result = add(result, path, moved);
                }
                case "test" -> {
                    if (!find(result, path).equals(step.path("value"))) {
                        throw unprocessable();
                    }
                }
                default -> throw unprocessable();
            }
        }
        return result;
    }

    private static JsonNode add(JsonNode root, String path, JsonNode value) {
        if (path.isEmpty()) {
            return value;
        }
        JsonPointer pointer = pointer(path);
        JsonNode parent = root.at(pointer.head());
        String key = pointer.last().getMatchingProperty();
        if (parent instanceof ObjectNode object) {
            object.set(key, value);
        } else if (parent instanceof ArrayNode array) {
            int index = key.equals("-") ? array.size() : pointer.last().getMatchingIndex();
            if (index < 0 || index > array.size()) {
                throw unprocessable();
            }
            array.insert(index, value);
        } else {
            throw unprocessable();
        }
        return root;
    }

    private static void set(JsonNode root, String path, JsonNode value) {
        find(root, path);
        JsonPointer pointer = pointer(path);
        if (root.at(pointer.head()) instanceof ObjectNode object) {
            object.set(pointer.last().getMatchingProperty(), value);
        } else if (root.at(pointer.head()) instanceof ArrayNode array) {
            array.set(pointer.last().getMatchingIndex(), value);
        }
    }

    private static void remove(JsonNode root, String path) {
        find(root, path);
        JsonPointer pointer = pointer(path);
        if (root.at(pointer.head()) instanceof ObjectNode object) {
            object.remove(pointer.last().getMatchingProperty());
        } else if (root.at(pointer.head()) instanceof ArrayNode array) {
            array.remove(pointer.last().getMatchingIndex());
        }
    }

    private static JsonNode find(JsonNode root, String path) {
        JsonNode found = root.at(pointer(path));
        if (found.isMissingNode()) {
            throw unprocessable();
        }
        return found;
    }

    private static JsonPointer pointer(String path) {
        try {
            return JsonPointer.compile(path);
        } catch (IllegalArgumentException e) {
            throw StatusError.badRequest("invalid path in patch: " + path);
        }
    }

    private static StatusError unprocessable() {
        return StatusError.of(422, "Invalid", "the server rejected our request due to an error in our request");
    }

    /**
     * Strategic merge patch (apimachinery strategicpatch): a merge patch that merges lists with a merge key by element. The merge
     * keys are those of the stored Kubernetes types; other lists are replaced. Order directives are accepted and ignored:
     * elements keep their order, new ones are appended.
     */
    static final class StrategicMerge {
        private static final String DIRECTIVE = "$patch";
        private static final String RETAIN_KEYS = "$retainKeys";
        private static final String ORDER = "$setElementOrder/";
        private static final String DELETE_PRIMITIVES = "$deleteFromPrimitiveList/";

        private StrategicMerge() {}

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
            if (ListSchema.isPatchedSet(field)) {
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
            List<JsonNode> before = keys(present, key);
            for (JsonNode change : changes) {
                mergeElement(result, key, change);
            }
            return ordered(result, key, before, keys(changes, key));
        }

        private static List<JsonNode> keys(JsonNode list, String key) {
            List<JsonNode> keys = new ArrayList<>();
            list.forEach(element -> keys.add(element.path(key)));
            return keys;
        }

        /**
         * The elements of a patch in its order, merged with the others in the order of the list. Mirrors
         * {@code normalizeElementOrder}: a new element comes before the elements that the patch does not name.
         */
        private static ArrayNode ordered(
                List<JsonNode> merged, String key, List<JsonNode> before, List<JsonNode> patched) {
            List<JsonNode> ours = new ArrayList<>();
            List<JsonNode> others = new ArrayList<>();
            merged.forEach(element -> (patched.contains(element.path(key)) ? ours : others).add(element));
            ours.sort(Comparator.comparingInt(element -> patched.indexOf(element.path(key))));
            ArrayNode result = Json.array();
            int next = 0;
            for (JsonNode other : others) {
                int place = before.indexOf(other.path(key));
                while (next < ours.size()
                        && !isAfter(before.indexOf(ours.get(next).path(key)), place)) {
                    result.add(ours.get(next++));
                }
                result.add(other);
            }
            ours.subList(next, ours.size()).forEach(result::add);
            return result;
        }

        private static boolean isAfter(int place, int other) {
            return place >= 0 && other >= 0 && place > other;
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
            List<String> keys = ListSchema.of(field).patchMergeKeys();
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

        /** A copy without directives, removals, and elements that consist of a directive only. */
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
}
