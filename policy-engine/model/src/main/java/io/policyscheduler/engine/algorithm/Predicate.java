package io.policyscheduler.engine.algorithm;

/**
 * May this pod run on this node? One class an algorithm, stateless and reusable; what is worked out once per pod lives in the
 * {@link PodFilter} that it starts.
 */
public interface Predicate {
    /** Name in a Policy file, e.g. {@code PodFitsResources}. */
    String name();

    /** What its answer depends on. */
    Scope scope();

    /**
     * 0 for most; else a number that is another one whenever the answer for the same pod and an unchanged node may be another, because
     * of something that is neither: a table that a rule reads.
     */
    default long revision() {
        return 0;
    }

    /**
     * Prepares the check of one pod against many nodes. Must not fail: what cannot be worked out is an error verdict of each
     * node.
     */
    PodFilter start(PodContext context);

    /** True when its answer depends on disruption budgets, so that a change of one may help a pod that it rejected. */
    default boolean readsBudgets() {
        return false;
    }

    /** True when the answer may change because a table of the policy has other values. */
    default boolean readsTables() {
        return false;
    }

    /**
     * True when v1.17's plugin form of this predicate needs the shared metadata and ends the attempt with an error when it is
     * not there; see {@link PodContext#metadataAvailable()}.
     */
    default boolean needsMetadata() {
        return false;
    }
}
