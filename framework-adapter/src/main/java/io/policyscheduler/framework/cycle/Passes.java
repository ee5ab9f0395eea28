package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Arrays;
import java.util.List;

/** Which nodes some filters pass, kept by slot and brought up to date by the nodes that changed. */
final class Passes {
    /** All the filters on one node. */
    interface Filters {
        boolean pass(int slot, NodeInfo node);
    }

    private final ClusterIndex index;
    private List<?> of = List.of();
    private boolean[] bySlot = new boolean[0];
    private long seen;

    Passes(ClusterIndex index) {
        this.index = index;
    }

    /**
     * Asks again about every node that changed, or about all when these are other filters than before.
     *
     * @param filters what they are, for comparison
     * @return true when all were asked about
     */
    boolean refresh(List<?> filters, Filters asked) {
        boolean others = !of.equals(filters);
        if (others) {
            of = List.copyOf(filters);
            seen = 0;
        }
        if (bySlot.length < index.slots()) {
            bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
        }
        index.changedSince(seen, slot -> {
            NodeInfo node = index.at(slot);
            bySlot[slot] = node != null && asked.pass(slot, node);
        });
        seen = index.generation();
        return others;
    }

    /** Lets all be asked about next time. */
    void forget() {
        seen = 0;
    }

    /** Valid until the next refresh, do not modify. */
    boolean[] bySlot() {
        return bySlot;
    }
}
