package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Assigns a <i>slot</i> number to each node of a cluster and records changes. Caches store data by slot and update the slots that
 * changed since. Owned by one thread.
 */
public final class NodeTable {
    /** The shortest log. */
    private static final int MIN_LOG = 1 << 13;

    /**
     * The recorded changes per node. A cache that is used after more changes counts all pods of the cluster again, which costs more
     * than that many changes.
     */
    private static final int CHANGES_PER_NODE = 8;

    /** Visits changes. */
    public interface Visitor {
        /** The node in a slot was added, removed, replaced or changed in any way. */
        void changed(int slot);

        /** A pod was added to the node in a slot, or removed from it; nothing else has changed there. */
        void moved(int slot, PodInfo pod, boolean came);
    }

    private @Nullable NodeInfo[] infos = new @Nullable NodeInfo[64];
    private long[] generations = new long[64];
    /** By slot, the last change other than an added or removed pod. */
    private long[] others = new long[64];

    private final Deque<Integer> free = new ArrayDeque<>();
    /**
     * The slots of the last changes, times two, plus 1 if a pod was added; the change of generation g is at g modulo the length.
     */
    private int[] log = new int[MIN_LOG];
    /** At the same indexes, the added or removed pods; null for other changes. */
    private @Nullable PodInfo[] pods = new @Nullable PodInfo[MIN_LOG];

    private int size;
    private long generation;
    /** The first change that a shorter log still contained when it was last lengthened. */
    private long firstLogged = 1;

    /** Assigns a slot to a node. */
    public void add(NodeInfo info) {
        int slot;
        if (free.isEmpty()) {
            slot = size++;
            if (slot == infos.length) {
                infos = Arrays.copyOf(infos, slot * 2);
                generations = Arrays.copyOf(generations, slot * 2);
                others = Arrays.copyOf(others, slot * 2);
                lengthenLog(slot * 2 * CHANGES_PER_NODE);
            }
        } else {
            slot = free.pop();
        }
        infos[slot] = info;
        info.setSlot(slot);
    }

    /** @param length a power of two */
    private void lengthenLog(int length) {
        if (length <= log.length) {
            return;
        }
        int[] longer = new int[length];
        @Nullable PodInfo[] longerPods = new @Nullable PodInfo[length];
        for (long change = Math.max(1, generation - log.length + 1); change <= generation; change++) {
            int from = indexOf(change);
            int to = (int) change & (length - 1);
            longer[to] = log[from];
            longerPods[to] = pods[from];
        }
        firstLogged = Math.max(firstLogged, generation - log.length + 1);
        log = longer;
        pods = longerPods;
    }

    private int indexOf(long change) {
        return (int) change & (log.length - 1);
    }

    /** Removes a node; its slot is reused. */
    public void remove(NodeInfo info) {
        touch(info);
        infos[info.slot()] = null;
        free.push(info.slot());
        info.setSlot(NodeInfo.NO_SLOT);
    }

    /** Records a change of a node. */
    public void touch(NodeInfo info) {
        note(info, null, 0);
        others[info.slot()] = generation;
    }

    /** Records that a pod was added to a node. */
    public void podAdded(NodeInfo info, PodInfo pod) {
        note(info, pod, 1);
    }

    /**
     * Records that a pod was removed from a node.
     *
     * @param pod the removed version
     */
    public void podRemoved(NodeInfo info, PodInfo pod) {
        note(info, pod, 0);
    }

    private void note(NodeInfo info, @Nullable PodInfo pod, int came) {
        int slot = info.slot();
        generation++;
        generations[slot] = generation;
        int at = indexOf(generation);
        log[at] = slot * 2 + came;
        pods[at] = pod;
        info.setGeneration(generation);
    }

    /** The change counter. */
    public long generation() {
        return generation;
    }

    /** An exclusive upper bound of slots. */
    public int size() {
        return size;
    }

    /** The node in a slot, or null if it is empty or its node has no object. */
    @Nullable
    public NodeInfo at(int slot) {
        NodeInfo info = slot >= 0 && slot < size ? infos[slot] : null;
        return info != null && info.hasNode() ? info : null;
    }

    /** Whether the log contains all changes after {@code since}; the log may have been shorter when they were recorded. */
    private boolean isLogged(long since) {
        return generation - since <= log.length && since >= firstLogged - 1;
    }

    /** Visits each slot that changed after {@code since}, once. */
    public void changedSince(long since, IntConsumer visitor) {
        if (isLogged(since)) {
            for (long change = since + 1; change <= generation; change++) {
                int slot = log[indexOf(change)] >> 1;
                // Each slot is visited for the last of its changes.
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

    /** Visits all changes after {@code since} in order. */
    public void changedSince(long since, Visitor visitor) {
        if (!isLogged(since)) {
            changedSince(since, visitor::changed);
            return;
        }
        for (long change = since + 1; change <= generation; change++) {
            int at = indexOf(change);
            int slot = log[at] >> 1;
            PodInfo pod = pods[at];
            if (others[slot] > since || pod == null) {
                // The node already has the state after its last change, so it is visited for that change.
                if (generations[slot] == change) {
                    visitor.changed(slot);
                }
            } else {
                visitor.moved(slot, pod, (log[at] & 1) == 1);
            }
        }
    }
}
