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
    private final UnaryOperator<T> copier;

    StateKey(int index, UnaryOperator<T> copier) {
        this.index = index;
        this.copier = copier;
    }

    Object copyOf(Object value) {
        @SuppressWarnings("unchecked") // only values of T are written under this key
        T typed = (T) value;
        return copier.apply(typed);
    }
}
