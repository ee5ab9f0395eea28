package io.policyscheduler.engine.rules.data;

/** What holds for rules once the values that they read are too old. */
public enum WhenStale {
    /** A value that is too old is missing; the table's default counts, if it has one. */
    DEFAULT,
    /** The same, and a rule that reads a table without a single value takes no part: all nodes fit, all score 0. */
    SKIP
}
