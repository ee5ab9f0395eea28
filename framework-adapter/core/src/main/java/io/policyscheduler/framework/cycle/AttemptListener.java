package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/** Receives callbacks about attempts on the scheduling thread; must return quickly. */
public interface AttemptListener {
    /** Ignores all callbacks. */
    AttemptListener UNHEARD = new AttemptListener() {};

    /** Whether {@link #attempted} is called; otherwise no details are collected. Read once. */
    default boolean needsDetails() {
        return false;
    }

    /** Receives the details of an attempt when it has ended, before its decision is applied. */
    default void attempted(PodInfo pod, AttemptDetails details) {}

    /** A decision was repeated without the result cache for verification; called after {@link #differs}. */
    default void verified(PodInfo pod) {}

    /** The repeated decision differs. */
    default void differs(DecisionDifference difference) {}

    /** The result cache failed with an exception, and the attempt continues without it. */
    default void fellBack(PodInfo pod, Throwable e) {}

    /** An attempt ends its current phase and enters this one. */
    default void entered(Phase phase) {}

    /** Receives scores that an algorithm of this program returned out of range. They are clamped to the range. */
    @FunctionalInterface
    public interface BoundedScores {
        /** Ignores all scores. */
        BoundedScores UNHEARD = (algorithm, pod, node, score) -> {};

        /**
         * A score was clamped. Called on the scheduling thread for each node of each attempt; must return quickly.
         *
         * @param algorithm name of the plugin or priority
         * @param score before clamping
         */
        void bounded(String algorithm, PodInfo pod, String node, long score);
    }

    /**
     * A difference between the decision with the result cache and the decision that evaluates every plugin on every node. The
     * latter applies.
     *
     * @param pod the pod of the decision
     * @param what the first difference, for users
     * @param plain the decision without the result cache, for users
     * @param cached the decision with the result cache, for users
     * @param plugins names of the plugins with stale cached results; empty if unknown
     */
    public record DecisionDifference(PodInfo pod, String what, String plain, String cached, List<String> plugins) {
        public DecisionDifference {
            plugins = ImmutableList.copyOf(plugins);
        }
    }

    /** The phase of an attempt. If there are no nodes, or PreFilter rejects all, the attempt enters only the last phase. */
    public enum Phase {
        /** Plugins and extenders filter nodes. */
        FILTER,
        /** Feasible nodes are scored; also entered if there is only one, which is not scored. */
        SCORE,
        /** The decision is known. */
        DECIDED,
        /** No node is feasible, and the post-filter plugins run. */
        POST_FILTER,
        /** The post-filter plugins have finished. */
        POST_FILTERED
    }
}
