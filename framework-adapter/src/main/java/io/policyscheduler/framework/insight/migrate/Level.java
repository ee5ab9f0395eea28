package io.policyscheduler.framework.insight.migrate;

/** The severity of a finding, the most severe first. */
public enum Level {
    /** A part of the policy is lost. */
    ERROR,
    /** Placements may differ. */
    WARN,
    /** Placements differ only in special cases, or not at all. */
    INFO
}
