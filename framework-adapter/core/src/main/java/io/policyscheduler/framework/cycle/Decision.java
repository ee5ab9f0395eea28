package io.policyscheduler.framework.cycle;

import com.google.common.collect.ImmutableSet;
import java.util.Set;
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
 * @param rejectedBy the plugins that rejected nodes, when no node fits; empty when unknown, so that any change may help
 * @param pendingOn those of them that wait for something outside of the cluster, by the code {@code PENDING}
 * @param generation of the profiles that decided, counted up by reloads; 0 outside a running scheduler
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
        /** No node fits ({@code 0/5 nodes are available: ...}); preemption may help. */
        UNSCHEDULABLE,
        /** There is no node at all. */
        NO_NODES,
        /** Something went wrong; the attempt says nothing about the nodes. */
        ERROR
    }

    public Decision {
        rejectedBy = ImmutableSet.copyOf(rejectedBy);
        pendingOn = ImmutableSet.copyOf(pendingOn);
    }

    /** A decision of which nothing more is known. */
    public Decision(
            Kind kind, @Nullable String node, long score, String message, int feasibleNodes, int evaluatedNodes) {
        this(kind, node, score, message, feasibleNodes, evaluatedNodes, Set.of(), Set.of(), 0);
    }

    /** A copy with the plugins that rejected; none of them waits for something outside of the cluster. */
    public Decision withRejectedBy(Set<String> plugins) {
        return withRejectedBy(plugins, Set.of());
    }

    /** The same where some do. */
    public Decision withRejectedBy(Set<String> plugins, Set<String> pending) {
        return new Decision(kind, node, score, message, feasibleNodes, evaluatedNodes, plugins, pending, generation);
    }

    /** A copy with another text for users. */
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
