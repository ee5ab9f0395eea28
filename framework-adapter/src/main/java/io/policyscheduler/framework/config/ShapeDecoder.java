package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.BaseEncoding;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.policy.GoDuration;
import io.policyscheduler.engine.policy.GoText;
import io.policyscheduler.engine.policy.JsonNode;
import io.policyscheduler.engine.policy.SourcePosition;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a document against a shape and brings it into a plain tree: known keys in their own spelling, of several equal keys
 * the last, no nulls. Goes on after a problem, so that all are found in one go. One instance per document.
 */
final class ShapeDecoder {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String STRICT = "strict decoding error: ";
    private static final BigDecimal SMALLEST_NANOS = BigDecimal.valueOf(1_000_000);

    private final String file;
    private final boolean lenient;
    private final ArgumentShapes arguments;
    private final Map<String, String> moved;
    private final Map<String, SourcePosition> positions = new HashMap<>();
    private final List<ConfigurationProblem> problems = new ArrayList<>();
    private final List<ConfigurationWarning> warnings = new ArrayList<>();

    /** Where a value stands: its path, the Go struct around it, the keys that lead to it, and the arguments it is part of. */
    private record Place(
            String path,
            String struct,
            String goPath,
            @Nullable ArgumentPlace within) {
        Place child(String key, String structName) {
            String joined = path.isEmpty() ? key : path + "." + key;
            return new Place(joined, structName, goPath.isEmpty() ? key : goPath + "." + key, within);
        }

        Place item(int index) {
            return new Place(path + "[" + index + "]", struct, goPath, within);
        }

        /** The path inside the arguments if it is part of some, else from the top. */
        String fieldPath() {
            return within == null
                    ? path
                    : path.substring(Math.min(path.length(), within.path().length() + 1));
        }

        String prefix() {
            return within == null ? "" : within.prefix();
        }
    }

    /** Arguments of a plugin: their path and what Kubernetes says before an error in them. */
    private record ArgumentPlace(String path, String entry, String plugin) {
        String prefix() {
            return "decoding ." + entry + ": decoding args for plugin " + plugin + ": ";
        }

        String strictPrefix() {
            return STRICT + "decoding ." + entry + ": " + STRICT + "decoding args for plugin " + plugin + ": ";
        }
    }

    /**
     * @param lenient whether unknown and duplicate keys are warnings
     * @param moved for keys of the top level that the version does not have, where their value belongs
     */
    ShapeDecoder(String file, boolean lenient, ArgumentShapes arguments, Map<String, String> moved) {
        this.file = file;
        this.lenient = lenient;
        this.arguments = arguments;
        this.moved = moved;
    }

    ObjectNode decode(JsonNode root, Shape shape) {
        Object value = value(root, shape, new Place("", shape.goType(), "", null));
        return value instanceof ObjectNode object ? object : NODES.objectNode();
    }

    List<ConfigurationProblem> problems() {
        return problems;
    }

    List<ConfigurationWarning> warnings() {
        return warnings;
    }

    FieldPositions positions() {
        return new FieldPositions(positions);
    }

    private com.fasterxml.jackson.databind.@Nullable JsonNode value(JsonNode node, Shape shape, Place place) {
        positions.put(place.path(), node.position());
        if (node.kind() == JsonNode.Kind.NULL) {
            return null;
        }
        return switch (shape.kind()) {
            case STRING -> fits(node, JsonNode.Kind.STRING, shape, place) ? NODES.textNode(node.text()) : null;
            case BOOL ->
                fits(node, JsonNode.Kind.BOOL, shape, place)
                        ? NODES.booleanNode(Boolean.parseBoolean(node.text()))
                        : null;
            case INT32, INT64 -> fits(node, JsonNode.Kind.NUMBER, shape, place) ? integer(node, shape, place) : null;
            case FLOAT ->
                fits(node, JsonNode.Kind.NUMBER, shape, place)
                        ? NODES.numberNode(Double.parseDouble(node.text()))
                        : null;
            case DURATION -> duration(node, place);
            case BYTES -> fits(node, JsonNode.Kind.STRING, shape, place) ? base64(node, place) : null;
            case LIST -> fits(node, JsonNode.Kind.ARRAY, shape, place) ? list(node, shape, place) : null;
            case OBJECT -> fits(node, JsonNode.Kind.OBJECT, shape, place) ? object(node, shape, place) : null;
            case ANY, ARGUMENTS -> any(node, place);
        };
    }

    private ObjectNode object(JsonNode node, Shape shape, Place place) {
        ObjectNode object = NODES.objectNode();
        Set<String> seen = new HashSet<>();
        JsonNode args = null;
        for (JsonNode.Member member : node.members()) {
            String key = shape.loose() ? shape.spelling(member.key()) : member.key();
            Shape field = shape.field(key);
            if (!seen.add(key) && !shape.loose()) {
                duplicate(member, place);
            }
            if (field == null) {
                unknown(member, shape, place);
            } else if (field.kind() == Shape.Kind.ARGUMENTS) {
                args = member.value();
            } else {
                com.fasterxml.jackson.databind.JsonNode value =
                        value(member.value(), field, place.child(key, shape.goType()));
                if (value != null) {
                    object.set(key, value);
                } else if (field.kind() == Shape.Kind.LIST || field.kind() == Shape.Kind.OBJECT) {
                    object.remove(key);
                }
            }
        }
        if (args != null) {
            object.set("args", arguments(args, object.path("name").asText(""), place));
        }
        return object;
    }

    private com.fasterxml.jackson.databind.JsonNode arguments(JsonNode args, String plugin, Place entry) {
        Place place = entry.child("args", entry.struct());
        Shape shape = arguments.of(plugin);
        if (shape == null) {
            com.fasterxml.jackson.databind.JsonNode raw = value(args, Shape.ANY, place);
            return raw == null ? NullNode.instance : raw;
        }
        ArgumentPlace within = new ArgumentPlace(place.path(), entry.path(), plugin);
        com.fasterxml.jackson.databind.JsonNode decoded =
                value(args, shape, new Place(place.path(), shape.goType(), "", within));
        if (decoded instanceof ObjectNode object) {
            checkKind(object, plugin, args, place.path(), entry.path());
            object.remove(List.of("kind", "apiVersion"));
            return object;
        }
        return NODES.objectNode();
    }

    private void checkKind(ObjectNode args, String plugin, JsonNode node, String path, String entry) {
        String kind = args.path("kind").asText("");
        String apiVersion = args.path("apiVersion").asText("");
        String group = apiVersion.contains("/") ? apiVersion.substring(0, apiVersion.indexOf('/')) : "";
        boolean otherKind = !kind.isEmpty() && !kind.equals(plugin + "Args");
        boolean otherGroup = !apiVersion.isEmpty() && !group.equals(ConfigVersion.GROUP);
        if (otherKind || otherGroup) {
            String found = (kind.isEmpty() ? plugin + "Args" : kind) + "."
                    + (apiVersion.isEmpty() ? ConfigVersion.GROUP : group);
            problem(
                    ConfigurationProblem.DECODE,
                    "decoding ." + entry + ": args for plugin " + plugin + " were not of type " + plugin + "Args."
                            + ConfigVersion.GROUP + ", got " + found,
                    positions.getOrDefault(path + (otherKind ? ".kind" : ".apiVersion"), node.position()),
                    otherKind ? plugin + "Args" : arguments.apiVersion());
        }
    }

    private ArrayNode list(JsonNode node, Shape shape, Place place) {
        ArrayNode list = NODES.arrayNode();
        Shape element = shape.elementShape();
        for (int i = 0; i < node.items().size(); i++) {
            com.fasterxml.jackson.databind.JsonNode item = value(node.items().get(i), element, place.item(i));
            list.add(
                    item != null
                            ? item
                            : element.kind() == Shape.Kind.OBJECT ? NODES.objectNode() : NODES.textNode(""));
        }
        return list;
    }

    private com.fasterxml.jackson.databind.JsonNode any(JsonNode node, Place place) {
        positions.put(place.path(), node.position());
        return switch (node.kind()) {
            case NULL -> NullNode.instance;
            case BOOL -> NODES.booleanNode(Boolean.parseBoolean(node.text()));
            case STRING -> NODES.textNode(node.text());
            case NUMBER -> number(new BigDecimal(node.text()));
            case ARRAY -> {
                ArrayNode list = NODES.arrayNode();
                for (int i = 0; i < node.items().size(); i++) {
                    list.add(any(node.items().get(i), place.item(i)));
                }
                yield list;
            }
            case OBJECT -> {
                ObjectNode object = NODES.objectNode();
                for (JsonNode.Member member : node.members()) {
                    object.set(member.key(), any(member.value(), place.child(member.key(), "")));
                }
                yield object;
            }
        };
    }

    private static com.fasterxml.jackson.databind.JsonNode number(BigDecimal value) {
        try {
            return NODES.numberNode(value.longValueExact());
        } catch (ArithmeticException e) {
            return NODES.numberNode(value.doubleValue());
        }
    }

    private com.fasterxml.jackson.databind.@Nullable JsonNode integer(JsonNode node, Shape shape, Place place) {
        try {
            long value = Long.parseLong(node.text());
            if (shape.kind() == Shape.Kind.INT64) {
                return NODES.numberNode(value);
            }
            if (value == (int) value) {
                return NODES.numberNode((int) value);
            }
        } catch (NumberFormatException e) {
            // A fraction, an exponent or more than 64 bits: none of them is an integer for Go.
        }
        misfit(node, "number " + node.text(), shape, place);
        return null;
    }

    private com.fasterxml.jackson.databind.@Nullable JsonNode duration(JsonNode node, Place place) {
        if (node.kind() != JsonNode.Kind.STRING) {
            problem(
                    ConfigurationProblem.DECODE,
                    place.prefix() + "json: cannot unmarshal " + node.kind().goName() + " into Go value of type string",
                    node.position(),
                    node.kind() == JsonNode.Kind.NUMBER ? durationOf(node.text()) : null);
            return null;
        }
        try {
            GoDuration.parse(node.text());
            return NODES.textNode(node.text());
        } catch (DateTimeException e) {
            problem(ConfigurationProblem.DECODE, place.prefix() + e.getMessage(), node.position(), null);
            return null;
        }
    }

    /** A bare number is most likely nanoseconds if it is large, and seconds if it is small. */
    private static @Nullable String durationOf(String number) {
        try {
            BigDecimal value = new BigDecimal(number);
            return value.abs().compareTo(SMALLEST_NANOS) < 0
                    ? value.toPlainString() + "s"
                    : GoDuration.format(Duration.ofNanos(value.longValueExact()));
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private com.fasterxml.jackson.databind.@Nullable JsonNode base64(JsonNode node, Place place) {
        String text = node.text().replace("\n", "").replace("\r", "");
        if (text.isEmpty() || BaseEncoding.base64().canDecode(text)) {
            return NODES.textNode(text);
        }
        problem(
                ConfigurationProblem.DECODE,
                place.prefix() + "illegal base64 data in " + place.path(),
                node.position(),
                null);
        return null;
    }

    private boolean fits(JsonNode node, JsonNode.Kind wanted, Shape shape, Place place) {
        if (node.kind() == wanted) {
            return true;
        }
        misfit(node, node.kind().goName(), shape, place);
        return false;
    }

    private void misfit(JsonNode node, String found, Shape shape, Place place) {
        String struct = place.struct().substring(place.struct().indexOf('.') + 1);
        String target = place.goPath().isEmpty() ? "Go value" : "Go struct field " + struct + "." + place.goPath();
        problem(
                ConfigurationProblem.DECODE,
                place.prefix() + "json: cannot unmarshal " + found + " into " + target + " of type " + shape.goType(),
                node.position(),
                null);
    }

    private void unknown(JsonNode.Member member, Shape shape, Place place) {
        Place field = place.child(member.key(), shape.goType());
        String near = place.path().isEmpty() ? moved.get(member.key()) : null;
        String better = near == null ? Suggestions.nearest(member.key(), shape.keys()) : near;
        strictness(
                ConfigurationProblem.UNKNOWN_FIELD,
                ConfigurationWarning.UNKNOWN_FIELD,
                "unknown field " + GoText.quote(field.fieldPath()),
                shape.loose(),
                member,
                field,
                better);
    }

    private void duplicate(JsonNode.Member member, Place place) {
        Place field = place.child(member.key(), place.struct());
        strictness(
                ConfigurationProblem.DUPLICATE_FIELD,
                ConfigurationWarning.DUPLICATE_FIELD,
                "duplicate field " + GoText.quote(field.fieldPath()),
                false,
                member,
                field,
                null);
    }

    private void strictness(
            String problemCode,
            String warningCode,
            String what,
            boolean loose,
            JsonNode.Member member,
            Place place,
            @Nullable String better) {
        if (lenient || loose) {
            String hint = better == null ? "" : " (did you mean \"" + better + "\"?)";
            warnings.add(new ConfigurationWarning(warningCode, what + hint, member.keyPosition()));
            return;
        }
        ArgumentPlace within = place.within();
        String prefix = within == null ? STRICT : within.strictPrefix() + STRICT;
        problem(problemCode, prefix + what, member.keyPosition(), better);
    }

    private void problem(String code, String message, SourcePosition position, @Nullable String better) {
        problems.add(ConfigurationProblem.of(code, message, file, position).suggesting(better));
    }
}
