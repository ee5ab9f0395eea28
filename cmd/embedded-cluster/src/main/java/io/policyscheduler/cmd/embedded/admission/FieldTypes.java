package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The Go types of the fields of served objects. A request with a value of another type is rejected with the message of the API
 * server's JSON decoder, so that no controller meets such a value. The types are in {@code field-types.txt}.
 */
final class FieldTypes {
    private static final Map<String, Map<String, String>> STRUCTS = read();
    private static final String QUANTITY_FORM = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";

    private final String prefix;
    private final List<String> path = new ArrayList<>();

    private FieldTypes(String prefix) {
        this.prefix = prefix;
    }

    /**
     * Decodes an object in place: fields that are null are removed, because null is the absence of a value in Go.
     *
     * @throws StatusError with code 400 for the first value whose type is not that of its field
     */
    static void decode(ResourceType type, ObjectNode object) {
        String version = type.versions().get(0);
        FieldTypes decoding = new FieldTypes(
                type.kind() + " in version \"" + version + "\" cannot be handled as a " + type.kind() + ": ");
        decoding.field(object, "metadata", "ObjectMeta", type.kind());
        if (STRUCTS.containsKey(type.kind())) {
            decoding.struct(object, type.kind());
        }
    }

    /** Returns whether a quantity has the form that the decoder accepts, and fails with its message otherwise. */
    private void quantity(JsonNode value) {
        if (value.isContainerNode() || Json.quantity(value.asText()).isEmpty()) {
            throw StatusError.badRequest(
                    prefix + "quantities must match the regular expression '" + QUANTITY_FORM + "'");
        }
    }

    private void struct(ObjectNode object, String struct) {
        for (Map.Entry<String, String> field : fieldsOf(struct).entrySet()) {
            field(object, field.getKey(), field.getValue(), struct);
        }
    }

    private void field(ObjectNode object, String name, String type, String struct) {
        @Nullable JsonNode value = object.get(name);
        if (value == null) {
            return;
        }
        if (value.isNull()) {
            object.remove(name);
            return;
        }
        path.add(name);
        value(value, type, struct);
        path.remove(path.size() - 1);
    }

    private void value(JsonNode value, String type, String struct) {
        if (type.startsWith("[]")) {
            check(value.isArray(), value, type, struct);
            ArrayNode list = (ArrayNode) value;
            String element = type.substring(2);
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i).isNull() && fieldsOf(element).isEmpty()) {
                    list.set(i, list.textNode(""));
                } else if (list.get(i).isNull()) {
                    list.set(i, list.objectNode());
                }
                value(list.get(i), element, struct);
            }
        } else if (type.startsWith("{}")) {
            check(value.isObject(), value, type, struct);
            value.properties().removeIf(entry -> entry.getValue().isNull());
            value.forEach(element -> value(element, type.substring(2), struct));
        } else {
            scalar(value, type, struct);
        }
    }

    private void scalar(JsonNode value, String type, String struct) {
        switch (type) {
            case "any" -> {
                // The reader of the field decodes it.
            }
            case "string", "types.UID" -> check(value.isTextual(), value, type, struct);
            case "Time" -> time(value, struct);
            case "bytes" -> bytes(value, struct);
            case "bool" -> check(value.isBoolean(), value, type, struct);
            case "int32" -> check(value.isIntegralNumber() && value.canConvertToInt(), value, type, struct);
            case "int64" -> check(value.isIntegralNumber() && value.canConvertToLong(), value, type, struct);
            case "IntOrString" ->
                check(
                        value.isTextual() || (value.isIntegralNumber() && value.canConvertToInt()),
                        value,
                        "int32",
                        struct);
            case "Quantity" -> quantity(value);
            default -> {
                check(value.isObject(), value, type, struct);
                struct((ObjectNode) value, type);
            }
        }
    }

    private void time(JsonNode value, String struct) {
        check(value.isTextual(), value, "string", struct);
        String text = value.asText();
        try {
            OffsetDateTime.parse(text);
        } catch (DateTimeParseException e) {
            throw StatusError.badRequest(prefix + "parsing time \"" + text
                    + "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"" + text + "\" as \"2006\"");
        }
    }

    private void bytes(JsonNode value, String struct) {
        check(value.isTextual(), value, "[]uint8", struct);
        try {
            Base64.getDecoder().decode(value.asText());
        } catch (IllegalArgumentException e) {
            throw StatusError.badRequest(prefix + "illegal base64 data at input byte 0");
        }
    }

    private void check(boolean right, JsonNode value, String type, String struct) {
        if (!right) {
            throw StatusError.badRequest(prefix + "json: cannot unmarshal " + describe(value) + " into Go struct field "
                    + struct + "." + String.join(".", path) + " of type " + goType(type));
        }
    }

    private static String describe(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "array";
            case OBJECT -> "object";
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> value.isIntegralNumber() && value.canConvertToInt() ? "number" : "number " + value.asText();
            default -> "value";
        };
    }

    private static String goType(String type) {
        if (type.startsWith("[]")) {
            return "[]" + goType(type.substring(2));
        }
        if (type.startsWith("{}")) {
            return type.equals("{}Quantity") ? "v1.ResourceList" : "map[string]" + goType(type.substring(2));
        }
        return fieldsOf(type).isEmpty() ? type : "v1." + type;
    }

    private static Map<String, String> fieldsOf(String struct) {
        return STRUCTS.getOrDefault(struct, Map.of());
    }

    private static Map<String, Map<String, String>> read() {
        ImmutableMap.Builder<String, Map<String, String>> structs = ImmutableMap.builder();
        try {
            for (String line : Resources.readLines(
                    Resources.getResource(FieldTypes.class, "field-types.txt"), StandardCharsets.UTF_8)) {
                String[] words = line.split(" ");
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                ImmutableMap.Builder<String, String> fields = ImmutableMap.builder();
                for (int i = 1; i < words.length; i++) {
                    int colon = words[i].indexOf(':');
                    fields.put(words[i].substring(0, colon), words[i].substring(colon + 1));
                }
                structs.put(words[0], fields.buildOrThrow());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return structs.buildOrThrow();
    }
}
