package io.policyscheduler.engine.document;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;

/** Where the values of a document stand, by field path such as {@code profiles[0].plugins.score}. */
public final class FieldPositions {
    /** Of values that were not read from a file. */
    public static final FieldPositions NONE = new FieldPositions(Map.of());

    private final ImmutableMap<String, SourcePosition> positions;

    FieldPositions(Map<String, SourcePosition> positions) {
        this.positions = ImmutableMap.copyOf(positions);
    }

    /** Where a field stands, empty if the file does not set it. */
    public Optional<SourcePosition> of(String path) {
        return Optional.ofNullable(positions.get(path));
    }

    /** Where a field or, if it is not set, the innermost object around it stands. */
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
