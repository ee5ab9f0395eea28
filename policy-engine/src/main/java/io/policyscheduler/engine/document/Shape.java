package io.policyscheduler.engine.document;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a value of a document: the Go type that Kubernetes decodes it into.
 *
 * @param goType the type as Go's error messages show it, of an object without its package
 * @param fields fields of an object
 * @param element the items of a list
 * @param loose an object whose keys match in any case and whose unknown keys are dropped, as extenders of old versions
 */
public record Shape(
        Kind kind,
        String goType,
        List<Field> fields,
        @Nullable Shape element,
        boolean loose) {
    /** What there is. */
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
        /** Anything, kept as it is. */
        ANY,
        /** Arguments of the plugin that the key {@code name} beside them says. */
        ARGUMENTS
    }

    /**
     * A key of an object.
     *
     * @param goName the Go field, with the embedding struct in front if it has one; empty where no message shows it
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

    /** A field of a struct that messages name by its Go name. */
    public static Field field(String key, String goName, Shape shape) {
        return new Field(key, goName, shape);
    }

    /** The same struct, taking keys in any case. */
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
