package io.policyscheduler.engine.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A decoded struct before it becomes a record: values by their v1 key, and where each one stands. */
final class RawObject {
    private final Map<String, Object> values = new HashMap<>();
    private final Map<String, SourcePosition> positions = new HashMap<>();
    private final SourcePosition position;

    RawObject(SourcePosition position) {
        this.position = position;
    }

    SourcePosition position() {
        return position;
    }

    /** Null leaves what is there, as a JSON null does with everything but pointers and lists. */
    void put(TypeShape.Field field, @Nullable Object value, SourcePosition at) {
        if (value != null) {
            values.put(field.name(), value);
            positions.put(field.name(), at);
        } else if (field.pointer() || field.type().kind() == TypeShape.Kind.LIST) {
            values.remove(field.name());
        }
    }

    SourcePosition position(String name) {
        return positions.getOrDefault(name, SourcePosition.UNKNOWN);
    }

    String string(String name) {
        return values.get(name) instanceof String text ? text : "";
    }

    boolean bool(String name) {
        return values.get(name) instanceof Boolean value && value;
    }

    long number(String name) {
        return values.get(name) instanceof Long value ? value : 0;
    }

    @Nullable
    RawObject object(String name) {
        return values.get(name) instanceof RawObject value ? value : null;
    }

    /** A value of any kind, null when it is missing. */
    @Nullable
    JsonNode any(String name) {
        return values.get(name) instanceof JsonNode value ? value : null;
    }

    /** True when a value is given, false included. */
    boolean has(String name) {
        return values.containsKey(name);
    }

    @Nullable
    List<?> list(String name) {
        return values.get(name) instanceof List<?> value ? value : null;
    }
}
