package io.policyscheduler.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A decoded object before it is converted to a record. Missing values are empty, false, zero or null, as in a Go struct.
 *
 * @param tree with the keys of the shape, without nulls
 * @param path of the object in its document
 * @param positions of the whole document
 */
public record DecodedObject(ObjectNode tree, String path, FieldPositions positions) {
    /** The position of the object, unknown if it is not from a file. */
    public SourcePosition position() {
        return positions.of(path).orElse(SourcePosition.UNKNOWN);
    }

    /** The position of the value of a key, unknown if there is none. */
    public SourcePosition position(String key) {
        return has(key) ? positions.of(pathOf(key)).orElse(SourcePosition.UNKNOWN) : SourcePosition.UNKNOWN;
    }

    /** True if a value is set, including false. */
    public boolean has(String key) {
        return tree.has(key);
    }

    /** A string. */
    public String string(String key) {
        return tree.path(key).asText("");
    }

    /** A bool. */
    public boolean bool(String key) {
        return tree.path(key).asBoolean(false);
    }

    /** An integer. */
    public long number(String key) {
        return tree.path(key).asLong(0);
    }

    /** A value of any kind, null when it is missing. */
    public @Nullable JsonNode any(String key) {
        return tree.get(key);
    }

    /** An object, null when it is missing. */
    public @Nullable DecodedObject object(String key) {
        return tree.get(key) instanceof ObjectNode object ? new DecodedObject(object, pathOf(key), positions) : null;
    }

    /** The objects of a list; null when there is no list. */
    public @Nullable List<DecodedObject> objectsOrNull(String key) {
        if (!(tree.get(key) instanceof ArrayNode array)) {
            return null;
        }
        List<DecodedObject> items = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            if (array.get(i) instanceof ObjectNode object) {
                items.add(new DecodedObject(object, pathOf(key) + "[" + i + "]", positions));
            }
        }
        return items;
    }

    /** The objects of a list, empty when it is missing. */
    public List<DecodedObject> objects(String key) {
        List<DecodedObject> items = objectsOrNull(key);
        return items == null ? List.of() : items;
    }

    /** The strings of a list, empty when it is missing. */
    public List<String> strings(String key) {
        List<String> items = new ArrayList<>();
        tree.path(key).forEach(item -> items.add(item.asText("")));
        return items;
    }

    private String pathOf(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    /** The positions of the values of a document, by field path such as {@code profiles[0].plugins.score}. */
    public static final class FieldPositions {
        /** No positions, for values that were not read from a file. */
        public static final FieldPositions NONE = new FieldPositions(Map.of());

        private final ImmutableMap<String, SourcePosition> positions;

        FieldPositions(Map<String, SourcePosition> positions) {
            this.positions = ImmutableMap.copyOf(positions);
        }

        /** The position of a field, empty if the file does not set it. */
        public Optional<SourcePosition> of(String path) {
            return Optional.ofNullable(positions.get(path));
        }

        /** The position of a field or, if it is not set, of the innermost object around it. */
        public SourcePosition nearest(String path) {
            String rest = path;
            while (!rest.isEmpty()) {
                SourcePosition position = positions.get(rest);
                if (position != null) {
                    return position;
                }
                rest = rest.substring(0, Math.max(0, Math.max(rest.lastIndexOf('.'), rest.lastIndexOf('['))));
            }
            return positions.getOrDefault("", SourcePosition.UNKNOWN);
        }
    }
}
