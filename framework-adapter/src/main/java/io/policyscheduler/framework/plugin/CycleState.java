package io.policyscheduler.framework.plugin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What plugins remember during one scheduling cycle of one pod. Owned by one thread. */
public final class CycleState {
    private final List<StateKey<?>> keys;
    private final @Nullable Object[] values;

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

    /** A copy whose values can change without showing here. */
    public CycleState copy() {
        CycleState copy = new CycleState(keys);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            copy.values[i] = value == null ? null : keys.get(i).copyOf(value);
        }
        return copy;
    }
}
