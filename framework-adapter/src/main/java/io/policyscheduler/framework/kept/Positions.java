package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import java.util.Arrays;

/** The nodes in the order in which a search looks at them, by slot and by position. */
public final class Positions {
    /** Position of what is not in the order. */
    static final int NONE = -1;

    private final int[] slots;
    private final int[] bySlot;

    private Positions(int[] slots, int[] bySlot) {
        this.slots = slots;
        this.bySlot = bySlot;
    }

    static Positions of(ClusterIndex index) {
        int[] slots = index.order();
        int[] bySlot = new int[index.slots()];
        Arrays.fill(bySlot, NONE);
        for (int i = 0; i < slots.length; i++) {
            bySlot[slots[i]] = i;
        }
        return new Positions(slots, bySlot);
    }

    /** True as long as the order is still this one. */
    @SuppressWarnings("ReferenceEquality") // an order is another array as soon as anything has changed in it
    boolean isOrderOf(ClusterIndex index) {
        return slots == index.order();
    }

    /** Number of nodes. */
    public int size() {
        return slots.length;
    }

    /** The slot of the node at a position. */
    public int slot(int position) {
        return slots[position];
    }

    /** Where the node in a slot stands; negative when it is not in the order. */
    public int of(int slot) {
        return slot < bySlot.length ? bySlot[slot] : NONE;
    }

    /** The slots by position; do not modify. */
    public int[] slots() {
        return slots;
    }

    /** The first position from this one on that is in a set, 64 positions to a number; negative when there is none. */
    public static int next(long[] set, int from) {
        int block = from >> 6;
        if (block >= set.length) {
            return -1;
        }
        long bits = set[block] & (-1L << from);
        while (bits == 0) {
            if (++block == set.length) {
                return -1;
            }
            bits = set[block];
        }
        return (block << 6) + Long.numberOfTrailingZeros(bits);
    }
}
