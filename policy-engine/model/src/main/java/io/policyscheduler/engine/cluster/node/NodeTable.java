package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.PodInfo;
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

    /** Is told what has changed. */
    public interface Visitor {
        /** Anything may have changed about the node in a slot, which may have gone or have been replaced. */
        void changed(int slot);

        /** A pod has come to the node in a slot, or gone from it; nothing else has changed there. */
        void moved(int slot, PodInfo pod, boolean came);
    }

    private @Nullable NodeInfo[] infos = new @Nullable NodeInfo[64];
    private long[] generations = new long[64];
    /** By slot: the last change that was more than a pod that came or went. */
    private long[] others = new long[64];

    private final Deque<Integer> free = new ArrayDeque<>();
    /** Slots of the last changes, twice, and 1 more when a pod came; the change that made generation g is at g modulo the length. */
    private final int[] log = new int[LOG];
    /** Beside them: the pods that came or went; null for another change. */
    private final @Nullable PodInfo[] pods = new @Nullable PodInfo[LOG];

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
                others = Arrays.copyOf(others, slot * 2);
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
        note(info, null, 0);
        others[info.slot()] = generation;
    }

    /** Notes that a pod has come to a node. */
    public void came(NodeInfo info, PodInfo pod) {
        note(info, pod, 1);
    }

    /**
     * Notes that a pod has gone from a node.
     *
     * @param pod as it was counted there
     */
    public void went(NodeInfo info, PodInfo pod) {
        note(info, pod, 0);
    }

    private void note(NodeInfo info, @Nullable PodInfo pod, int came) {
        int slot = info.slot();
        generation++;
        generations[slot] = generation;
        int at = (int) generation & (LOG - 1);
        log[at] = slot * 2 + came;
        pods[at] = pod;
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
                int slot = log[(int) change & (LOG - 1)] >> 1;
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

    /** Visits everything that changed after {@code since} in the order of the changes. */
    public void changedSince(long since, Visitor visitor) {
        if (generation - since > LOG) {
            changedSince(since, visitor::changed);
            return;
        }
        for (long change = since + 1; change <= generation; change++) {
            int at = (int) change & (LOG - 1);
            int slot = log[at] >> 1;
            PodInfo pod = pods[at];
            if (others[slot] > since || pod == null) {
                // Whoever looks at the whole node sees it as it is after the last of its changes.
                if (generations[slot] == change) {
                    visitor.changed(slot);
                }
            } else {
                visitor.moved(slot, pod, (log[at] & 1) == 1);
            }
        }
    }
}
