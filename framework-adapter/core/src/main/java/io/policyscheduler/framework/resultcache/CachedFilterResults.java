package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.framework.plugin.Status;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The cached results of one filter for each node, shared by all pods that are equivalent to it. */
public final class CachedFilterResults {
    /** Marks a result that is not cached: neither success nor rejection. The caller runs the filter. */
    private static final Status ODD = Status.error("to be asked for");

    private static final Status CLOSED = Status.unresolvable("closed");

    /** Null if the node passes. */
    private @Nullable Status[] bySlot = new @Nullable Status[0];

    /** Recent rejections, so that most equal ones share an object; which one is stored does not matter. */
    private final @Nullable Status[] met = new @Nullable Status[8];

    private int nextMet;
    private long seen;
    private long revision;
    private long version;

    CachedFilterResults() {}

    /** Runs the filter for the nodes that changed since the last call; for all if the revision differs. */
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
            bySlot[slot] = node == null || node.isClosed() ? CLOSED : shared(result(filter, node));
        });
        seen = index.generation();
    }

    private @Nullable Status shared(@Nullable Status result) {
        if (result == null || isOdd(result)) {
            return result;
        }
        for (Status known : met) {
            if (result.equals(known)) {
                return known;
            }
        }
        met[nextMet] = result;
        nextMet = (nextMet + 1) % met.length;
        return result;
    }

    private static @Nullable Status result(Function<NodeInfo, Status> filter, NodeInfo node) {
        try {
            Status status = filter.apply(node);
            if (status.isSuccess()) {
                return null;
            }
            return status.isRejected() ? status : ODD;
        } catch (RuntimeException | LinkageError e) {
            // The error is reported when the caller runs the filter.
            return ODD;
        }
    }

    /** Whether the filter returns another result than the cached one for some node, although no change was reported. */
    public boolean isStale(ClusterIndex index, Function<NodeInfo, Status> filter) {
        for (int slot = 0; slot < index.slots(); slot++) {
            NodeInfo node = index.at(slot);
            if (node != null && !node.isClosed() && !Objects.equals(bySlot[slot], result(filter, node))) {
                return true;
            }
        }
        return false;
    }

    /** Drops all results. */
    void forget() {
        seen = 0;
        version++;
    }

    /** A number that changes when results of unchanged nodes may differ. */
    long version() {
        return version;
    }

    /** Null if the node in a slot passes, else the reason. Undefined for a slot without a node or with a closed one. */
    public @Nullable Status at(int slot) {
        return bySlot[slot];
    }

    @SuppressWarnings("ReferenceEquality") // no filter returns this object
    static boolean isOdd(@Nullable Status result) {
        return result == ODD;
    }
}
