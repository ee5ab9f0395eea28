package io.policyscheduler.engine.rules.table;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A table as it is at one moment. Immutable: a source makes a new one whenever its values, or what is known of them, change.
 *
 * @param values in force, defaults included
 * @param generation counts the values that have been in force, 1 for the first ones
 * @param sourceTime when the values were true, for sources that tell; null for values that have no age
 * @param problem why newer values are not in force, for users; null when there are none that are refused
 */
public record TableState(
        TableSchema schema,
        TableValues values,
        long generation,
        @Nullable Instant sourceTime,
        @Nullable String problem) {
    /** The first values. */
    public static TableState first(TableSchema schema, TableValues values) {
        return new TableState(schema, values, 1, null, null);
    }

    /** Other values, of the next generation. */
    public TableState next(TableValues other, @Nullable Instant time) {
        return new TableState(schema, other, generation + 1, time, null);
    }

    /** The same values, with what is wrong with those that should follow them. */
    public TableState refused(String why) {
        return new TableState(schema, values, generation, sourceTime, why);
    }
}
