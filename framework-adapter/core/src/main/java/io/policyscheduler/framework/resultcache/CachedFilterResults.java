package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.plugin.Status;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What one filter says about each node, for all pods that are the same to it. */
public final class CachedFilterResults {
    /** Stands for anything but success and rejections: who wants to know has to ask. */
    private static final Status ODD = Status.error("to be asked for");

    private static final Status CLOSED = Status.unresolvable("closed");

    /** Null where the node passes. */
    private @Nullable Status[] bySlot = new @Nullable Status[0];

    /** Rejections that were met, so that equal ones are the same object; which of them does not matter. */
    private final @Nullable Status[] met = new @Nullable Status[8];

    private int nextMet;
    private long seen;
    private long revision;
    private long version;

    CachedFilterResults() {}

    /** Asks about the nodes that changed since the last time; about all when the answers are of another revision. */
    void refresh(ClusterIndex index, long newRevision, Function<NodeInfo, Status> filter) {
        if (revision != newRevision) {
            revision = newRevision;
            forget();
        }
        if (bySlot.length < index.slots()) {
            bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
        }
        index.changedSince(seen, slot -> {
            NodeInfo node = index.at(slot);
            bySlot[slot] = node == null || node.isClosed() ? CLOSED : shared(answer(filter, node));
        });
        seen = index.generation();
    }

    private @Nullable Status shared(@Nullable Status answer) {
        if (answer == null || isOdd(answer)) {
            return answer;
        }
        for (Status known : met) {
            if (answer.equals(known)) {
                return known;
            }
        }
        met[nextMet] = answer;
        nextMet = (nextMet + 1) % met.length;
        return answer;
    }

    private static @Nullable Status answer(Function<NodeInfo, Status> filter, NodeInfo node) {
        try {
            Status status = filter.apply(node);
            if (status.isSuccess()) {
                return null;
            }
            return status.isRejected() ? status : ODD;
        } catch (RuntimeException | LinkageError e) {
            // It is told when the node is asked about for good.
            return ODD;
        }
    }

    /** Whether some node gets another answer now than the one that is kept, of which no change has told. */
    public boolean isStale(ClusterIndex index, Function<NodeInfo, Status> filter) {
        for (int slot = 0; slot < index.slots(); slot++) {
            NodeInfo node = index.at(slot);
            if (node != null && !node.isClosed() && !Objects.equals(bySlot[slot], answer(filter, node))) {
                return true;
            }
        }
        return false;
    }

    /** All nodes are asked about next time. */
    void forget() {
        seen = 0;
        version++;
    }

    /** Another number when answers may have changed for nodes that have not. */
    long version() {
        return version;
    }

    /** Null when the node in a slot passes, otherwise why not; anything for a slot without a node or with a closed one. */
    public @Nullable Status at(int slot) {
        return bySlot[slot];
    }

    @SuppressWarnings("ReferenceEquality") // no filter can answer with this object
    static boolean isOdd(@Nullable Status answer) {
        return answer == ODD;
    }
}
