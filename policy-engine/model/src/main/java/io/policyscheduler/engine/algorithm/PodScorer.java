package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Arrays;
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

    /** What {@link #normalize} does. */
    default Reduction reduction() {
        return normalizes() ? Reduction.OTHER : Reduction.NONE;
    }

    /**
     * What the scores before {@link #normalize} rest on, besides the node and the pods on it: scorers of one priority with equal bases
     * give the same score to the same node. Null when nobody can say; then {@link Priority#scope()} holds.
     */
    default @Nullable Object basis() {
        return null;
    }

    /**
     * Scores nodes of the cluster's index by their slots and normalizes, the same as {@link #scoreAll} and {@link #normalize} for the
     * list given to {@link Priority#start}; for algorithms that have kept what they need by slot.
     *
     * @param slots of all feasible nodes, in the order of the list; only the first {@code count} count
     * @param scores written at the same places
     * @return false, with {@code scores} of no use, when it cannot be done
     */
    default boolean scoreSlots(ClusterIndex index, int[] slots, int count, long[] scores) {
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

    /**
     * Gives every node the same score, before and after normalising. Most pods have no preference of a kind, and whoever adds up
     * scores need not ask for each of thousands of nodes then.
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
        /** They stay as they are. */
        NONE,
        /** In proportion to the highest, which becomes 100, cut off; all stay as they are when none is above 0. */
        BY_HIGHEST,
        /** The same, then counted from the other end: the highest becomes 0, and 0 becomes 100. */
        BY_HIGHEST_REVERSED,
        /** In some other way. */
        OTHER;

        /** True when a node's score depends on those of the others by nothing but the highest of them. */
        public boolean isByHighest() {
            return this == BY_HIGHEST || this == BY_HIGHEST_REVERSED;
        }

        /**
         * What becomes of one score, by {@link #BY_HIGHEST} or {@link #BY_HIGHEST_REVERSED}.
         *
         * @param score not below 0
         * @param highest of all feasible nodes, at least {@code score}
         */
        public long of(long score, long highest) {
            long scaled = highest == 0 ? 0 : Priority.MAX_SCORE * score / highest;
            return this == BY_HIGHEST ? scaled : Priority.MAX_SCORE - scaled;
        }

        /** Maps scores, in place; leaves them if none is above 0, but {@link #BY_HIGHEST_REVERSED} makes all of them the highest. */
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
