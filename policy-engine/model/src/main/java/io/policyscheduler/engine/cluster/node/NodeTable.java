package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
     * than the few of these changes that concern it.
     */
    private static final int CHANGES_PER_NODE = 64;

    /**
     * The classes per node, at least. Pods of Jobs and StatefulSets have labels of their own, so that the classes of pods that are gone
     * would otherwise fill the heap.
     */
    private static final int CLASSES_PER_NODE = 4;

    /**
     * The fields of a pod that decide which queries count it. Pods with equal fields are counted alike, so a query is evaluated once for
     * all of them.
     */
    public record LabelClass(String namespace, Labels labels, boolean terminating) {
        static LabelClass of(PodInfo pod) {
            return new LabelClass(pod.namespace(), pod.labels(), pod.terminating());
        }
    }

    /** Visits changes. */
    public interface Visitor {
        /** The node in a slot was added, removed, replaced or changed in any way. */
        void changed(int slot);

        /** A pod was added to the node in a slot (1) or removed from it (-1); nothing else has changed there. */
        void moved(int slot, int difference);
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
    /**
     * At the same indexes, the number of generations since the change before with a pod of the same class or, for a change other than
     * an added or removed pod, since the change before of that kind.
     */
    private int[] gaps = new int[MIN_LOG];

    private final Map<LabelClass, Integer> classNumbers = new HashMap<>();
    private final List<LabelClass> classes = new ArrayList<>();
    /** By number of the class, the last change with a pod of it. */
    private long[] lastOfClass = new long[64];

    private long lastOther;
    /** Incremented when the classes get new numbers. */
    private int numbering;

    private int size;
    private long generation;
    /** The first change that a shorter log still contained when it was last lengthened. */
    private long firstLogged = 1;
    /** The first change with the current numbers of classes. */
    private long firstNumbered = 1;

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
        int[] longerGaps = new int[length];
        for (long change = Math.max(1, generation - log.length + 1); change <= generation; change++) {
            int from = indexOf(change);
            int to = (int) change & (length - 1);
            longer[to] = log[from];
            longerGaps[to] = gaps[from];
        }
        firstLogged = Math.max(firstLogged, generation - log.length + 1);
        log = longer;
        gaps = longerGaps;
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
        note(info, 0, lastOther);
        lastOther = generation;
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

    /**
     * Records that a pod of a node was replaced by another version, which is only counted differently if its class is another.
     *
     * @param before the removed version
     */
    public void podReplaced(NodeInfo info, PodInfo before, PodInfo now) {
        if (LabelClass.of(before).equals(LabelClass.of(now))) {
            note(info, 0, generation);
        } else {
            podRemoved(info, before);
            podAdded(info, now);
        }
    }

    private void note(NodeInfo info, PodInfo pod, int came) {
        int number = classOf(pod);
        note(info, came, lastOfClass[number]);
        lastOfClass[number] = generation;
    }

    private void note(NodeInfo info, int came, long before) {
        int slot = info.slot();
        generation++;
        generations[slot] = generation;
        int at = indexOf(generation);
        log[at] = slot * 2 + came;
        gaps[at] = (int) Math.min(generation - before, Integer.MAX_VALUE);
        info.setGeneration(generation);
    }

    private int classOf(PodInfo pod) {
        LabelClass key = LabelClass.of(pod);
        Integer known = classNumbers.get(key);
        if (known != null) {
            return known;
        }
        if (classes.size() >= Math.max(MIN_LOG, CLASSES_PER_NODE * size)) {
            // Classes of pods that are gone are not removed one by one.
            classNumbers.clear();
            classes.clear();
            Arrays.fill(lastOfClass, 0);
            numbering++;
            firstNumbered = generation + 1;
        }
        int number = classes.size();
        classes.add(key);
        classNumbers.put(key, number);
        if (number == lastOfClass.length) {
            lastOfClass = Arrays.copyOf(lastOfClass, number * 2);
        }
        return number;
    }

    /** The change counter. */
    public long generation() {
        return generation;
    }

    /** An exclusive upper bound of slots. */
    public int size() {
        return size;
    }

    /** The classes of the recorded pods by number; a view, to which new ones are added. */
    public List<LabelClass> classes() {
        return Collections.unmodifiableList(classes);
    }

    /** A number that changes when the numbers of the classes do. */
    public int numbering() {
        return numbering;
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
        if (generation - since <= size && isLogged(since)) {
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

    /** Whether {@link #movedSince} is available: the log contains all changes after {@code since} with their classes. */
    public boolean isRecorded(long since) {
        return isLogged(since) && since >= firstNumbered - 1;
    }

    /**
     * Visits the changes after {@code since} that concern pods of some classes, in no particular order; only if {@link #isRecorded}.
     *
     * @param numbers of the classes, each once
     * @param count the number of these numbers
     */
    public void movedSince(long since, int[] numbers, int count, Visitor visitor) {
        for (long change = lastOther; change > since; change -= gaps[indexOf(change)]) {
            int slot = log[indexOf(change)] >> 1;
            // The node already has the state after its last change, so it is visited once.
            if (others[slot] == change) {
                visitor.changed(slot);
            }
        }
        for (int i = 0; i < count; i++) {
            for (long change = lastOfClass[numbers[i]]; change > since; change -= gaps[indexOf(change)]) {
                int entry = log[indexOf(change)];
                if (others[entry >> 1] <= since) {
                    visitor.moved(entry >> 1, (entry & 1) * 2 - 1);
                }
            }
        }
    }
}
