package io.policyscheduler.engine.rules.data;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table as it is at one moment. Immutable: a source makes a new one whenever its values, or what is known of them, change.
 *
 * @param values in force, defaults included
 * @param generation counts the values that have been in force, 1 for the first ones; 0 while a source has given none yet
 * @param sourceTime when the newest value was true, for sources that tell; null for values that have no age, and while there are none
 * @param stale number of keys that are not among the values because what is known of them is too old
 * @param problem why newer values are not in force, for users; null when there are none that are refused
 */
public record TableState(
        TableSchema schema,
        TableValues values,
        long generation,
        @Nullable Instant sourceTime,
        int stale,
        @Nullable String problem) {
    /** The first values. */
    public static TableState first(TableSchema schema, TableValues values) {
        return new TableState(schema, values, 1, null, 0, null);
    }

    /** Nothing but defaults: the source has not been asked yet. */
    public static TableState none(TableSchema schema, Map<String, Object> defaults) {
        return new TableState(schema, TableValues.EMPTY.withDefaults(defaults), 0, null, 0, null);
    }

    /**
     * The first values as those that follow others, of the same generation when no row is another one.
     *
     * @param before of a table of the same name that was in force; null for none
     */
    public TableState after(@Nullable TableState before) {
        if (before == null || before.generation == 0 || generation == 0) {
            return this;
        }
        long next = before.values.hasRowsOf(values) ? before.generation : before.generation + 1;
        return next == generation ? this : new TableState(schema, values, next, sourceTime, stale, problem);
    }

    /** Other values, which have no age. */
    public TableState next(TableValues other) {
        return next(other, null, 0, null);
    }

    /**
     * What the source has now: of the next generation when a row is another one, else of the same with other times.
     *
     * @param staleNow see {@link #stale}
     * @param trouble see {@link #problem}
     */
    public TableState next(TableValues other, @Nullable Instant time, int staleNow, @Nullable String trouble) {
        boolean same = generation > 0 && values.hasRowsOf(other);
        return new TableState(schema, other, same ? generation : generation + 1, time, staleNow, trouble);
    }

    /** The same values, with what is wrong with those that should follow them. */
    public TableState refused(String why) {
        return new TableState(schema, values, generation, sourceTime, stale, why);
    }
}
