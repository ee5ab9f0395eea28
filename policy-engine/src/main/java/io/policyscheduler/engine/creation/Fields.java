package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException.Reason;
import java.util.Locale;
import java.util.function.Consumer;

/** Fields of JSON trees. */
final class Fields {
    private Fields() {}

    /** The text at the path; empty when absent, null or not a scalar. */
    static String text(JsonNode node, String... path) {
        JsonNode found = node;
        for (String step : path) {
            found = found.path(step);
        }
        return found.isNull() ? "" : found.asText("");
    }

    /** True when the field is there and not null. */
    static boolean has(JsonNode node, String name) {
        return node.hasNonNull(name);
    }

    /** The object of that name, created when absent. */
    static ObjectNode child(ObjectNode parent, String name) {
        JsonNode present = parent.path(name);
        if (present instanceof ObjectNode found) {
            return found;
        }
        return absent(present, name) ? parent.putObject(name) : parent.objectNode();
    }

    /** The list of that name, created when absent. */
    static ArrayNode list(ObjectNode parent, String name) {
        JsonNode present = parent.path(name);
        if (present instanceof ArrayNode found) {
            return found;
        }
        return absent(present, name) ? parent.putArray(name) : parent.arrayNode();
    }

    private static boolean absent(JsonNode present, String name) {
        if (present.isMissingNode() || present.isNull()) {
            return true;
        }
        throw new RejectedException(
                Reason.MALFORMED, "json: cannot unmarshal " + goType(present) + " into field " + name);
    }

    static void putIfAbsent(ObjectNode parent, String name, String value) {
        if (text(parent, name).isEmpty()) {
            parent.put(name, value);
        }
    }

    /** Sets an absent text of a pointer, whose empty text is a value. */
    static void putIfMissing(ObjectNode parent, String name, String value) {
        if (!has(parent, name)) {
            parent.put(name, value);
        }
    }

    static void putIfAbsent(ObjectNode parent, String name, int value) {
        if (!has(parent, name)) {
            parent.put(name, value);
        }
    }

    static void putIfAbsent(ObjectNode parent, String name, boolean value) {
        if (!has(parent, name)) {
            parent.put(name, value);
        }
    }

    /** Each element of the list that is an object. */
    static void forEach(JsonNode list, Consumer<ObjectNode> action) {
        for (JsonNode element : list) {
            if (element instanceof ObjectNode object) {
                action.accept(object);
            }
        }
    }

    private static String goType(JsonNode node) {
        return node.isBoolean() ? "bool" : node.getNodeType().name().toLowerCase(Locale.ROOT);
    }
}
