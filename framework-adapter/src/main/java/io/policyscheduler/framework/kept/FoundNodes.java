package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/** Nodes by their positions in the order of nodes, as a search has found them from a position on. */
public final class FoundNodes {
    private final ClusterIndex index;
    private final Positions order;
    private final int start;
    private final int count;
    /** 64 positions to a number. */
    private final long[] chosen;
    /** Positions of the nodes found, in the order of the search; null as long as nobody has needed them. */
    private int @Nullable [] found;

    public FoundNodes(ClusterIndex index, Positions order, int start, long[] chosen, int count) {
        this.index = index;
        this.order = order;
        this.start = start;
        this.chosen = chosen;
        this.count = count;
    }

    /** Number of nodes found. */
    public int count() {
        return count;
    }

    /** The nodes found, 64 positions to a number; do not modify. */
    public long[] chosen() {
        return chosen;
    }

    /** Positions of the nodes found, in the order of the search. */
    public int[] positions() {
        if (found == null) {
            int[] at = new int[count];
            int next = 0;
            if (count == order.size()) {
                for (int position = start; position < count; position++) {
                    at[next++] = position;
                }
                for (int position = 0; position < start; position++) {
                    at[next++] = position;
                }
                found = at;
                return at;
            }
            for (int position = Positions.next(chosen, start);
                    position >= 0;
                    position = Positions.next(chosen, position + 1)) {
                at[next++] = position;
            }
            for (int position = Positions.next(chosen, 0);
                    position >= 0 && position < start;
                    position = Positions.next(chosen, position + 1)) {
                at[next++] = position;
            }
            found = at;
        }
        return found;
    }

    /** The slots of the nodes found; do not modify. */
    public int[] slots() {
        if (count == order.size() && start == 0) {
            return order.slots();
        }
        int[] slots = positions().clone();
        for (int i = 0; i < count; i++) {
            slots[i] = order.slot(slots[i]);
        }
        return slots;
    }

    /** The node at any position, found or not. */
    public NodeInfo nodeAt(int position) {
        int slot = order.slot(position);
        NodeInfo node = index.at(slot);
        if (node == null) {
            throw new IllegalStateException("no node in slot " + slot + " of the order");
        }
        return node;
    }

    /** The nodes found. */
    public List<NodeInfo> nodes() {
        return new Nodes();
    }

    private final class Nodes extends AbstractList<NodeInfo> implements RandomAccess {
        @Override
        public NodeInfo get(int index) {
            return nodeAt(positions()[index]);
        }

        @Override
        public int size() {
            return count;
        }
    }
}
