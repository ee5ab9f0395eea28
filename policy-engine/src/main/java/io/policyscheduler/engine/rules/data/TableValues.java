package io.policyscheduler.engine.rules.data;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a table by key and field. Immutable.
 *
 * @param rows Boolean, Double (finite, never -0) or String by field, by key; in source order
 * @param defaults the values of missing fields and keys
 * @param times timestamps of rows by key; empty for values without an age
 */
public record TableValues(
        ImmutableMap<String, ImmutableMap<String, Object>> rows,
        ImmutableMap<String, Object> defaults,
        ImmutableMap<String, Instant> times) {
    /** No values. */
    public static final TableValues EMPTY = new TableValues(ImmutableMap.of(), ImmutableMap.of());

    /** Values without an age. */
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

    /** True if all values are equal, regardless of timestamps. */
    public boolean hasRowsOf(TableValues other) {
        return rows.equals(other.rows) && defaults.equals(other.defaults);
    }

    /** True if the key exists; defaults do not count. */
    public boolean has(@Nullable String key) {
        return isKey(key) && rows.containsKey(key);
    }

    /** The number of keys. */
    public int size() {
        return rows.size();
    }

    /**
     * The value of a key, else the default, else null.
     *
     * @param key null for a missing one
     */
    public @Nullable Object get(@Nullable String key, String field) {
        ImmutableMap<String, Object> row = isKey(key) ? rows.get(key) : null;
        Object value = row == null ? null : row.get(field);
        return value == null ? defaults.get(field) : value;
    }

    /** Longer keys do not exist, and hashing them would be unbounded work. */
    private static boolean isKey(@Nullable String key) {
        return key != null && key.length() <= TableLimits.MAX_KEY;
    }

    /** The value of a numeric field, or 1 and 0 for true and false; NaN if it is missing. */
    public double number(@Nullable String key, String field) {
        Object value = get(key, field);
        if (value instanceof Boolean bool) {
            return bool ? 1 : 0;
        }
        return value == null ? Double.NaN : (Double) value;
    }

    /** The value of a string field; null if it is missing. */
    public @Nullable String text(@Nullable String key, String field) {
        return (String) get(key, field);
    }
}
