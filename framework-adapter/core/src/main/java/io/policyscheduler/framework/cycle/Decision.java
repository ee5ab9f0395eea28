package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of one attempt for one pod.
 *
 * @param kind the outcome
 * @param node the chosen node; null unless placed
 * @param score the node's total; 0 when only one node was feasible and scoring was skipped
 * @param message the reason for users; empty when placed
 * @param feasibleNodes how many nodes passed all filters
 * @param evaluatedNodes how many nodes were evaluated
 * @param rejectedBy the plugins that rejected nodes, if no node is feasible; empty if unknown, so that any change may help
 * @param pendingOn those of them that returned the code {@code PENDING}
 * @param generation of the profiles, incremented by reloads; 0 outside a running scheduler
 */
public record Decision(
        Kind kind,
        @Nullable String node,
        long score,
        String message,
        int feasibleNodes,
        int evaluatedNodes,
        Set<String> rejectedBy,
        Set<String> pendingOn,
        long generation) {
    /** Outcomes of an attempt. */
    public enum Kind {
        /** A node was chosen. */
        PLACED,
        /** No node is feasible ({@code 0/5 nodes are available: ...}); preemption may help. */
        UNSCHEDULABLE,
        /** The cluster has no nodes. */
        NO_NODES,
        /** The attempt failed; the decision says nothing about the nodes. */
        ERROR
    }

    public Decision {
        rejectedBy = ImmutableSet.copyOf(rejectedBy);
        pendingOn = ImmutableSet.copyOf(pendingOn);
    }

    /** A decision without further details. */
    public Decision(
            Kind kind, @Nullable String node, long score, String message, int feasibleNodes, int evaluatedNodes) {
        this(kind, node, score, message, feasibleNodes, evaluatedNodes, Set.of(), Set.of(), 0);
    }

    /** A copy with the plugins that rejected nodes, none of them with the code {@code PENDING}. */
    public Decision withRejectedBy(Set<String> plugins) {
        return withRejectedBy(plugins, Set.of());
    }

    /** A copy with the plugins that rejected nodes, and those with the code {@code PENDING}. */
    public Decision withRejectedBy(Set<String> plugins, Set<String> pending) {
        return new Decision(kind, node, score, message, feasibleNodes, evaluatedNodes, plugins, pending, generation);
    }

    /** A copy with another message. */
    public Decision withMessage(String text) {
        return new Decision(kind, node, score, text, feasibleNodes, evaluatedNodes, rejectedBy, pendingOn, generation);
    }

    /** A copy with a generation. */
    public Decision withGeneration(long value) {
        return new Decision(kind, node, score, message, feasibleNodes, evaluatedNodes, rejectedBy, pendingOn, value);
    }

    /** True when a node was chosen. */
    public boolean isPlaced() {
        return kind == Kind.PLACED;
    }
}
