package io.policyscheduler.engine.cluster.node;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the nodes of a cluster and remembers which changed when. Who keeps something worked out for each node stores it
 * by the node's <i>slot</i> and asks for the slots that changed since. Owned by one thread.
 */
public final class NodeTable {
    private static final int LOG = 1 << 13;

    private @Nullable NodeInfo[] infos = new @Nullable NodeInfo[64];
    private long[] generations = new long[64];
    private final Deque<Integer> free = new ArrayDeque<>();
    /** Slots of the last changes; the change that made generation g is at g modulo the length. */
    private final int[] log = new int[LOG];

    private int size;
    private long generation;

    /** Gives a node a slot. */
    public void add(NodeInfo info) {
        int slot;
        if (free.isEmpty()) {
            slot = size++;
            if (slot == infos.length) {
                infos = Arrays.copyOf(infos, slot * 2);
                generations = Arrays.copyOf(generations, slot * 2);
            }
        } else {
            slot = free.pop();
        }
        infos[slot] = info;
        info.setSlot(slot);
    }

    /** Forgets a node; its slot is given to another one. */
    public void remove(NodeInfo info) {
        touch(info);
        infos[info.slot()] = null;
        free.push(info.slot());
        info.setSlot(NodeInfo.NO_SLOT);
    }

    /** Notes that a node has changed. */
    public void touch(NodeInfo info) {
        int slot = info.slot();
        generation++;
        generations[slot] = generation;
        log[(int) generation & (LOG - 1)] = slot;
        info.setGeneration(generation);
    }

    /** The change counter. */
    public long generation() {
        return generation;
    }

    /** All slots are below this. */
    public int size() {
        return size;
    }

    /** The node in a slot, or null: none, or one without an object. */
    @Nullable
    public NodeInfo at(int slot) {
        NodeInfo info = slot >= 0 && slot < size ? infos[slot] : null;
        return info != null && info.hasNode() ? info : null;
    }

    /** Visits every slot that changed after {@code since}, each once. */
    public void changedSince(long since, IntConsumer visitor) {
        if (generation - since <= LOG) {
            for (long change = since + 1; change <= generation; change++) {
                int slot = log[(int) change & (LOG - 1)];
                // A slot is visited for the last of its changes.
                if (generations[slot] == change) {
                    visitor.accept(slot);
                }
            }
            return;
        }
        for (int slot = 0; slot < size; slot++) {
            if (generations[slot] > since) {
                visitor.accept(slot);
            }
        }
    }
}
