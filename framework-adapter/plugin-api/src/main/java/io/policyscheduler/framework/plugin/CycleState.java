package io.policyscheduler.framework.plugin;

import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The data of plugins during one scheduling cycle of one pod. Owned by one thread. */
public final class CycleState {
    private final List<StateKey<?>> keys;
    private final @Nullable Object[] values;
    private boolean expensive;

    CycleState(List<StateKey<?>> keys) {
        this.keys = keys;
        this.values = new @Nullable Object[keys.size()];
    }

    /** Stores a value. */
    public <T> void write(StateKey<T> key, T value) {
        values[key.index] = value;
    }

    /**
     * Returns the value of a key.
     *
     * @throws PluginException if nothing was stored: the extension point that stores it is not enabled, or has returned skip
     */
    public <T> T read(StateKey<T> key) {
        T value = find(key);
        if (value == null) {
            throw new PluginException("reading \"" + key + "\" from cycleState: not found");
        }
        return value;
    }

    /** Returns the value of a key; null if nothing was stored. */
    public <T> @Nullable T find(StateKey<T> key) {
        @SuppressWarnings("unchecked") // only values of T are written under this key
        @Nullable
        T typed = (T) values[key.index];
        return typed;
    }

    /** Removes a value. */
    public void delete(StateKey<?> key) {
        values[key.index] = null;
    }

    /** Records that a plugin ended the work for this pod because it was too expensive for one attempt. The pod is deprioritized. */
    public void markExpensive() {
        expensive = true;
    }

    /** Returns whether a plugin ended the work for this pod because it was too expensive. */
    public boolean isExpensive() {
        return expensive;
    }

    /** An independent copy. */
    public CycleState copy() {
        CycleState copy = new CycleState(keys);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            copy.values[i] = value == null ? null : keys.get(i).copyOf(value);
        }
        return copy;
    }

    /**
     * The key of a value in the {@link CycleState}. Created once per plugin instance by {@link StateKeys}; reading is an array
     * access, because filters read it for every node.
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

        /** The name in errors, e.g. {@code PreFilterNodePorts}. */
        @Override
        public String toString() {
            return name;
        }
    }

    /** Creates the state keys of one profile. */
    public static final class StateKeys {
        private final List<StateKey<?>> keys = new ArrayList<>();
        private List<StateKey<?>> frozen = List.of();

        /**
         * A new key.
         *
         * @param name for errors, e.g. {@code PreFilterNodePorts}
         * @param copier copies a value for a trial; identity for immutable values
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
