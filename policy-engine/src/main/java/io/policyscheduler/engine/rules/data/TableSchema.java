package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The schema of a table: its name, its fields, and their types. Immutable; values that come later must fit it.
 *
 * @param name by which rules name it: {@code tables.NAME}
 * @param fields type of each field, a BOOL, NUMBER or STRING; a table of plain values has one field, {@link #VALUE}
 * @param defaults the fields that have a default, so that they are never missing
 * @param plusPlaced by field, what pods that were placed on the node since add to its number; empty for nothing
 */
public record TableSchema(
        String name,
        SortedMap<String, RuleType> fields,
        SortedSet<String> defaults,
        SortedMap<String, PlacedAmount> plusPlaced) {
    /** The one field of a table of plain values. */
    public static final String VALUE = "";

    public TableSchema {
        fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
        defaults = Collections.unmodifiableSortedSet(new TreeSet<>(defaults));
        plusPlaced = Collections.unmodifiableSortedMap(new TreeMap<>(plusPlaced));
        if (fields.isEmpty() || (fields.containsKey(VALUE) && fields.size() > 1)) {
            throw new IllegalArgumentException("fields " + fields.keySet());
        }
        for (RuleType type : fields.values()) {
            if (!type.isScalar()) {
                throw new IllegalArgumentException("a field that is a " + type);
            }
        }
    }

    /** Of values that stay as they are when pods are placed. */
    public TableSchema(String name, SortedMap<String, RuleType> fields, SortedSet<String> defaults) {
        this(name, fields, defaults, new TreeMap<>());
    }

    /** A table of plain values without a default. */
    public static TableSchema ofValues(String name, RuleType type) {
        return new TableSchema(name, new TreeMap<>(Collections.singletonMap(VALUE, type)), new TreeSet<>(Set.of()));
    }

    /** True when each key has a record of named fields, false when it has one value. */
    public boolean isRecord() {
        return !fields.containsKey(VALUE);
    }

    /**
     * Type of what a rule gets for a field: one that may be missing, unless there is a default.
     *
     * @throws IllegalArgumentException when there is no such field
     */
    public RuleType type(String field) {
        RuleType type = fields.get(field);
        if (type == null) {
            throw new IllegalArgumentException("table " + name + " has no field " + field);
        }
        return defaults.contains(field) ? type : type.maybe();
    }
}
