package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A priority that is prepared for one pod. */
public interface PodScorer {
    /** The score of one node, before {@link #normalize}. */
    long score(NodeInfo node);

    /** Scores all nodes of a list, {@code scores} in its order. A tight loop for large clusters. */
    default void scoreAll(List<NodeInfo> nodes, long[] scores) {
        for (int i = 0; i < scores.length; i++) {
            scores[i] = score(nodes.get(i));
        }
    }

    /**
     * Normalizes the scores of all feasible nodes to 0..100 in place; does nothing by default. Scores have the order of
     * {@code nodes}, the list given to {@link Priority#start}.
     */
    default void normalize(List<NodeInfo> nodes, long[] scores) {}

    /** False if the algorithm has no reduce function. */
    default boolean normalizes() {
        return false;
    }

    /** The normalization of {@link #normalize}. */
    default Reduction reduction() {
        return normalizes() ? Reduction.OTHER : Reduction.NONE;
    }

    /**
     * The inputs of the scores before {@link #normalize}, besides the node and its pods: scorers of one priority with equal bases
     * return the same score for the same node. Null if unknown; then {@link Priority#scope()} applies.
     */
    default @Nullable Object basis() {
        return null;
    }

    /**
     * Scores nodes of the cluster's index by slot and normalizes, with the same result as {@link #scoreAll} and {@link #normalize}
     * for the list given to {@link Priority#start}; for algorithms with data by slot.
     *
     * @param slots of all feasible nodes, in the order of the list; only the first {@code count} are valid
     * @param scores receives the scores at the same indexes
     * @return false if unsupported; {@code scores} is then undefined
     */
    default boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
        return false;
    }

    /** The score of every node after normalizing; empty if scores can differ. */
    default OptionalLong uniformScore() {
        return OptionalLong.empty();
    }

    /** Null, or the text of an error that ends the attempt if any node is scored. */
    default @Nullable String error() {
        return null;
    }

    /**
     * Returns the same score for every node, before and after normalizing. Most pods have no preference of a kind, so callers can
     * skip thousands of calls.
     *
     * @param value the score
     */
    public record ConstantScorer(long value) implements PodScorer {
        @Override
        public long score(NodeInfo node) {
            return value;
        }

        @Override
        public OptionalLong uniformScore() {
            return OptionalLong.of(value);
        }
    }

    /** The normalization of the scores of all feasible nodes to 0..100. */
    public enum Reduction {
        /** No normalization. */
        NONE,
        /** In proportion to the highest, which becomes 100, truncated; unchanged if none is above 0. */
        BY_HIGHEST,
        /** The same, reversed: the highest becomes 0, and 0 becomes 100. */
        BY_HIGHEST_REVERSED,
        /** Another normalization. */
        OTHER;

        /** True if a node's score depends on those of the others only through the highest of them. */
        public boolean isByHighest() {
            return this == BY_HIGHEST || this == BY_HIGHEST_REVERSED;
        }

        /**
         * Normalizes one score, with {@link #BY_HIGHEST} or {@link #BY_HIGHEST_REVERSED}.
         *
         * @param score not below 0
         * @param highest of all feasible nodes, at least {@code score}
         */
        public long of(long score, long highest) {
            long scaled = highest == 0 ? 0 : Priority.MAX_SCORE * score / highest;
            return this == BY_HIGHEST ? scaled : Priority.MAX_SCORE - scaled;
        }

        /**
         * Normalizes scores in place. If none is above 0, they are unchanged, but {@link #BY_HIGHEST_REVERSED} makes all of them
         * the highest.
         */
        public void apply(long[] scores) {
            long highest = 0;
            for (long score : scores) {
                highest = Math.max(highest, score);
            }
            if (highest == 0 && this == BY_HIGHEST_REVERSED) {
                Arrays.fill(scores, Priority.MAX_SCORE);
            }
            for (int i = 0; highest != 0 && i < scores.length; i++) {
                scores[i] = of(scores[i], highest);
            }
        }
    }
}
