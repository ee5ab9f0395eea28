package io.policyscheduler.priorities;

import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import java.util.function.ToLongFunction;

/** Scores a node by a sum and stretches the sums over 0..100. */
final class AffinityScorer implements PodScorer {
    private final ToLongFunction<NodeInfo> sums;

    AffinityScorer(ToLongFunction<NodeInfo> sums) {
        this.sums = sums;
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
    public void normalize(List<NodeInfo> nodes, long[] scores) {
        long max = 0;
        long min = 0;
        for (long score : scores) {
            max = Math.max(max, score);
            min = Math.min(min, score);
        }
        long difference = max - min;
        long lastScore = 0;
        long lastResult = 0;
        boolean known = false;
        for (int i = 0; i < scores.length; i++) {
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
