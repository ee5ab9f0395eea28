package io.policyscheduler.engine.rules.data;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A table as a policy or a library declares it.
 *
 * @param name what rules call it
 * @param origin where the values come from
 * @param fields the declared types, as in {@link TableSchema#fields()}; empty when the first values tell
 * @param defaults what counts where a value is missing, by field; empty for none
 * @param inline the values of a table that is written in the policy, else {@link TableValues#EMPTY}
 * @param measuring how values that have an age are taken
 * @param place where it stands, for messages
 */
public record TableDefinition(
        String name,
        TableOrigin origin,
        SortedMap<String, RuleType> fields,
        Map<String, Object> defaults,
        TableValues inline,
        Measuring measuring,
        Place place) {
    /**
     * Where a table stands.
     *
     * @param file name of the file
     * @param line 1-based line, 0 if unknown
     * @param column 1-based column
     */
    public record Place(String file, int line, int column) {}

    public TableDefinition {
        fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
        defaults = Collections.unmodifiableMap(new TreeMap<>(defaults));
    }

    /** The same, standing elsewhere. */
    public TableDefinition in(Place other) {
        return new TableDefinition(name, origin, fields, defaults, inline, measuring, other);
    }

    /** What rules may ask for, once the types are known. */
    public TableSchema schema(SortedMap<String, RuleType> types) {
        return new TableSchema(name, types, new TreeMap<>(defaults).navigableKeySet(), measuring.plusPlaced());
    }
}
