package io.policyscheduler.framework.cycle.attempt;

/** Where an attempt is. What has no nodes, or is rejected before any is looked at, enters none but the last. */
public enum AttemptPhase {
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
