package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** Counts by topology pair: node label key and value. A pair stays even if its count is 0. Not thread-safe while it is modified. */
public final class TopologyCounts {
    private static final class Cell {
        long amount;
    }

    private final Map<String, Map<String, Cell>> byKey = new HashMap<>();
    private final List<String> keys = new ArrayList<>();

    /** No pairs. */
    public TopologyCounts() {}

    /** An independent copy. */
    public TopologyCounts copy() {
        TopologyCounts copy = new TopologyCounts();
        for (String key : keys) {
            forEach(key, (value, amount) -> copy.add(key, value, amount));
        }
        return copy;
    }

    /**
     * Adds to a pair, and creates it if needed.
     *
     * @return the new count
     */
    public long add(String key, String value, long amount) {
        Map<String, Cell> values = byKey.get(key);
        if (values == null) {
            values = new HashMap<>();
            byKey.put(key, values);
            keys.add(key);
        }
        Cell cell = values.get(value);
        if (cell == null) {
            cell = new Cell();
            values.put(value, cell);
        }
        cell.amount += amount;
        return cell.amount;
    }

    /** The count of a pair, 0 if there is no such pair. */
    public long get(String key, String value) {
        Cell cell = cell(key, value);
        return cell == null ? 0 : cell.amount;
    }

    /** True when the pair has been added. */
    public boolean contains(String key, String value) {
        return cell(key, value) != null;
    }

    /** True when no pair has ever been added. */
    public boolean isEmpty() {
        return keys.isEmpty();
    }

    /** The keys in the order of their first addition; do not modify. */
    public List<String> keys() {
        return keys;
    }

    /** Number of values of a key. */
    public int valueCount(String key) {
        Map<String, Cell> values = byKey.get(key);
        return values == null ? 0 : values.size();
    }

    /** Visits the values of a key in no particular order. */
    public void forEach(String key, ObjLongConsumer<String> visitor) {
        Map<String, Cell> values = byKey.get(key);
        if (values != null) {
            values.forEach((value, cell) -> visitor.accept(value, cell.amount));
        }
    }

    /** The sum of the counts of all pairs in {@code labels}. */
    public long sum(Labels labels) {
        long sum = 0;
        for (int i = 0; i < keys.size(); i++) {
            String value = labels.get(keys.get(i));
            if (value != null) {
                sum += get(keys.get(i), value);
            }
        }
        return sum;
    }

    private @Nullable Cell cell(String key, String value) {
        Map<String, Cell> values = byKey.get(key);
        return values == null ? null : values.get(value);
    }

    /**
     * The values of one topology key, as small numbers: 0, 1, 2 ... in no particular order. Valid until the labels of any node
     * change.
     */
    public static final class TopologyColumn {
        /** The number of an unknown node or value. */
        public static final int NONE = -1;

        private final Map<String, Integer> numbers = new HashMap<>();
        private final int[] bySlot;

        TopologyColumn(int slots) {
            this.bySlot = new int[slots];
            Arrays.fill(bySlot, NONE);
        }

        void set(int slot, String value) {
            Integer number = numbers.get(value);
            if (number == null) {
                number = numbers.size();
                numbers.put(value, number);
            }
            bySlot[slot] = number;
        }

        /** Number of different values. */
        public int valueCount() {
            return numbers.size();
        }

        /** The number of the value that the node in a slot has, or {@link #NONE}. */
        public int at(int slot) {
            return slot < bySlot.length ? bySlot[slot] : NONE;
        }

        /** The number of a value, or {@link #NONE}. */
        public int numberOf(String value) {
            return numbers.getOrDefault(value, NONE);
        }
    }
}
