package io.policyscheduler.framework.plugin;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Hands out the state keys of one profile. */
public final class StateKeys {
    private final List<StateKey<?>> keys = new ArrayList<>();
    private List<StateKey<?>> frozen = List.of();

    /**
     * A new key.
     *
     * @param name what errors call it, e.g. {@code PreFilterNodePorts}
     * @param copier copies a value for a what-if; identity for immutable values
     */
    public <T> StateKey<T> create(String name, UnaryOperator<T> copier) {
        StateKey<T> key = new StateKey<>(keys.size(), name, copier);
        keys.add(key);
        return key;
    }

    /** An empty state for one cycle. */
    public CycleState newState() {
        if (frozen.size() != keys.size()) {
            frozen = List.copyOf(keys);
        }
        return new CycleState(frozen);
    }
}
