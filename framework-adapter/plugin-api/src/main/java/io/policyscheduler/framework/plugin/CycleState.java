package io.policyscheduler.framework.plugin;

import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What plugins remember during one scheduling cycle of one pod. Owned by one thread. */
public final class CycleState {
    private final List<StateKey<?>> keys;
    private final @Nullable Object[] values;
    private boolean expensive;

    CycleState(List<StateKey<?>> keys) {
        this.keys = keys;
        this.values = new @Nullable Object[keys.size()];
    }

    /** Keeps a value. */
    public <T> void write(StateKey<T> key, T value) {
        values[key.index] = value;
    }

    /**
     * The value kept under the key.
     *
     * @throws PluginException when nothing was written: the step that writes it is not enabled, or has skipped
     */
    public <T> T read(StateKey<T> key) {
        T value = find(key);
        if (value == null) {
            throw new PluginException("reading \"" + key + "\" from cycleState: not found");
        }
        return value;
    }

    /** The value kept under the key; null when nothing was written. */
    public <T> @Nullable T find(StateKey<T> key) {
        @SuppressWarnings("unchecked") // only values of T are written under this key
        @Nullable
        T typed = (T) values[key.index];
        return typed;
    }

    /** Forgets a value. */
    public void delete(StateKey<?> key) {
        values[key.index] = null;
    }

    /** Notes that a plugin ended the work for this pod because it was too much for one attempt. The pod is deprioritized. */
    public void markExpensive() {
        expensive = true;
    }

    /** Returns whether a plugin ended the work for this pod because it was too much. */
    public boolean isExpensive() {
        return expensive;
    }

    /** A copy whose values can change without showing here. */
    public CycleState copy() {
        CycleState copy = new CycleState(keys);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            copy.values[i] = value == null ? null : keys.get(i).copyOf(value);
        }
        return copy;
    }

    /**
     * Names a value that a plugin keeps in the {@link CycleState}. Made once per plugin instance by {@link StateKeys}; reading
     * through it is an array access, because filters do it for every node.
     *
     * @param <T> type of the value
     */
    public static final class StateKey<T> {
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

    /** Hands out the state keys of one profile. */
    public static final class StateKeys {
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
}
