package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.index.SlotPredicate.TopologyPodsPredicate;
import io.policyscheduler.engine.cluster.index.TopologyColumn;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers by topology pair (node label key and value), made of numbers that a {@link ClusterIndex} has kept and of what was added to
 * them; a pair whose number is 0 is not there. Those of an index hold until the cluster changes.
 */
final class PairTotals {
    /** Numbers of one key by the number of the value; shared with copies, never changed. */
    private record Kept(String key, TopologyColumn column, long[] byValue) {
        long of(String value) {
            int number = column.numberOf(value);
            return number == TopologyColumn.NONE ? 0 : byValue[number];
        }

        long at(int slot) {
            int number = column.at(slot);
            return number == TopologyColumn.NONE ? 0 : byValue[number];
        }
    }

    private final List<Kept> kept;
    private final Map<String, Map<String, Long>> added = new HashMap<>();
    /** How many pairs are there. */
    private int pairs;

    PairTotals() {
        this.kept = List.of();
    }

    /** @param byKey numbers by the number of the value in the index; not to be changed from here on */
    PairTotals(Map<String, long[]> byKey, ClusterIndex index) {
        this.kept = new ArrayList<>(byKey.size());
        byKey.forEach((key, byValue) -> {
            kept.add(new Kept(key, index.topology(key), byValue));
            for (long number : byValue) {
                pairs += number == 0 ? 0 : 1;
            }
        });
    }

    PairTotals(PairTotals other) {
        this.kept = other.kept;
        this.pairs = other.pairs;
        other.added.forEach((key, values) -> added.put(key, new HashMap<>(values)));
    }

    /** Adds to the pair of this key that is among the labels, if there is one. */
    void add(Labels labels, String key, long amount) {
        String value = labels.get(key);
        if (value == null || amount == 0) {
            return;
        }
        long before = get(key, value);
        added.computeIfAbsent(key, k -> new HashMap<>()).merge(value, amount, Long::sum);
        pairs += (before + amount == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
    }

    boolean isEmpty() {
        return pairs == 0;
    }

    long get(String key, String value) {
        long number = 0;
        for (int i = 0; i < kept.size(); i++) {
            if (kept.get(i).key().equals(key)) {
                number = kept.get(i).of(value);
            }
        }
        return number + addedTo(key, value);
    }

    private long addedTo(String key, @Nullable String value) {
        Map<String, Long> values = value == null ? null : added.get(key);
        Long number = values == null ? null : values.get(value);
        return number == null ? 0 : number;
    }

    /**
     * True when one of the labels is a pair with a number above 0.
     *
     * @param slot of the node with these labels in the index; {@link io.policyscheduler.engine.cluster.node.NodeInfo#NO_SLOT} if it is not
     *     known there
     */
    boolean anyAbove0(Labels labels, int slot) {
        if (pairs == 0) {
            return false;
        }
        for (int i = 0; i < kept.size(); i++) {
            Kept of = kept.get(i);
            if (slot >= 0 && added.isEmpty()) {
                if (of.at(slot) > 0) {
                    return true;
                }
            } else if (isAbove0(labels, of.key())) {
                return true;
            }
        }
        for (String key : added.keySet()) {
            if (isAbove0(labels, key)) {
                return true;
            }
        }
        return false;
    }

    /** True as long as nothing has been added to the numbers of an index, so that they can be told by slot. */
    boolean isKept() {
        return added.isEmpty();
    }

    /** Adds tests that pass the nodes without a pair that has a number above 0; while {@link #isKept()}. */
    void addTestsForNone(List<? super TopologyPodsPredicate> tests) {
        for (Kept of : kept) {
            tests.add(new TopologyPodsPredicate(of.column(), of.byValue(), false));
        }
    }

    /** Passes the nodes that have a pair with this key whose number is above 0; while {@link #isKept()}. */
    SlotPredicate testForAny(String key) {
        for (Kept of : kept) {
            if (of.key().equals(key)) {
                return new TopologyPodsPredicate(of.column(), of.byValue(), true);
            }
        }
        return slot -> false;
    }

    private boolean isAbove0(Labels labels, String key) {
        String value = labels.get(key);
        return value != null && get(key, value) > 0;
    }
}
