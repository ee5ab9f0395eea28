package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Arrays;
import java.util.function.ToLongFunction;

/** The scores that one algorithm gives to each node, before normalizing, for all pods that are the same to it. */
public final class CachedScores {
    /** Stands for a score that cannot be kept: an error, or a number out of the range that was asked for. */
    public static final int NONE = Integer.MIN_VALUE;

    private int[] bySlot = new int[0];
    private int above0;
    private long seen;
    private long revision;
    private long version;

    CachedScores() {}

    /** Asks about the nodes that changed since the last time; about all when the scores are of another revision. */
    void refresh(ClusterIndex index, long newRevision, Reduction reduction, ToLongFunction<NodeInfo> score) {
        if (revision != newRevision) {
            revision = newRevision;
            forget();
        }
        if (bySlot.length < index.slots()) {
            bySlot = Arrays.copyOf(bySlot, index.slots() + index.slots() / 8);
        }
        index.changedSince(seen, slot -> {
            NodeInfo node = index.at(slot);
            int now = node == null ? 0 : of(node, reduction, score);
            above0 += (now != 0 ? 1 : 0) - (bySlot[slot] != 0 ? 1 : 0);
            bySlot[slot] = now;
        });
        seen = index.generation();
    }

    private static int of(NodeInfo node, Reduction reduction, ToLongFunction<NodeInfo> score) {
        int lowest = reduction == Reduction.OTHER ? NONE + 1 : 0;
        int highest = reduction == Reduction.NONE ? (int) Priority.MAX_SCORE : Integer.MAX_VALUE;
        try {
            long found = score.applyAsLong(node);
            return found < lowest || found > highest ? NONE : (int) found;
        } catch (RuntimeException | LinkageError e) {
            // Of no interest unless the node is feasible, and then it is told when the node is asked about for good.
            return NONE;
        }
    }

    /** Whether some node gets another score now than the one that is kept, of which no change has told. */
    public boolean isStale(ClusterIndex index, Reduction reduction, ToLongFunction<NodeInfo> score) {
        for (int slot = 0; slot < index.slots(); slot++) {
            NodeInfo node = index.at(slot);
            if (node != null && bySlot[slot] != of(node, reduction, score)) {
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

    /** Another number when scores may have changed for nodes that have not. */
    long version() {
        return version;
    }

    /** True when every node has 0. */
    public boolean isAll0() {
        return above0 == 0;
    }

    /** The score of the node in a slot, or {@link #NONE}. */
    public int at(int slot) {
        return bySlot[slot];
    }

    /**
     * A part of the totals of nodes that depends on each node alone, but for the highest score among them.
     *
     * @param weight not below 0
     * @param reduction none, or by the highest
     */
    public record Summand(CachedScores column, int weight, Reduction reduction) {}
}
