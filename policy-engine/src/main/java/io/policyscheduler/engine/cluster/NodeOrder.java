package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Collections;
import java.util.List;

/** The nodes of a cluster in the order in which a scheduling cycle looks at them, kept until nodes come or go. */
final class NodeOrder {
    private List<NodeInfo> nodes = List.of();
    private int[] slots = new int[0];
    private boolean settled = true;
    private boolean complete;

    /** Nodes have come, gone or moved; the order is made again when it is next needed. */
    void unsettle() {
        settled = false;
    }

    /** A node that is not in the order has come, or one that is has gone. */
    void invalidate() {
        settled = false;
        complete = false;
    }

    boolean isSettled() {
        return settled;
    }

    /**
     * The order is made.
     *
     * @param repeats whether it stays until nodes come or go
     * @param names true when it names each known node exactly once
     */
    void set(List<NodeInfo> ordered, boolean repeats, boolean names) {
        nodes = Collections.unmodifiableList(ordered);
        slots = ordered.stream().mapToInt(NodeInfo::slot).toArray();
        settled = repeats;
        complete = names;
    }

    List<NodeInfo> nodes() {
        return nodes;
    }

    int[] slots() {
        return slots;
    }

    boolean isComplete() {
        return complete;
    }
}
