package io.policyscheduler.engine.cluster.index;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * The values that nodes have for one topology key, as small numbers: 0, 1, 2 ... in no particular order. Holds until the
 * labels of any node change.
 */
public final class TopologyColumn {
    /** Number of a node or value that is not known. */
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

    /** Visits the values with their numbers, in no particular order. */
    public void forEach(ObjIntConsumer<String> visitor) {
        numbers.forEach(visitor::accept);
    }

    /** The number of a value, or {@link #NONE}. */
    public int numberOf(String value) {
        return numbers.getOrDefault(value, NONE);
    }
}
