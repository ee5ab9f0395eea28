package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.SlotPredicate.TopologyPodsPredicate;
import io.policyscheduler.engine.cluster.index.TopologyCounts;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;

/**
 * Pods counted by topology pair at the start of an attempt, and the changes of a what-if on top. The start is shared by all
 * copies, so that a copy for each candidate node of a preemption costs next to nothing.
 *
 * <p>v1.17 keeps the set of pods of each pair instead. A count is as good: a pod is taken away by the same pairs by which it
 * was added, and only whether a pair has pods is ever asked.
 */
final class AdjustedCounts {
    private final PairCounts start;
    private final TopologyCounts changes;
    /** Pairs with pods now, less those at the start. */
    private int occupiedMore;
    /** Negative until it has been asked for. */
    private int occupiedAtStart = -1;

    AdjustedCounts(PairCounts start) {
        this.start = start;
        this.changes = new TopologyCounts();
    }

    private AdjustedCounts(AdjustedCounts other) {
        this.start = other.start;
        this.changes = other.changes.copy();
        this.occupiedMore = other.occupiedMore;
        this.occupiedAtStart = other.occupiedAtStart;
    }

    AdjustedCounts copy() {
        return new AdjustedCounts(this);
    }

    void add(String key, String value, long amount) {
        long before = get(key, value);
        changes.add(key, value, amount);
        occupiedMore += (before + amount != 0 ? 1 : 0) - (before != 0 ? 1 : 0);
    }

    private long get(String key, String value) {
        return start.get(key, value) + (changes.isEmpty() ? 0 : changes.get(key, value));
    }

    /**
     * Number of pods of the pair that a node has.
     *
     * @param slot of the node in the index, negative when it is not known there
     */
    long get(String key, Labels labels, int slot) {
        if (slot >= 0 && changes.isEmpty()) {
            return start.at(slot, key);
        }
        String value = labels.get(key);
        return value == null ? 0 : get(key, value);
    }

    /** True when no what-if change has been made. */
    boolean isUnchanged() {
        return changes.isEmpty();
    }

    /** Adds tests that pass the nodes without a pair that has a pod, while {@link #isUnchanged()}. */
    void addTestsForNone(List<? super TopologyPodsPredicate> tests) {
        start.addTestsForNone(tests);
    }

    /** Passes the nodes that have a pair with this key that has a pod, while {@link #isUnchanged()}. */
    SlotPredicate testForAny(String key) {
        return start.testForAny(key);
    }

    /** True when no pair has a pod. */
    boolean nothing() {
        if (occupiedAtStart < 0) {
            occupiedAtStart = start.occupied();
        }
        return occupiedAtStart + occupiedMore == 0;
    }

    /** True when no pair has ever been counted. */
    boolean isEmpty() {
        return changes.isEmpty() && start.keys().isEmpty();
    }

    /** True when some pair of a node has a pod; {@code slot} as in {@link #get}. */
    boolean anyAmong(Labels labels, int slot) {
        if (slot >= 0 && changes.isEmpty()) {
            return start.anyAt(slot);
        }
        return anyAmong(start.keys(), labels) || anyAmong(changes.keys(), labels);
    }

    private boolean anyAmong(List<String> keys, Labels labels) {
        for (int i = 0; i < keys.size(); i++) {
            String value = labels.get(keys.get(i));
            if (value != null && get(keys.get(i), value) > 0) {
                return true;
            }
        }
        return false;
    }
}
