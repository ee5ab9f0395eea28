package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Scores a node by a sum and stretches the sums over 0..100. */
final class AffinityScorer implements PodScorer {
    private final ToLongFunction<NodeInfo> sums;
    private final @Nullable IntToLongFunction bySlot;

    AffinityScorer(ToLongFunction<NodeInfo> sums) {
        this(sums, null);
    }

    /** @param bySlot the same by the node's slot in the cluster's index */
    AffinityScorer(ToLongFunction<NodeInfo> sums, @Nullable IntToLongFunction bySlot) {
        this.sums = sums;
        this.bySlot = bySlot;
    }

    @Override
    public long score(NodeInfo node) {
        return sums.applyAsLong(node);
    }

    @Override
    public void scoreAll(List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(nodes.get(i));
        }
    }

    @Override
    public boolean normalizes() {
        return true;
    }

    @Override
    public boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
        if (bySlot == null) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            scores[i] = bySlot.applyAsLong(slots[i]);
        }
        normalize(scores, count);
        return true;
    }

    @Override
    public void normalize(List<NodeInfo> nodes, long[] scores) {
        normalize(scores, scores.length);
    }

    private static void normalize(long[] scores, int count) {
        long max = 0;
        long min = 0;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, scores[i]);
            min = Math.min(min, scores[i]);
        }
        long difference = max - min;
        long lastScore = 0;
        long lastResult = 0;
        boolean known = false;
        for (int i = 0; i < count; i++) {
            // Most nodes share a score with the one before.
            if (!known || scores[i] != lastScore) {
                lastScore = scores[i];
                lastResult = difference == 0 ? 0 : (long) (100.0 * ((double) (scores[i] - min) / (double) difference));
                known = true;
            }
            scores[i] = lastResult;
        }
    }
}
