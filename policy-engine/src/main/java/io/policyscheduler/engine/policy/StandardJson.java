package io.policyscheduler.engine.policy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a parsed document into the shape of a Go type as {@code encoding/json} does: keys match in any case, unknown
 * keys are ignored, the last of several equal keys wins, and the first misfit is the error.
 */
final class StandardJson {
    private @Nullable DocumentException firstError;

    private StandardJson() {}

    static RawObject decode(JsonNode node, TypeShape type) throws DocumentException {
        StandardJson decoder = new StandardJson();
        Object value = decoder.value(node, type, "");
        if (decoder.firstError != null) {
            throw decoder.firstError;
        }
        return value instanceof RawObject object ? object : new RawObject(node.position());
    }

    /** The offset of the first byte that is no base64, or -1. Line ends are allowed. */
    static int badBase64(String text) {
        int symbols = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r') {
                continue;
            }
            if (c == '=') {
                return badPadding(text, i, symbols);
            }
            boolean symbol =
                    (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
            if (!symbol) {
                return i;
            }
            symbols++;
        }
        return symbols % 4 == 0 ? -1 : text.length() - symbols % 4;
    }

    private static int badPadding(String text, int start, int symbols) {
        int missing = (4 - symbols % 4) % 4;
        String rest = text.substring(start).replace("\n", "").replace("\r", "");
        if (missing != 1 && missing != 2) {
            return start;
        }
        return rest.equals("=".repeat(missing)) ? -1 : Math.min(start + missing, text.length());
    }

    private @Nullable Object value(JsonNode node, TypeShape type, String field) {
        if (node.kind() == JsonNode.Kind.NULL) {
            return null;
        }
        return switch (type.kind()) {
            case ANY -> node;
            case STRING -> fits(node, JsonNode.Kind.STRING, type, field) ? node.text() : null;
            case BOOL -> fits(node, JsonNode.Kind.BOOL, type, field) ? Boolean.valueOf(node.text()) : null;
            case INT32, INT64 -> fits(node, JsonNode.Kind.NUMBER, type, field) ? integer(node, type, field) : null;
            case BYTES -> fits(node, JsonNode.Kind.STRING, type, field) ? base64(node) : null;
            case LIST -> fits(node, JsonNode.Kind.ARRAY, type, field) ? list(node, type, field) : null;
            case STRUCT -> fits(node, JsonNode.Kind.OBJECT, type, field) ? struct(node, type) : null;
        };
    }

    private RawObject struct(JsonNode node, TypeShape type) {
        RawObject object = new RawObject(node.position());
        String struct = type.goName().substring(type.goName().indexOf('.') + 1);
        for (JsonNode.Member member : node.members()) {
            TypeShape.Field field = type.field(member.key());
            for (TypeShape.Field candidate : type.fields()) {
                if (field == null && candidate.key().equalsIgnoreCase(member.key())) {
                    field = candidate;
                }
            }
            if (field != null) {
                Object value = value(member.value(), field.type(), struct + "." + field.key());
                object.put(field, value, member.value().position());
            }
        }
        return object;
    }

    private List<Object> list(JsonNode node, TypeShape type, String field) {
        List<Object> items = new ArrayList<>();
        for (JsonNode item : node.items()) {
            Object value = value(item, type.elementType(), field);
            items.add(value == null ? new RawObject(item.position()) : value);
        }
        return items;
    }

    private @Nullable Long integer(JsonNode node, TypeShape type, String field) {
        try {
            if (node.text().startsWith("+")) {
                throw new NumberFormatException(node.text());
            }
            return Long.valueOf(node.text());
        } catch (NumberFormatException e) {
            misfit(node, "number " + node.text(), type, field);
            return null;
        }
    }

    private @Nullable String base64(JsonNode node) {
        int bad = badBase64(node.text());
        if (bad < 0) {
            return node.text();
        }
        fail("illegal base64 data at input byte " + bad, node.position());
        return null;
    }

    private boolean fits(JsonNode node, JsonNode.Kind wanted, TypeShape type, String field) {
        if (node.kind() == wanted) {
            return true;
        }
        misfit(node, node.kind().goName, type, field);
        return false;
    }

    private void misfit(JsonNode node, String found, TypeShape type, String field) {
        String target = field.isEmpty() ? "Go value" : "Go struct field " + field;
        fail("json: cannot unmarshal " + found + " into " + target + " of type " + type.goName(), node.position());
    }

    private void fail(String message, SourcePosition position) {
        if (firstError == null) {
            firstError = new DocumentException(message, position);
        }
    }
}
