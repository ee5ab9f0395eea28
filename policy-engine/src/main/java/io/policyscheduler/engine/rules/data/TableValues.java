package io.policyscheduler.engine.rules.data;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a table: a row for each key, a value for each field of it that is given. Immutable.
 *
 * @param rows Boolean, Double (finite, never -0) or String by field, by key; in the order of the source
 * @param defaults what counts for a field that a key lacks, and for a key that is not there
 * @param times when the row of a key was true, by key; empty for values that have no age
 */
public record TableValues(
        ImmutableMap<String, ImmutableMap<String, Object>> rows,
        ImmutableMap<String, Object> defaults,
        ImmutableMap<String, Instant> times) {
    /** No values. */
    public static final TableValues EMPTY = new TableValues(ImmutableMap.of(), ImmutableMap.of());

    /** Values that have no age. */
    public TableValues(ImmutableMap<String, ImmutableMap<String, Object>> rows, ImmutableMap<String, Object> defaults) {
        this(rows, defaults, ImmutableMap.of());
    }

    /** Values without defaults. */
    public static TableValues of(Map<String, ImmutableMap<String, Object>> rows) {
        return new TableValues(ImmutableMap.copyOf(rows), ImmutableMap.of());
    }

    /** The same rows with other defaults. */
    public TableValues withDefaults(Map<String, Object> values) {
        return new TableValues(rows, ImmutableMap.copyOf(values), times);
    }

    /** True when all values are the same, whatever their age. */
    public boolean hasRowsOf(TableValues other) {
        return rows.equals(other.rows) && defaults.equals(other.defaults);
    }

    /** True when the key itself is there; a default does not count. */
    public boolean has(@Nullable String key) {
        return isKey(key) && rows.containsKey(key);
    }

    /** Number of keys. */
    public int size() {
        return rows.size();
    }

    /**
     * The value of a key, else the default, else null.
     *
     * @param key null for one that is missing itself
     */
    public @Nullable Object get(@Nullable String key, String field) {
        ImmutableMap<String, Object> row = isKey(key) ? rows.get(key) : null;
        Object value = row == null ? null : row.get(field);
        return value == null ? defaults.get(field) : value;
    }

    /** Longer ones are not there, and hashing them would be work without a bound. */
    private static boolean isKey(@Nullable String key) {
        return key != null && key.length() <= TableLimits.MAX_KEY;
    }

    /** The number of a field that is one, or 1 and 0 for true and false; NaN when it is missing. */
    public double number(@Nullable String key, String field) {
        Object value = get(key, field);
        if (value instanceof Boolean bool) {
            return bool ? 1 : 0;
        }
        return value == null ? Double.NaN : (Double) value;
    }

    /** The text of a field that is one; null when it is missing. */
    public @Nullable String text(@Nullable String key, String field) {
        return (String) get(key, field);
    }
}
