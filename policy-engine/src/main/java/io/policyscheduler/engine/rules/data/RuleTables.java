package io.policyscheduler.engine.rules.data;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableDefinition.WhenStale;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one policy: their schemas are constant, their values change. Rules use a {@link TableSnapshot} for each pod.
 * {@link #put} must be called between two attempts, by the scheduling thread, so that all rules of one attempt use the same values.
 * Reading is thread-safe.
 */
public final class RuleTables implements Supplier<RuleTables.TableSnapshot> {
    private final ImmutableSortedMap<String, TableDefinition> definitions;
    private final ImmutableSortedMap<String, TableSchema> schemas;
    /** The tables that exclude rules while they have no values. */
    private final ImmutableSortedSet<String> skipping;

    private final AtomicReference<TableSnapshot> current;

    /**
     * @param definitions by name
     * @param first the initial values of each
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

    /** The definitions, by name. */
    public ImmutableSortedMap<String, TableDefinition> definitions() {
        return definitions;
    }

    /** The schemas, by name. */
    public ImmutableSortedMap<String, TableSchema> schemas() {
        return schemas;
    }

    /**
     * True if rules that read one of these tables are excluded: all its values are too old or missing, and the table is declared
     * so.
     *
     * @param values of the attempt
     */
    public boolean skips(Set<String> names, TableSnapshot values) {
        for (String name : names) {
            if (skipping.contains(name) && values.values(name).size() == 0) {
                return true;
            }
        }
        return false;
    }

    /** The current values. */
    @Override
    public TableSnapshot get() {
        TableSnapshot known = current.get();
        if (known == null) {
            throw new IllegalStateException("no snapshot");
        }
        return known;
    }

    /** 0 for no tables; else a number that changes whenever results of rules that read these tables may change. */
    public long revision(Set<String> names) {
        return names.isEmpty() ? 0 : get().revision(names);
    }

    /**
     * Replaces the values of a table; see above for when.
     *
     * @return true if results of rules may change: false if only the timestamps differ
     * @throws IllegalArgumentException if there is no such table, or its schema differs
     */
    public boolean put(TableState state) {
        if (!state.schema().equals(schemas.get(state.schema().name()))) {
            throw new IllegalArgumentException("another schema: " + state.schema());
        }
        return current.getAndUpdate(known -> known.with(state)).isOutdatedBy(state);
    }

    /**
     * All tables of one policy for one attempt. Immutable.
     *
     * @param states by name
     * @param revisions number of relevant changes, by name
     */
    public record TableSnapshot(
            ImmutableSortedMap<String, TableState> states, ImmutableSortedMap<String, Long> revisions) {
        /** The snapshot of a policy without tables. */
        public static final TableSnapshot NONE = new TableSnapshot(ImmutableSortedMap.of(), ImmutableSortedMap.of());

        /** The tables of these names. */
        public static TableSnapshot of(Map<String, TableState> states) {
            return new TableSnapshot(ImmutableSortedMap.copyOf(states), ImmutableSortedMap.of());
        }

        /**
         * The values of a table.
         *
         * @throws IllegalStateException if there is none of this name, which the checker prevents
         */
        public TableValues values(String name) {
            TableState state = states.get(name);
            if (state == null) {
                throw new IllegalStateException("no table " + name);
            }
            return state.values();
        }

        /** 0 for no tables; else a number that changes whenever results of rules that read these tables may change. */
        long revision(Set<String> names) {
            long sum = 0;
            for (String name : names) {
                sum += 1 + revisions.getOrDefault(name, 0L);
            }
            return sum;
        }

        /** If only timestamps differ, results stay valid, unless recently placed pods count as well. */
        boolean isOutdatedBy(TableState state) {
            TableState known = states.get(state.schema().name());
            return known == null
                    || known.generation() != state.generation()
                    || !state.schema().plusPlaced().isEmpty();
        }

        /** A copy with one table replaced. */
        TableSnapshot with(TableState state) {
            String name = state.schema().name();
            return new TableSnapshot(
                    replaced(states, name, state),
                    isOutdatedBy(state) ? replaced(revisions, name, 1 + revisions.getOrDefault(name, 0L)) : revisions);
        }

        private static <V> ImmutableSortedMap<String, V> replaced(
                ImmutableSortedMap<String, V> map, String name, V value) {
            Map<String, V> all = new TreeMap<>(map);
            all.put(name, value);
            return ImmutableSortedMap.copyOf(all);
        }
    }

    /**
     * The state of a table at one moment. Immutable: a source creates a new one whenever its values or their metadata change.
     *
     * @param values current values, defaults included
     * @param generation number of the values, 1 for the initial ones; 0 until a source has provided any
     * @param sourceTime timestamp of the newest value, if the source has timestamps; null for values without an age, and without
     *     values
     * @param stale number of keys without a value because it is too old
     * @param problem why newer values were rejected, for users; null for none
     */
    public record TableState(
            TableSchema schema,
            TableValues values,
            long generation,
            @Nullable Instant sourceTime,
            int stale,
            @Nullable String problem) {
        /** The initial values. */
        public static TableState first(TableSchema schema, TableValues values) {
            return new TableState(schema, values, 1, null, 0, null);
        }

        /** Only defaults: the source has not been read yet. */
        public static TableState none(TableSchema schema, Map<String, Object> defaults) {
            return new TableState(schema, TableValues.EMPTY.withDefaults(defaults), 0, null, 0, null);
        }

        /**
         * Initial values as the successor of others, with the same generation if all rows are equal.
         *
         * @param before the previous table of the same name; null for none
         */
        public TableState after(@Nullable TableState before) {
            if (before == null || before.generation == 0 || generation == 0) {
                return this;
            }
            long next = before.values.hasRowsOf(values) ? before.generation : before.generation + 1;
            return next == generation ? this : new TableState(schema, values, next, sourceTime, stale, problem);
        }

        /** Other values without an age. */
        public TableState next(TableValues other) {
            return next(other, null, 0, null);
        }

        /**
         * The current values of the source: with the next generation if a row differs, else with the same one and other timestamps.
         *
         * @param staleNow see {@link #stale}
         * @param trouble see {@link #problem}
         */
        public TableState next(TableValues other, @Nullable Instant time, int staleNow, @Nullable String trouble) {
            boolean same = generation > 0 && values.hasRowsOf(other);
            return new TableState(schema, other, same ? generation : generation + 1, time, staleNow, trouble);
        }

        /** The same values, with the error of the rejected ones. */
        public TableState rejected(String why) {
            return new TableState(schema, values, generation, sourceTime, stale, why);
        }
    }
}
