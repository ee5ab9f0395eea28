package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a value of a configuration has to look like.
 *
 * @param goType the type as Go's error messages show it
 * @param fields fields of an object
 * @param element the items of a list
 * @param loose an object whose keys match in any case and whose unknown keys are dropped, as extenders of old versions
 */
record Shape(
        Kind kind,
        String goType,
        List<Field> fields,
        @Nullable Shape element,
        boolean loose) {
    enum Kind {
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

    /** A key of an object. */
    record Field(String key, Shape shape) {}

    static final Shape STRING = scalar(Kind.STRING, "string");
    static final Shape BOOL = scalar(Kind.BOOL, "bool");
    static final Shape INT32 = scalar(Kind.INT32, "int32");
    static final Shape INT64 = scalar(Kind.INT64, "int64");
    static final Shape FLOAT = scalar(Kind.FLOAT, "float32");
    static final Shape DURATION = scalar(Kind.DURATION, "string");
    static final Shape BYTES = scalar(Kind.BYTES, "string");
    static final Shape ANY = scalar(Kind.ANY, "interface {}");
    static final Shape ARGUMENTS = scalar(Kind.ARGUMENTS, "runtime.RawExtension");

    Shape {
        fields = ImmutableList.copyOf(fields);
    }

    private static Shape scalar(Kind kind, String goType) {
        return new Shape(kind, goType, List.of(), null, false);
    }

    static Shape list(Shape element) {
        return new Shape(Kind.LIST, "[]" + element.goType(), List.of(), element, false);
    }

    static Shape object(String goType, Field... fields) {
        return new Shape(Kind.OBJECT, goType, List.of(fields), null, false);
    }

    static Field field(String key, Shape shape) {
        return new Field(key, shape);
    }

    Shape loosely() {
        return new Shape(kind, goType, fields, element, true);
    }

    Shape elementShape() {
        if (element == null) {
            throw new IllegalStateException(goType + " is not a list");
        }
        return element;
    }

    /** The field of a key, null if there is none. */
    @Nullable
    Shape field(String key) {
        for (Field field : fields) {
            if (field.key().equals(key) || (loose && field.key().equalsIgnoreCase(key))) {
                return field.shape();
            }
        }
        return null;
    }

    /** The key as the shape spells it. */
    String spelling(String key) {
        return fields.stream()
                .map(Field::key)
                .filter(known -> known.equalsIgnoreCase(key))
                .findFirst()
                .orElse(key);
    }

    List<String> keys() {
        return fields.stream().map(Field::key).toList();
    }
}
