package io.policyscheduler.framework.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * What was decided for one pod in one attempt.
 *
 * @param kind what came of it
 * @param node the chosen node; null unless placed
 * @param score the node's total; 0 when only one node was feasible and scoring was skipped
 * @param message why not, exactly as users see it; empty when placed
 * @param feasibleNodes how many nodes passed all filters
 * @param evaluatedNodes how many nodes were looked at
 */
public record Decision(
        Kind kind, @Nullable String node, long score, String message, int feasibleNodes, int evaluatedNodes) {
    /** Outcomes of an attempt. */
    public enum Kind {
        /** A node was chosen. */
        PLACED,
        /** No node fits ({@code 0/5 nodes are available: ...}); preemption may help. */
        UNSCHEDULABLE,
        /** There is no node at all. */
        NO_NODES,
        /** Something went wrong; the attempt says nothing about the nodes. */
        ERROR
    }

    /** True when a node was chosen. */
    public boolean isPlaced() {
        return kind == Kind.PLACED;
    }
}
