package io.policyscheduler.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.DecodedObject.FieldPositions;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts a document to a plain tree according to a shape: keys as in the shape, the last of duplicate keys, no nulls. Continues
 * after a problem to find all; {@link DocumentRules} define the problems.
 */
public final class ShapeDecoder {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final DocumentRules rules;
    private final Map<String, SourcePosition> positions = new HashMap<>();

    private ShapeDecoder(DocumentRules rules) {
        this.rules = rules;
    }

    /** Decodes a document; a value that is not an object becomes an empty one. */
    public static DecodedObject decode(SourceNode root, Shape shape, DocumentRules rules) {
        ShapeDecoder decoder = new ShapeDecoder(rules);
        JsonNode value = decoder.value(root, DocumentPlace.of(shape));
        ObjectNode tree = value instanceof ObjectNode object ? object : NODES.objectNode();
        return new DecodedObject(tree, "", new FieldPositions(decoder.positions));
    }

    private @Nullable JsonNode value(SourceNode given, DocumentPlace place) {
        positions.put(place.path(), given.position());
        if (given.kind() == SourceNode.Kind.NULL) {
            return null;
        }
        SourceNode node = rules.value(given, place);
        JsonNode value = place.shape().kind() == Shape.Kind.ANY ? any(node, place.path()) : typed(node, place);
        if (value == null) {
            rules.misfit(node, place);
        }
        return value;
    }

    /** Null if the value has another type. */
    private @Nullable JsonNode typed(SourceNode node, DocumentPlace place) {
        Shape shape = place.shape();
        return switch (node.kind()) {
            case NULL -> null;
            case BOOL -> shape.kind() == Shape.Kind.BOOL ? NODES.booleanNode(Boolean.parseBoolean(node.text())) : null;
            case NUMBER -> number(node.text(), shape);
            case STRING -> text(node.text(), shape);
            case ARRAY -> shape.kind() == Shape.Kind.LIST ? list(node, place) : null;
            case OBJECT -> shape.kind() == Shape.Kind.OBJECT ? object(node, place) : null;
        };
    }

    private static @Nullable JsonNode number(String text, Shape shape) {
        if (shape.kind() == Shape.Kind.FLOAT) {
            return NODES.numberNode(Double.parseDouble(text));
        }
        boolean small = shape.kind() == Shape.Kind.INT32;
        if (!small && shape.kind() != Shape.Kind.INT64) {
            return null;
        }
        try {
            long value = Long.parseLong(text);
            if (small) {
                return value == (int) value ? NODES.numberNode((int) value) : null;
            }
            return NODES.numberNode(value);
        } catch (NumberFormatException e) {
            // For Go, a fraction, an exponent or more than 64 bits is not an integer.
            return null;
        }
    }

    private static @Nullable JsonNode text(String text, Shape shape) {
        return switch (shape.kind()) {
            case STRING -> NODES.textNode(text);
            case BYTES ->
                GoText.badBase64(text) < 0
                        ? NODES.textNode(text.replace("\n", "").replace("\r", ""))
                        : null;
            case DURATION -> isDuration(text) ? NODES.textNode(text) : null;
            default -> null;
        };
    }

    private static boolean isDuration(String text) {
        try {
            GoDuration.parse(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private ObjectNode object(SourceNode node, DocumentPlace place) {
        ObjectNode object = NODES.objectNode();
        Set<String> seen = new HashSet<>();
        SourceNode arguments = null;
        for (SourceNode.Member member : node.members()) {
            Shape.Field field = rules.field(member, place);
            if (field == null) {
                continue;
            }
            if (!seen.add(field.key())) {
                rules.again(member, field, place);
            }
            if (field.shape().kind() == Shape.Kind.ARGUMENTS) {
                arguments = member.value();
                continue;
            }
            JsonNode value = value(member.value(), place.child(field));
            if (value != null) {
                object.set(field.key(), value);
            } else if (field.shape().kind() == Shape.Kind.LIST || field.shape().kind() == Shape.Kind.OBJECT) {
                object.remove(field.key());
            }
        }
        if (arguments != null) {
            // The name that determines their type may follow them.
            object.set("args", arguments(arguments, object.path("name").asText(""), place));
        }
        return object;
    }

    private JsonNode arguments(SourceNode node, String plugin, DocumentPlace entry) {
        Shape.Field field = Shape.field("args", Shape.ARGUMENTS);
        DocumentPlace place = entry.child(field).as(rules.arguments(plugin));
        JsonNode decoded = value(node, place);
        if (place.shape().kind() == Shape.Kind.ANY) {
            return decoded == null ? NullNode.instance : decoded;
        }
        if (decoded instanceof ObjectNode object) {
            rules.argumentsRead(object, node, place);
            return object;
        }
        return NODES.objectNode();
    }

    private ArrayNode list(SourceNode node, DocumentPlace place) {
        ArrayNode list = NODES.arrayNode();
        for (int i = 0; i < node.items().size(); i++) {
            DocumentPlace item = place.item(i);
            JsonNode value = value(node.items().get(i), item);
            boolean object = item.shape().kind() == Shape.Kind.OBJECT;
            list.add(value != null ? value : object ? NODES.objectNode() : NODES.textNode(""));
        }
        return list;
    }

    private JsonNode any(SourceNode node, String path) {
        positions.put(path, node.position());
        return switch (node.kind()) {
            case NULL -> NullNode.instance;
            case BOOL -> NODES.booleanNode(Boolean.parseBoolean(node.text()));
            case STRING -> NODES.textNode(node.text());
            case NUMBER -> anyNumber(new BigDecimal(node.text()));
            case ARRAY -> {
                ArrayNode list = NODES.arrayNode();
                for (int i = 0; i < node.items().size(); i++) {
                    list.add(any(node.items().get(i), path + "[" + i + "]"));
                }
                yield list;
            }
            case OBJECT -> {
                ObjectNode object = NODES.objectNode();
                for (SourceNode.Member member : node.members()) {
                    object.set(member.key(), any(member.value(), path + "." + member.key()));
                }
                yield object;
            }
        };
    }

    private static JsonNode anyNumber(BigDecimal value) {
        try {
            return NODES.numberNode(value.longValueExact());
        } catch (ArithmeticException e) {
            return NODES.numberNode(value.doubleValue());
        }
    }

    /**
     * The location of a value in a document.
     *
     * @param parent the object or list around it, null for the document itself
     * @param field its field in the object around it; null for an item of a list and the document
     * @param shape its expected shape
     * @param path such as {@code profiles[0].plugins}, empty for the document
     */
    public record DocumentPlace(@Nullable DocumentPlace parent, Shape.@Nullable Field field, Shape shape, String path) {
        static DocumentPlace of(Shape document) {
            return new DocumentPlace(null, null, document, "");
        }

        /** The location of a field in this object. */
        public DocumentPlace child(Shape.Field child) {
            return new DocumentPlace(this, child, child.shape(), pathOf(child.key()));
        }

        DocumentPlace item(int index) {
            return new DocumentPlace(this, null, shape.elementShape(), path + "[" + index + "]");
        }

        DocumentPlace as(Shape other) {
            return new DocumentPlace(parent, field, other, path);
        }

        /** Path of a key in this object. */
        public String pathOf(String key) {
            return path.isEmpty() ? key : path + "." + key;
        }
    }

    /** The treatment of keys and of values with a wrong type in one kind of document. */
    public interface DocumentRules {
        /** The field of an object for a key; null if the member is ignored. Reports the problems of the key. */
        Shape.@Nullable Field field(SourceNode.Member member, DocumentPlace object);

        /** A duplicate field; the later value applies. */
        void again(SourceNode.Member member, Shape.Field field, DocumentPlace object);

        /** A value, not null, that does not have its shape. */
        void misfit(SourceNode value, DocumentPlace place);

        /** The value to decode instead of this one, usually the same. */
        default SourceNode value(SourceNode value, DocumentPlace place) {
            return value;
        }

        /** The shape of a plugin's arguments; any for unknown plugins. */
        default Shape arguments(String plugin) {
            return Shape.ANY;
        }

        /** Called after the arguments of a known plugin were decoded. */
        default void argumentsRead(ObjectNode arguments, SourceNode source, DocumentPlace place) {}
    }

    /**
     * The schema of a value of a document: the Go type that Kubernetes decodes it into.
     *
     * @param goType the type in Go's error messages, of an object without its package
     * @param fields fields of an object
     * @param element the items of a list
     * @param loose an object with case-insensitive keys whose unknown keys are dropped, as extenders of old versions
     */
    public record Shape(
            Kind kind,
            String goType,
            List<Field> fields,
            @Nullable Shape element,
            boolean loose) {
        /** The kinds of values. */
        public enum Kind {
            STRING,
            BOOL,
            INT32,
            INT64,
            FLOAT,
            /** A string such as {@code 15s}. */
            DURATION,
            /** A string in base64. */
            BYTES,
            OBJECT,
            LIST,
            /** Any value, unchanged. */
            ANY,
            /** Arguments of the plugin in the sibling key {@code name}. */
            ARGUMENTS
        }

        /**
         * A key of an object.
         *
         * @param goName the Go field, prefixed by the embedding struct if there is one; empty if no message contains it
         */
        public record Field(String key, String goName, Shape shape) {}

        public static final Shape STRING = scalar(Kind.STRING, "string");
        public static final Shape BOOL = scalar(Kind.BOOL, "bool");
        public static final Shape INT32 = scalar(Kind.INT32, "int32");
        public static final Shape INT64 = scalar(Kind.INT64, "int64");
        public static final Shape FLOAT = scalar(Kind.FLOAT, "float32");
        public static final Shape DURATION = scalar(Kind.DURATION, "string");
        /** A duration as a number. */
        public static final Shape NANOSECONDS = scalar(Kind.INT64, "time.Duration");

        public static final Shape BYTES = scalar(Kind.BYTES, "[]uint8");
        public static final Shape ANY = scalar(Kind.ANY, "interface {}");
        public static final Shape ARGUMENTS = scalar(Kind.ARGUMENTS, "runtime.RawExtension");

        public Shape {
            fields = ImmutableList.copyOf(fields);
        }

        private static Shape scalar(Kind kind, String goType) {
            return new Shape(kind, goType, List.of(), null, false);
        }

        /** A list. */
        public static Shape list(Shape element) {
            return new Shape(Kind.LIST, "[]" + element.goType(), List.of(), element, false);
        }

        /** A struct. */
        public static Shape object(String goType, Field... fields) {
            return object(goType, List.of(fields));
        }

        /** A struct. */
        public static Shape object(String goType, List<Field> fields) {
            return new Shape(Kind.OBJECT, goType, fields, null, false);
        }

        /** A field of a struct. */
        public static Field field(String key, Shape shape) {
            return new Field(key, "", shape);
        }

        /** A field of a struct that messages refer to by its Go name. */
        public static Field field(String key, String goName, Shape shape) {
            return new Field(key, goName, shape);
        }

        /** The same struct with case-insensitive keys. */
        public Shape loosely() {
            return new Shape(kind, goType, fields, element, true);
        }

        /** Shape of the items of a list. */
        public Shape elementShape() {
            if (element == null) {
                throw new IllegalStateException(goType + " is not a list");
            }
            return element;
        }

        /** The field with exactly this key, null if there is none. */
        public @Nullable Field field(String key) {
            return fields.stream()
                    .filter(field -> field.key().equals(key))
                    .findFirst()
                    .orElse(null);
        }

        /** The field with this key in any case, null if there is none. */
        public @Nullable Field fieldInAnyCase(String key) {
            return fields.stream()
                    .filter(field -> field.key().equalsIgnoreCase(key))
                    .findFirst()
                    .orElse(null);
        }

        /** The keys of an object. */
        public List<String> keys() {
            return fields.stream().map(Field::key).toList();
        }
    }
}
