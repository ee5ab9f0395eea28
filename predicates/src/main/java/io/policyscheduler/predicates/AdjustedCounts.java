package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.TopologyCounts;
import java.util.List;

/**
 * Pods counted by topology pair at the start of an attempt, and the changes of a what-if on top. The start is shared by all
 * copies, so that a copy for each candidate node of a preemption costs next to nothing.
 *
 * <p>v1.17 keeps the set of pods of each pair instead. A count is as good: a pod is taken away by the same pairs by which it
 * was added, and only whether a pair has pods is ever asked.
 */
final class AdjustedCounts {
    private final TopologyCounts start;
    private final TopologyCounts changes;
    private int occupied;

    /** Starts with {@code start}, which must not change any more. */
    AdjustedCounts(TopologyCounts start) {
        this.start = start;
        this.changes = new TopologyCounts();
        for (String key : start.keys()) {
            start.forEach(key, (value, amount) -> occupied += amount != 0 ? 1 : 0);
        }
    }

    private AdjustedCounts(AdjustedCounts other) {
        this.start = other.start;
        this.changes = other.changes.copy();
        this.occupied = other.occupied;
    }

    AdjustedCounts copy() {
        return new AdjustedCounts(this);
    }

    void add(String key, String value, long amount) {
        long before = get(key, value);
        changes.add(key, value, amount);
        occupied += (before + amount != 0 ? 1 : 0) - (before != 0 ? 1 : 0);
    }

    long get(String key, String value) {
        return start.get(key, value) + (changes.isEmpty() ? 0 : changes.get(key, value));
    }

    /** True when no pair has a pod. */
    boolean nothing() {
        return occupied == 0;
    }

    /** True when some pair among {@code labels} has a pod. */
    boolean anyAmong(Labels labels) {
        return occupied > 0 && (anyAmong(start.keys(), labels) || anyAmong(changes.keys(), labels));
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
