package io.policyscheduler.engine.rules.data;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * All tables of one policy as one attempt sees them. Immutable.
 *
 * @param states by name
 * @param revisions how often what rules read in a table has become another, by name
 */
public record TableSnapshot(ImmutableSortedMap<String, TableState> states, ImmutableSortedMap<String, Long> revisions) {
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

    private static <V> ImmutableSortedMap<String, V> replaced(ImmutableSortedMap<String, V> map, String name, V value) {
        Map<String, V> all = new TreeMap<>(map);
        all.put(name, value);
        return ImmutableSortedMap.copyOf(all);
    }
}
