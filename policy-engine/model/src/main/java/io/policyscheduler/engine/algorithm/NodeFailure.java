package io.policyscheduler.engine.algorithm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why a node is infeasible for a pod, as users see them.
 *
 * @param reasons exact texts in evaluation order
 * @param unresolvable true if removing pods cannot help
 * @param plugin the framework plugin or, if predicates run as functions, the first predicate that rejected the node; null for nodes
 *     that PreFilter excludes and for missing nodes
 */
public record NodeFailure(
        List<String> reasons,
        boolean unresolvable,
        @Nullable String plugin) {
    public NodeFailure {
        reasons = List.copyOf(reasons);
    }
}
