package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a Go type that a Policy is decoded into.
 *
 * @param goName the type as Go prints it, such as {@code []v1.Extender}
 * @param fields fields of a struct
 * @param element type of the items of a list
 * @param standardDecoding the value is decoded by encoding/json: keys in any case, unknown keys ignored
 */
record TypeShape(
        Kind kind,
        String goName,
        List<Field> fields,
        @Nullable TypeShape element,
        boolean standardDecoding) {
    enum Kind {
        STRING,
        BOOL,
        INT32,
        INT64,
        BYTES,
        STRUCT,
        LIST,
        /** Any JSON value, kept as it is; only rules have them. */
        ANY
    }

    /**
     * A field of a struct.
     *
     * @param name the key of the v1 form, under which the value is found after decoding
     * @param key the key in this form
     * @param goName the Go field, with the embedding struct in front if it has one
     * @param pointer the Go field is a pointer to a struct
     */
    record Field(String name, String key, List<String> goName, TypeShape type, boolean pointer) {}

    static final TypeShape STRING = scalar(Kind.STRING, "string");
    static final TypeShape BOOL = scalar(Kind.BOOL, "bool");
    static final TypeShape INT32 = scalar(Kind.INT32, "int32");
    static final TypeShape INT64 = scalar(Kind.INT64, "int64");
    static final TypeShape DURATION = scalar(Kind.INT64, "time.Duration");
    static final TypeShape BYTES = scalar(Kind.BYTES, "[]uint8");

    static final TypeShape ANY = scalar(Kind.ANY, "interface {}");

    private static TypeShape scalar(Kind kind, String goName) {
        return new TypeShape(kind, goName, List.of(), null, false);
    }

    static TypeShape list(TypeShape element) {
        return new TypeShape(Kind.LIST, "[]" + element.goName(), List.of(), element, false);
    }

    static TypeShape struct(String goName, boolean standardDecoding, List<Field> fields) {
        return new TypeShape(Kind.STRUCT, goName, ImmutableList.copyOf(fields), null, standardDecoding);
    }

    TypeShape elementType() {
        if (element == null) {
            throw new IllegalStateException(goName + " is no list");
        }
        return element;
    }

    /** The field with exactly this key. */
    @Nullable
    Field field(String key) {
        for (Field field : fields) {
            if (field.key().equals(key)) {
                return field;
            }
        }
        return null;
    }
}
