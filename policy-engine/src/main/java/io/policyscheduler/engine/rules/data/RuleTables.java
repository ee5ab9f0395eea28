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
 * The tables of one policy while it is in effect: what they are does not change, their values do. Rules take a
 * {@link TableSnapshot} when they start on a pod; {@link #put} must therefore be called between two attempts, by the thread that
 * makes them, so that all rules of one attempt see the same values. Reading is safe for any thread.
 */
public final class RuleTables implements Supplier<RuleTables.TableSnapshot> {
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

    /**
     * All tables of one policy as one attempt sees them. Immutable.
     *
     * @param states by name
     * @param revisions how often what rules read in a table has become another, by name
     */
    public record TableSnapshot(
            ImmutableSortedMap<String, TableState> states, ImmutableSortedMap<String, Long> revisions) {
        /** Of a policy without tables. */
        public static final TableSnapshot NONE = new TableSnapshot(ImmutableSortedMap.of(), ImmutableSortedMap.of());

        /** The tables of these names. */
        public static TableSnapshot of(Map<String, TableState> states) {
            return new TableSnapshot(ImmutableSortedMap.copyOf(states), ImmutableSortedMap.of());
        }

        /**
         * The values of a table.
         *
         * @throws IllegalStateException when there is none of this name, which the checker has seen to
         */
        public TableValues values(String name) {
            TableState state = states.get(name);
            if (state == null) {
                throw new IllegalStateException("no table " + name);
            }
            return state.values();
        }

        /**
         * 0 for no tables; else a number that is another one after rules that read these have been answered otherwise than they would
         * be now.
         */
        long revision(Set<String> names) {
            long sum = 0;
            for (String name : names) {
                sum += 1 + revisions.getOrDefault(name, 0L);
            }
            return sum;
        }

        /**
         * Where only the times of the values are others, what was concluded from them stays right, unless the pods placed since then
         * count as well.
         */
        boolean isOutdatedBy(TableState state) {
            TableState known = states.get(state.schema().name());
            return known == null
                    || known.generation() != state.generation()
                    || !state.schema().plusPlaced().isEmpty();
        }

        /** The same with one table replaced. */
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
}
