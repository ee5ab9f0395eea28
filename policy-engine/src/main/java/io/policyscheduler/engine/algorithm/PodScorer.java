package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A priority at work on one pod. */
public interface PodScorer {
    /** Score of one node, before {@link #normalize}. */
    long score(NodeInfo node);

    /** Scores all nodes of a list, {@code scores} in its order. A tight loop where nodes are many. */
    default void scoreAll(List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(nodes.get(i));
        }
    }

    /**
     * Turns the scores of all feasible nodes into 0..100 in place; nothing to do by default. Scores stand in the order of
     * {@code nodes}, the list given to {@link Priority#start}.
     */
    default void normalize(List<NodeInfo> nodes, long[] scores) {}

    /** False when the algorithm has no reduce step. */
    default boolean normalizes() {
        return false;
    }

    /** The score that every node ends up with, after normalising; empty when it has to be worked out for each. */
    default OptionalLong uniformScore() {
        return OptionalLong.empty();
    }

    /** Null, or the text of an error that ends the attempt as soon as any node is scored. */
    default @Nullable String error() {
        return null;
    }
}
