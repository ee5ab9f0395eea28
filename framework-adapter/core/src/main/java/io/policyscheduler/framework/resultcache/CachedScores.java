package io.policyscheduler.framework.resultcache;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Arrays;
import java.util.function.ToLongFunction;

/** The cached scores of one algorithm for each node, before normalizing, shared by all pods that are equivalent to it. */
public final class CachedScores {
    /** Marks a score that is not cached: an error, or a number out of range. */
    public static final int NONE = Integer.MIN_VALUE;

    private int[] bySlot = new int[0];
    private int above0;
    private long seen;
    private long revision;
    private long version;

    CachedScores() {}

    /** Scores the nodes that changed since the last call; all if the revision differs. */
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
            // Irrelevant unless the node is feasible; then the error is reported when the caller scores the node.
            return NONE;
        }
    }

    /** Whether the algorithm returns another score than the cached one for some node, although no change was reported. */
    public boolean isStale(ClusterIndex index, Reduction reduction, ToLongFunction<NodeInfo> score) {
        for (int slot = 0; slot < index.slots(); slot++) {
            NodeInfo node = index.at(slot);
            if (node != null && bySlot[slot] != of(node, reduction, score)) {
                return true;
            }
        }
        return false;
    }

    /** Drops all scores. */
    void forget() {
        seen = 0;
        version++;
    }

    /** A number that changes when scores of unchanged nodes may differ. */
    long version() {
        return version;
    }

    /** True if every node has the score 0. */
    public boolean isAll0() {
        return above0 == 0;
    }

    /** The score of the node in a slot, or {@link #NONE}. */
    public int at(int slot) {
        return bySlot[slot];
    }

    /**
     * A summand of the totals that depends on each node alone, except for the highest score among the nodes.
     *
     * @param weight not below 0
     * @param reduction none, or by the highest
     */
    public record Summand(CachedScores column, int weight, Reduction reduction) {}
}
