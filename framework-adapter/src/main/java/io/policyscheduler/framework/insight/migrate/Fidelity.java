package io.policyscheduler.framework.insight.migrate;

/** The degree to which the configuration preserves an item of the policy. */
public enum Fidelity {
    /** The same. */
    EXACT,
    /** Nearly the same, or the same under conditions. */
    APPROXIMATED,
    /** Lost. */
    IMPOSSIBLE
}
