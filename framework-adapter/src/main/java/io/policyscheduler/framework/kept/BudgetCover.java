package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.BudgetLog;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The nodes whose pods each disruption budget covers, so that a change of it reaches no others. */
final class BudgetCover {
    private final Map<String, BitSet> slotsByBudget = new HashMap<>();
    private final Map<Integer, Set<String>> budgetsBySlot = new HashMap<>();
    private final BitSet stale = new BitSet();
    private long[] stamps = new long[0];
    private long stamp;
    private long nodesSeen;
    private long budgetsSeen = -1;

    /** Follows the changes of nodes and budgets. */
    void refresh(ClusterIndex index, ClusterState cluster) {
        if (stamps.length < index.slots()) {
            stamps = Arrays.copyOf(stamps, index.slots() + index.slots() / 8);
        }
        BudgetLog log = cluster.budgetLog();
        index.changedSince(nodesSeen, slot -> take(slot, index.at(slot), cluster));
        nodesSeen = index.generation();
        if (budgetsSeen == log.revision()) {
            return;
        }
        if (budgetsSeen < 0 || !log.changedSince(budgetsSeen, (before, now) -> mark(index, before, now))) {
            stale.set(0, index.slots());
        }
        budgetsSeen = log.revision();
        stamp++;
        for (int slot = stale.nextSetBit(0); slot >= 0; slot = stale.nextSetBit(slot + 1)) {
            stamps[slot] = stamp;
            take(slot, index.at(slot), cluster);
        }
        stale.clear();
    }

    /** A number that grows with every change of budgets. */
    long stamp() {
        return stamp;
    }

    /** True when budgets that cover pods of the node in a slot have changed since {@link #stamp()} was {@code since}. */
    boolean isChanged(int slot, long since) {
        return stamps[slot] > since;
    }

    private void mark(ClusterIndex index, @Nullable DisruptionBudgetInfo before, @Nullable DisruptionBudgetInfo now) {
        if (before != null && now != null && Objects.equals(before.selector(), now.selector())) {
            BitSet slots = slotsByBudget.getOrDefault(now.key(), new BitSet());
            for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
                NodeInfo node = index.at(slot);
                if (node == null || matters(before, now, node.podCount())) {
                    stale.set(slot);
                }
            }
            return;
        }
        if (before != null) {
            stale.or(slotsByBudget.getOrDefault(before.key(), new BitSet()));
        }
        for (int slot = 0; now != null && slot < index.slots(); slot++) {
            NodeInfo node = index.at(slot);
            if (node != null && coversAny(now, node)) {
                stale.set(slot);
            }
        }
    }

    /** A budget that lets all pods of a node go is like any other such, one that lets none go as well. */
    private static boolean matters(DisruptionBudgetInfo before, DisruptionBudgetInfo now, int pods) {
        if (before.disruptionsAllowed() >= pods && now.disruptionsAllowed() >= pods) {
            return false;
        }
        return before.disruptionsAllowed() > 0
                || now.disruptionsAllowed() > 0
                || !before.disruptedPods().equals(now.disruptedPods());
    }

    private static boolean coversAny(DisruptionBudgetInfo budget, NodeInfo node) {
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            if (pod.namespace().equals(budget.namespace()) && budget.covers(pod.labels())) {
                return true;
            }
        }
        return false;
    }

    /** Takes a node as it is now; null for one that is gone. */
    private void take(int slot, @Nullable NodeInfo node, ClusterState cluster) {
        Set<String> known = budgetsBySlot.remove(slot);
        if (known != null) {
            for (String budget : known) {
                BitSet slots = slotsByBudget.get(budget);
                if (slots != null) {
                    slots.clear(slot);
                    if (slots.isEmpty()) {
                        slotsByBudget.remove(budget);
                    }
                }
            }
        }
        Set<String> covering = node == null ? Set.of() : covering(node, cluster);
        if (!covering.isEmpty()) {
            budgetsBySlot.put(slot, covering);
            covering.forEach(budget ->
                    slotsByBudget.computeIfAbsent(budget, key -> new BitSet()).set(slot));
        }
    }

    private static Set<String> covering(NodeInfo node, ClusterState cluster) {
        Set<String> covering = Set.of();
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo pod = node.pod(i);
            if (pod.labels().isEmpty()) {
                continue;
            }
            for (DisruptionBudgetInfo budget : cluster.budgets(pod.namespace())) {
                if (budget.covers(pod.labels())) {
                    covering = covering.isEmpty() ? new HashSet<>() : covering;
                    covering.add(budget.key());
                }
            }
        }
        return covering;
    }
}
