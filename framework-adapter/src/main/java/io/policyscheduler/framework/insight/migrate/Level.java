package io.policyscheduler.framework.insight.migrate;

/** How much a finding matters, the gravest first. */
public enum Level {
    /** Something of the policy is lost. */
    ERROR,
    /** Placements may differ. */
    WARN,
    /** Good to know. */
    INFO
}
