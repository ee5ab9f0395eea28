package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.resource.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Small helpers on JSON trees. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
                    .build())
            .build();

    private Json() {}

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    public static JsonNode parse(byte[] text) throws IOException {
        JsonNode tree = MAPPER.readTree(text);
        return tree == null ? JsonNodeFactory.instance.missingNode() : tree;
    }

    public static byte[] bytes(JsonNode tree) {
        try {
            return MAPPER.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text at the path; empty when absent, null or not a scalar. */
    public static String text(JsonNode node, String... path) {
        return at(node, path).asText("");
    }

    /** Returns the node at the path; a missing node if it is absent or null. */
    public static JsonNode at(JsonNode node, String... path) {
        JsonNode found = node;
        for (String step : path) {
            found = found.path(step);
        }
        return found.isNull() ? JsonNodeFactory.instance.missingNode() : found;
    }

    /** The object field of that name, created when absent; a field of another type is a malformed request. */
    public static ObjectNode child(ObjectNode parent, String name) {
        JsonNode present = parent.path(name);
        if (present instanceof ObjectNode found) {
            return found;
        }
        if (!present.isMissingNode() && !present.isNull()) {
            throw StatusError.badRequest("json: cannot unmarshal " + typeName(present) + " into field " + name);
        }
        return parent.putObject(name);
    }

    /** The list field of that name, created when absent; a field of another type is a malformed request. */
    public static ArrayNode list(ObjectNode parent, String name) {
        JsonNode present = parent.path(name);
        if (present instanceof ArrayNode found) {
            return found;
        }
        if (!present.isMissingNode() && !present.isNull()) {
            throw StatusError.badRequest("json: cannot unmarshal " + typeName(present) + " into field " + name);
        }
        return parent.putArray(name);
    }

    public static void putIfAbsent(ObjectNode parent, String name, String value) {
        if (text(parent, name).isEmpty()) {
            parent.put(name, value);
        }
    }

    /** Returns the value of a resource quantity, or empty if the text is not one. */
    public static Optional<BigDecimal> quantity(String text) {
        try {
            return Optional.of(Quantity.parse(text).exact());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    public static String time(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }

    private static String typeName(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "array";
            case OBJECT -> "object";
            case STRING -> "string";
            case NUMBER -> "number";
            case BOOLEAN -> "bool";
            default -> "value";
        };
    }
}
