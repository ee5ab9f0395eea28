package io.policyscheduler.cmd.audit;

import io.policyscheduler.framework.insight.audit.EvictionPlan;

/**
 * What came of one eviction.
 *
 * @param message what the server said; empty when it is evicted
 */
record EvictionOutcome(EvictionPlan.Eviction eviction, Kind kind, String message) {
    /** How it ended. */
    public enum Kind {
        EVICTED,
        /** It was not there any more, or another one of its name is. */
        GONE,
        /** A disruption budget did not allow it, however often it was tried. */
        BUDGET,
        /** The server refused it, or gave no answer. */
        FAILED
    }
}
