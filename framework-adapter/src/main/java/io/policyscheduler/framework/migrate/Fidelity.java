package io.policyscheduler.framework.migrate;

/** How well the configuration does what an item of the policy did. */
public enum Fidelity {
    /** The same. */
    EXACT,
    /** Nearly, or under conditions; the finding says where not. */
    APPROXIMATED,
    /** Not at all. */
    IMPOSSIBLE
}
