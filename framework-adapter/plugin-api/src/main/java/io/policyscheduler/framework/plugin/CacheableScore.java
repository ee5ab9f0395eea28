package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A score plugin that declares the inputs of {@link #score}, so that the framework caches its results before
 * {@code normalizeScores}.
 */
public interface CacheableScore extends ScorePlugin {
    /** Returns the inputs of {@link #score} for the pod. Called after PreScore, unless that returned skip. */
    ScoreReads scoreReads(CycleState state, PodInfo pod);

    /** Scores nodes by slot, from the counts of the cluster's index. */
    interface SlotScorer {
        /**
         * Writes the normalized scores of nodes.
         *
         * @param slots of all feasible nodes, in the order of the list given to PreScore; only the first {@code count} are valid
         * @param scores receives the scores at the same indexes
         * @return false, with {@code scores} undefined, if the scores cannot be computed from the index
         */
        boolean score(ClusterIndex index, int[] slots, int count, long[] scores);
    }

    /**
     * The inputs of a score plugin for a pod.
     *
     * @param key the inputs other than the node and its pods: the framework reuses the score of a node until the node changes, for
     *     all pods with an equal key. Null if the plugin reads more
     * @param revision a number that changes whenever the scores for the same pod and an unchanged node may change
     * @param reduction the normalization of {@code normalizeScores}
     * @param uniformScore returns the score of all nodes after normalizing; empty if scores differ. It may read all nodes, so it is
     *     called only if a cached score cannot be used
     * @param bySlot scores nodes by slot; null if unsupported
     */
    record ScoreReads(
            @Nullable Object key,
            long revision,
            Reduction reduction,
            Supplier<OptionalLong> uniformScore,
            @Nullable SlotScorer bySlot) {
        /** Anything in the cluster. */
        public static final ScoreReads CLUSTER = of(null, Reduction.OTHER, null);

        /** The node, its pods, and the key. */
        public static ScoreReads of(@Nullable Object key, Reduction reduction, @Nullable SlotScorer bySlot) {
            return new ScoreReads(key, 0, reduction, OptionalLong::empty, bySlot);
        }

        /** The declaration of the plugin; {@link #CLUSTER} without one. */
        public static ScoreReads of(ScorePlugin plugin, CycleState state, PodInfo pod) {
            return plugin instanceof CacheableScore cacheable ? cacheable.scoreReads(state, pod) : CLUSTER;
        }

        /** Returns the score of all nodes after normalizing; empty if scores differ. */
        public OptionalLong uniform() {
            return uniformScore.get();
        }

        /** Scores by slot; returns false if the scores cannot be computed from the index. */
        public boolean score(ClusterIndex index, int[] slots, int count, long[] scores) {
            return bySlot != null && bySlot.score(index, slots, count, scores);
        }
    }
}
