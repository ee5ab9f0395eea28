package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/** Receives callbacks about attempts on the scheduling thread; must return quickly. */
public interface AttemptListener {
    /** Ignores all callbacks. */
    AttemptListener NONE = new AttemptListener() {};

    /** Whether {@link #onAttempted} is called; otherwise no details are collected. Read once, when a profile is created. */
    default boolean needsDetails() {
        return false;
    }

    /** An attempt has ended, and its decision is not yet applied; not called if it ends with an exception. */
    default void onAttempted(PodInfo pod, AttemptDetails details) {}

    /** A decision was repeated without the result cache for verification; called after {@link #onDecisionDiffers}. */
    default void onDecisionVerified(PodInfo pod) {}

    /** The repeated decision differs. */
    default void onDecisionDiffers(DecisionDifference difference) {}

    /** The result cache failed with an exception, and the attempt continues without it. */
    default void onResultCacheFailed(PodInfo pod, Throwable e) {}

    /** An attempt ends its current phase and enters this one. */
    default void onPhase(Phase phase) {}

    /** An attempt of a profile that batches ends its search for a hint, or uses one or not. */
    default void onBatched(BatchResult result) {}

    /** A profile that batches drops the nodes that it kept, or keeps none after an attempt. */
    default void onBatchFlushed(BatchFlush reason) {}

    /** The results of opportunistic batching. Mirrors the labels of {@code scheduler_batch_attempts_total}. */
    public enum BatchResult {
        /** No node of the attempt before can be tried first. */
        NO_HINT,
        /** The pod gets the node that was tried first. */
        HINT_USED,
        /** The pod gets another node. */
        HINT_NOT_USED
    }

    /** Why opportunistic batching keeps no nodes. Mirrors the labels of {@code scheduler_batch_cache_flushed_total}. */
    public enum BatchFlush {
        /** The last attempt selected no node, or was of another profile. */
        POD_SKIPPED,
        /** The next pod has another signature, or none. */
        POD_INCOMPATIBLE,
        /** The scores are older than 500 ms. */
        EXPIRED,
        /** The node of the pod before is gone. */
        NODE_MISSING,
        /** The node of the pod before is feasible for the next one, too. */
        NODE_NOT_FULL,
        /** No other node was feasible. */
        EMPTY_LIST,
        /** The pod has no signature. */
        POD_NOT_BATCHABLE
    }

    /** Receives scores that an algorithm of this program returned out of range. They are clamped to the range. */
    @FunctionalInterface
    public interface BoundedScores {
        /** Ignores all scores. */
        BoundedScores NONE = (algorithm, pod, node, score) -> {};

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
