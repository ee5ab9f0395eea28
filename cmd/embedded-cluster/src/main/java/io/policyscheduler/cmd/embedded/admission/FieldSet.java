package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ListSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Fields of an object, each a path of steps as in {@code fieldsV1}: {@code f:NAME} for a member, {@code k:KEYS} for an item of a
 * list with keys, {@code v:VALUE} for one of a set, and a last {@code .} for an item itself.
 */
final class FieldSet {
    private static final String ITSELF = ".";

    private FieldSet() {}

    /** All fields of an object with their values. */
    static Map<List<String>, JsonNode> of(JsonNode object) {
        Map<List<String>, JsonNode> fields = new LinkedHashMap<>();
        collect(ImmutableList.of(), "", object, fields);
        return fields;
    }

    private static void collect(List<String> path, String field, JsonNode value, Map<List<String>, JsonNode> fields) {
        if (value.isObject() && !value.isEmpty() && !ListSchema.isAtomic(field)) {
            for (Map.Entry<String, JsonNode> member : value.properties()) {
                collect(step(path, "f:" + member.getKey()), member.getKey(), member.getValue(), fields);
            }
        } else if (value.isArray() && ListSchema.isSet(field)) {
            value.forEach(item -> fields.put(step(path, "v:" + item), item));
        } else if (value.isArray() && !value.isEmpty() && hasKeys(field, value)) {
            for (JsonNode item : value) {
                ObjectNode key = ListSchema.key(field, item).orElseThrow();
                List<String> at = step(path, "k:" + key);
                fields.put(step(at, ITSELF), key);
                collect(at, "", item, fields);
            }
        } else {
            fields.put(path, value);
        }
    }

    private static boolean hasKeys(String field, JsonNode list) {
        for (JsonNode item : list) {
            if (ListSchema.key(field, item).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    static List<String> step(List<String> path, String step) {
        return ImmutableList.<String>builder().addAll(path).add(step).build();
    }

    /** Parses {@code fieldsV1}. */
    static Set<List<String>> parse(JsonNode fieldsV1) {
        Set<List<String>> paths = new LinkedHashSet<>();
        parse(ImmutableList.of(), fieldsV1, paths);
        return paths;
    }

    private static void parse(List<String> path, JsonNode tree, Set<List<String>> paths) {
        if (tree.isEmpty() && !path.isEmpty()) {
            paths.add(path);
        }
        tree.properties().forEach(child -> parse(step(path, child.getKey()), child.getValue(), paths));
    }

    /** Returns {@code fieldsV1}. */
    static ObjectNode tree(Set<List<String>> paths) {
        ObjectNode root = Json.object();
        for (List<String> path : paths) {
            ObjectNode at = root;
            for (String step : path) {
                at = Json.child(at, step);
            }
        }
        return root;
    }

    /** A field in error messages: {@code .spec.containers[name="web"].image}. */
    static String text(List<String> path) {
        StringBuilder text = new StringBuilder();
        for (String step : path) {
            if (step.startsWith("f:")) {
                text.append('.').append(step.substring(2));
            } else if (step.startsWith("k:")) {
                StringBuilder keys = new StringBuilder();
                json(step.substring(2))
                        .properties()
                        .forEach(key -> keys.append(keys.isEmpty() ? "" : ",")
                                .append(key.getKey())
                                .append('=')
                                .append(key.getValue()));
                text.append('[').append(keys).append(']');
            } else if (step.startsWith("v:")) {
                text.append('[').append(step.substring(2)).append(']');
            }
        }
        return text.toString();
    }

    /** Removes a field from an object, and the containers that become empty. */
    static void remove(ObjectNode object, List<String> path) {
        removeFrom(object, "", path);
    }

    private static void removeFrom(JsonNode node, String field, List<String> path) {
        String step = path.get(0);
        boolean last = path.size() == 1 || (path.size() == 2 && path.get(1).equals(ITSELF));
        if (node instanceof ObjectNode object && step.startsWith("f:")) {
            String name = step.substring(2);
            if (last) {
                object.remove(name);
            } else {
                removeFrom(object.path(name), name, path.subList(1, path.size()));
                if (object.path(name).isContainerNode() && object.path(name).isEmpty()) {
                    object.remove(name);
                }
            }
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                if (isItem(field, node.get(i), step)) {
                    if (last) {
                        ((ArrayNode) node).remove(i);
                    } else {
                        removeFrom(node.get(i), "", path.subList(1, path.size()));
                    }
                    return;
                }
            }
        }
    }

    /** Whether a step refers to this item of a list. */
    static boolean isItem(String field, JsonNode item, String step) {
        if (step.startsWith("v:")) {
            return item.toString().equals(step.substring(2));
        }
        Optional<ObjectNode> key = ListSchema.key(field, item);
        return key.isPresent() && step.equals("k:" + key.get());
    }

    private static JsonNode json(String text) {
        try {
            return Json.parse(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode missing() {
        return MissingNode.getInstance();
    }
}
