package io.policyscheduler.engine.rules.data;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The tables of one policy while it is in effect: what they are does not change, their values do. Rules take a
 * {@link TableSnapshot} when they start on a pod; {@link #put} must therefore be called between two attempts, by the thread that
 * makes them, so that all rules of one attempt see the same values. Reading is safe for any thread.
 */
public final class RuleTables implements Supplier<TableSnapshot> {
    private final ImmutableSortedMap<String, TableDefinition> definitions;
    private final ImmutableSortedMap<String, TableSchema> schemas;
    /** The tables without whose values a rule takes no part. */
    private final ImmutableSortedSet<String> skipping;

    private final AtomicReference<TableSnapshot> current;

    /**
     * @param definitions by name
     * @param first the first values of each of them
     */
    public RuleTables(Map<String, TableDefinition> definitions, Map<String, TableState> first) {
        this.definitions = ImmutableSortedMap.copyOf(definitions);
        if (!definitions.keySet().equals(first.keySet())) {
            throw new IllegalArgumentException("values of " + first.keySet() + " for " + definitions.keySet());
        }
        Map<String, TableSchema> known = new TreeMap<>();
        first.forEach((name, state) -> known.put(name, state.schema()));
        this.schemas = ImmutableSortedMap.copyOf(known);
        this.skipping = definitions.values().stream()
                .filter(definition -> definition.measuring().whenStale() == WhenStale.SKIP)
                .map(TableDefinition::name)
                .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
        this.current = new AtomicReference<>(TableSnapshot.of(first));
    }

    /** No tables. */
    public static RuleTables none() {
        return new RuleTables(Map.of(), Map.of());
    }

    /** As declared, by name. */
    public ImmutableSortedMap<String, TableDefinition> definitions() {
        return definitions;
    }

    /** What rules may ask for, by name. */
    public ImmutableSortedMap<String, TableSchema> schemas() {
        return schemas;
    }

    /**
     * True when rules that read one of these tables take no part: all its values are too old or not there, and the table says
     * that this is what holds then.
     *
     * @param values as the attempt sees them
     */
    public boolean skips(Set<String> names, TableSnapshot values) {
        for (String name : names) {
            if (skipping.contains(name) && values.values(name).size() == 0) {
                return true;
            }
        }
        return false;
    }

    /** The values in force. */
    @Override
    public TableSnapshot get() {
        TableSnapshot known = current.get();
        if (known == null) {
            throw new IllegalStateException("no snapshot");
        }
        return known;
    }

    /**
     * 0 for no tables; else a number that is another one whenever a rule that reads these may answer otherwise than before, because
     * one of them has other values.
     */
    public long revision(Set<String> names) {
        return names.isEmpty() ? 0 : get().revision(names);
    }

    /**
     * Puts a table in force; see above for when.
     *
     * @return true when rules may answer otherwise now: false when only the times of its values are others
     * @throws IllegalArgumentException when there is no such table, or it is of another schema
     */
    public boolean put(TableState state) {
        if (!state.schema().equals(schemas.get(state.schema().name()))) {
            throw new IllegalArgumentException("another schema: " + state.schema());
        }
        return current.getAndUpdate(known -> known.with(state)).isOutdatedBy(state);
    }
}
