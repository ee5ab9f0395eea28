package io.policyscheduler.framework.scheduler.cycle;

import io.policyscheduler.engine.cluster.ClusterIndex;
import io.policyscheduler.engine.cluster.NodeInfo;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What the plugins that look at one node only said about each node for pods of one class. Brought up to date by the nodes
 * that changed since, so that a pod like an earlier one costs next to nothing.
 */
final class NodeResults {
    /** Stands for a score that has to be worked out with everything else, because it is an error. */
    static final long NO_SCORE = Long.MIN_VALUE;

    private final ClusterIndex index;
    private boolean[] passes = new boolean[0];
    private long[] scores = new long[0];
    private long passesSeen;
    private long scoresSeen;

    NodeResults(ClusterIndex index) {
        this.index = index;
    }

    /** Asks {@code filter} again about every node that changed. */
    void refreshPasses(Predicate<NodeInfo> filter) {
        if (passes.length < index.slots()) {
            passes = Arrays.copyOf(passes, index.slots() + index.slots() / 8);
        }
        index.changedSince(passesSeen, slot -> {
            NodeInfo node = index.at(slot);
            passes[slot] = node != null && filter.test(node);
        });
        passesSeen = index.generation();
    }

    /** True when the node itself, not a copy with other pods, is known to pass. */
    boolean passes(NodeInfo node) {
        int slot = index.ownSlotOf(node);
        return slot >= 0 && passes[slot];
    }

    /** Asks {@code score} again about every node that changed; it may answer {@link #NO_SCORE}. */
    void refreshScores(ToLongFunction<NodeInfo> score) {
        if (scores.length < index.slots()) {
            scores = Arrays.copyOf(scores, index.slots() + index.slots() / 8);
        }
        index.changedSince(scoresSeen, slot -> {
            NodeInfo node = index.at(slot);
            scores[slot] = node == null ? NO_SCORE : score.applyAsLong(node);
        });
        scoresSeen = index.generation();
    }

    /** Writes the scores of these nodes; false when one of them is not known, {@code into} then being of no use. */
    boolean scores(List<NodeInfo> nodes, long[] into) {
        for (int i = 0; i < into.length; i++) {
            int slot = index.ownSlotOf(nodes.get(i));
            if (slot < 0 || scores[slot] == NO_SCORE) {
                return false;
            }
            into[i] = scores[slot];
        }
        return true;
    }
}
