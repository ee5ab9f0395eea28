package io.policyscheduler.framework.insight.migrate;

/** How well the configuration does what an item of the policy did. */
enum Fidelity {
    /** The same. */
    EXACT,
    /** Nearly, or under conditions; the finding says where not. */
    APPROXIMATED,
    /** Not at all. */
    IMPOSSIBLE
}
