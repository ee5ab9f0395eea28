package io.policyscheduler.engine.algorithm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why one node does not take a pod, as users are told.
 *
 * @param reasons exact texts in the order found
 * @param unresolvable true when removing pods cannot help
 * @param plugin the framework plugin that said no, or null where predicates run as functions and where plugins
 *     have narrowed the search to other nodes
 */
public record NodeFailure(
        List<String> reasons,
        boolean unresolvable,
        @Nullable String plugin) {
    public NodeFailure {
        reasons = List.copyOf(reasons);
    }
}
