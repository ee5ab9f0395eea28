package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/** Hears of attempts, on the thread that decides; must be fast. */
public interface AttemptListener {
    /** Hears nothing. */
    AttemptListener UNHEARD = new AttemptListener() {};

    /** Whether {@link #attempted} is to be told; otherwise nothing is collected for it. Asked once. */
    default boolean wantsDetails() {
        return false;
    }

    /** What an attempt has seen, as soon as it has ended and before its decision is carried out. */
    default void attempted(PodInfo pod, AttemptDetails details) {}

    /** A decision was made a second time, to verify what is kept about the nodes; told after {@link #differs}. */
    default void verified(PodInfo pod) {}

    /** A decision came out otherwise when it was verified. */
    default void differs(DecisionDifference difference) {}

    /** The result cache failed with an exception, and the attempt continues without it. */
    default void fellBack(PodInfo pod, Throwable e) {}

    /** An attempt enters a phase, and leaves the one before. */
    default void entered(Phase phase) {}

    /** Hears of scores that an algorithm of this program gave out of its range, and that count as the end of the range. */
    @FunctionalInterface
    public interface BoundedScores {
        /** Hears nothing. */
        BoundedScores UNHEARD = (algorithm, pod, node, score) -> {};

        /**
         * A score was brought into its range. Called on the thread that decides, for each node of each attempt; must be fast.
         *
         * @param algorithm name of the plugin or priority
         * @param score what it gave
         */
        void bounded(String algorithm, PodInfo pod, String node, long score);
    }

    /**
     * A decision that came out otherwise by what is kept about the nodes than by asking every plugin about every node. The latter counts.
     *
     * @param pod about which it was
     * @param what the first thing in which both differ, for users
     * @param plain what was decided by asking anew, for users
     * @param kept what would have been decided by what was kept, for users
     * @param plugins names of the plugins whose kept answers were not those of now; empty when that cannot be told
     */
    public record DecisionDifference(PodInfo pod, String what, String plain, String kept, List<String> plugins) {
        public DecisionDifference {
            plugins = ImmutableList.copyOf(plugins);
        }
    }

    /** Where an attempt is. What has no nodes, or is rejected before any is looked at, enters none but the last. */
    public enum Phase {
        /** Nodes are looked at, by plugins and extenders. */
        FILTER,
        /** Those that fit are scored; entered too when there is only one, which needs no score. */
        SCORE,
        /** The decision is known. */
        DECIDED,
        /** No node fits, and preemption looks for room. */
        POST_FILTER,
        /** Preemption has ended. */
        POST_FILTERED
    }
}
