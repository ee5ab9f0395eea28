package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A score plugin that declares what {@link #score} reads, so that the framework reuses its results. The framework caches the results of
 * {@code score} before {@code normalizeScores}.
 */
public interface CacheableScore extends ScorePlugin {
    /** Returns what {@link #score} reads for the pod. Called after PreScore, if that did not skip the plugin. */
    ScoreReads scoreReads(CycleState state, PodInfo pod);

    /** Scores nodes by their slots in the index of the cluster, from what the index has counted. */
    interface SlotScorer {
        /**
         * Writes the normalized scores of nodes.
         *
         * @param slots of all feasible nodes, in the order of the list given to PreScore; only the first {@code count} count
         * @param scores written at the same places
         * @return false, with {@code scores} undefined, if the scores cannot be computed from the index
         */
        boolean score(ClusterIndex index, int[] slots, int count, long[] scores);
    }

    /**
     * What a score plugin reads for a pod.
     *
     * @param key what it reads besides the node and the pods on it: the framework reuses the score of a node until the node changes, for
     *     all pods with an equal key. Null if it reads more
     * @param revision another number whenever the scores for the same pod and an unchanged node can be different
     * @param reduction what {@code normalizeScores} does
     * @param uniformScore returns the score of all nodes after normalizing; empty if scores differ. It may read all nodes, so it is called
     *     only where a cached score cannot be used
     * @param bySlot scores nodes by their slots; null if it cannot
     */
    record ScoreReads(
            @Nullable Object key,
            long revision,
            Reduction reduction,
            Supplier<OptionalLong> uniformScore,
            @Nullable SlotScorer bySlot) {
        /** Anything in the cluster. */
        public static final ScoreReads CLUSTER = of(null, Reduction.OTHER, null);

        /** The node, the pods on it, and the key. */
        public static ScoreReads of(@Nullable Object key, Reduction reduction, @Nullable SlotScorer bySlot) {
            return new ScoreReads(key, 0, reduction, OptionalLong::empty, bySlot);
        }

        /** What the plugin declares; {@link #CLUSTER} if it declares nothing. */
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
