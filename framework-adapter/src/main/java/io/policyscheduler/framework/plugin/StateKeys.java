package io.policyscheduler.framework.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Hands out the state keys of one profile. */
public final class StateKeys {
    private final List<StateKey<?>> keys = new ArrayList<>();

    /**
     * A new key.
     *
     * @param copier copies a value for a what-if; identity for immutable values
     */
    public <T> StateKey<T> create(UnaryOperator<T> copier) {
        StateKey<T> key = new StateKey<>(keys.size(), copier);
        keys.add(key);
        return key;
    }

    /** An empty state for one cycle. */
    public CycleState newState() {
        return new CycleState(List.copyOf(keys));
    }
}
