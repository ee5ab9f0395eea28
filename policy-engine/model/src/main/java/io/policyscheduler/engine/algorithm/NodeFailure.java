package io.policyscheduler.engine.algorithm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for which a node is not feasible for a pod, as users see them.
 *
 * @param reasons exact texts in the order found
 * @param unresolvable true when removing pods cannot help
 * @param plugin the framework plugin or, where predicates run as functions, the first predicate that said no; null where
 *     plugins have narrowed the search to other nodes and where the node itself is gone
 */
public record NodeFailure(
        List<String> reasons,
        boolean unresolvable,
        @Nullable String plugin) {
    public NodeFailure {
        reasons = List.copyOf(reasons);
    }
}
