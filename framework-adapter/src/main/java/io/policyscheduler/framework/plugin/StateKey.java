package io.policyscheduler.framework.plugin;

import java.util.function.UnaryOperator;

/**
 * Names a value that a plugin keeps in the {@link CycleState}. Made once per plugin instance by {@link StateKeys}; reading
 * through it is an array access, because filters do it for every node.
 *
 * @param <T> type of the value
 */
public final class StateKey<T> {
    final int index;
    private final String name;
    private final UnaryOperator<T> copier;

    StateKey(int index, String name, UnaryOperator<T> copier) {
        this.index = index;
        this.name = name;
        this.copier = copier;
    }

    Object copyOf(Object value) {
        @SuppressWarnings("unchecked") // only values of T are written under this key
        T typed = (T) value;
        return copier.apply(typed);
    }

    /** The name shown in errors, e.g. {@code PreFilterNodePorts}. */
    @Override
    public String toString() {
        return name;
    }
}
