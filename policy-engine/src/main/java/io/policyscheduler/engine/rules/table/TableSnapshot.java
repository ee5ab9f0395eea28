package io.policyscheduler.engine.rules.table;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;

/**
 * All tables of one policy as one attempt sees them. Immutable.
 *
 * @param states by name
 */
public record TableSnapshot(ImmutableSortedMap<String, TableState> states) {
    /** Of a policy without tables. */
    public static final TableSnapshot NONE = new TableSnapshot(ImmutableSortedMap.of());

    /** The tables of these names. */
    public static TableSnapshot of(Map<String, TableState> states) {
        return new TableSnapshot(ImmutableSortedMap.copyOf(states));
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

    /** The same with one table replaced. */
    TableSnapshot with(TableState state) {
        ImmutableSortedMap.Builder<String, TableState> all = ImmutableSortedMap.naturalOrder();
        states.forEach((name, known) -> all.put(name, name.equals(state.schema().name()) ? state : known));
        return new TableSnapshot(all.build());
    }
}
