package io.policyscheduler.framework.cycle;

/** How {@link SchedulingCycle#decide} comes to its decisions, which are the same on every path. */
public enum DecisionPath {
    /** By what is kept about the nodes, so that a decision costs what has changed since the last one; plainly where it cannot. */
    KEPT,
    /** By asking every plugin about every node. */
    PLAIN
}
