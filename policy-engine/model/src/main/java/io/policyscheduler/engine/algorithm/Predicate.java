package io.policyscheduler.engine.algorithm;

/** A predicate: whether a pod can run on a node. Stateless and reusable; {@link PodFilter} has the precomputed state of one pod. */
public interface Predicate {
    /** Name in a Policy file, e.g. {@code PodFitsResources}. */
    String name();

    /** The state that its result depends on. */
    Scope scope();

    /**
     * 0 for most; else a number that changes whenever the result for the same pod and an unchanged node may change, because of
     * other state: a table that a rule reads.
     */
    default long revision() {
        return 0;
    }

    /** Prepares the check of one pod against many nodes. Must not fail: an error becomes the verdict of each node. */
    PodFilter start(PodContext context);

    /** True if the result depends on disruption budgets, so that a changed budget may help a pod that it rejected. */
    default boolean readsBudgets() {
        return false;
    }

    /** True if the result depends on tables of the policy. */
    default boolean readsTables() {
        return false;
    }

    /**
     * True if v1.17's plugin of this predicate needs the shared metadata and fails without it; see
     * {@link PodContext#metadataAvailable()}.
     */
    default boolean needsMetadata() {
        return false;
    }
}
