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
     * @throws IllegalStateException when nothing was written, which is a bug of the plugin
     */
    public <T> T read(StateKey<T> key) {
        Object value = values[key.index];
        if (value == null) {
            throw new IllegalStateException("nothing written under state key " + key.index);
        }
        @SuppressWarnings("unchecked") // only values of T are written under this key
        T typed = (T) value;
        return typed;
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
