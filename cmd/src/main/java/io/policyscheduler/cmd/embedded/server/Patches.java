package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.util.Map;

/** The three patch formats: applies one to an object. */
final class Patches {
    private Patches() {}

    /** The patched object; the given object may be changed in place. */
    static ObjectNode apply(String contentType, ObjectNode target, JsonNode patch) {
        JsonNode result = switch (contentType) {
            case "application/merge-patch+json" -> merge(target, patch);
            case "application/strategic-merge-patch+json" -> StrategicMerge.apply(target, object(patch));
            case "application/json-patch+json" -> jsonPatch(target, patch);
            default -> throw StatusError.unsupportedMediaType(contentType);
        };
        return object(result);
    }

    private static ObjectNode object(JsonNode node) {
        if (node instanceof ObjectNode found) {
            return found;
        }
        throw StatusError.badRequest("error decoding patch: a JSON object is wanted");
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
            throw StatusError.badRequest("error decoding patch: a JSON array is wanted");
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
                        throw unprocessable("testing value " + path + " failed: test failed");
                    }
                }
                default -> throw StatusError.badRequest("unexpected patch operation: " + step);
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
                throw unprocessable("add operation does not apply: doc is missing path: " + path);
            }
            array.insert(index, value);
        } else {
            throw unprocessable("add operation does not apply: doc is missing path: " + path);
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
            throw unprocessable("doc is missing path: " + path + ": missing value");
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

    private static StatusError unprocessable(String why) {
        return StatusError.of(422, "Invalid", "the server rejected our request due to an error in our request: " + why);
    }
}
