package io.policyscheduler.framework.extender;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What all extenders together made of the feasible nodes.
 *
 * @param feasible the nodes that are left
 * @param reasons node to the reasons given against it; may name nodes that do not exist
 * @param unresolvable those of them where preemption would not help
 * @param error the text that ends the attempt, or null
 */
public record FilterOutcome(
        List<NodeInfo> feasible,
        SortedMap<String, List<String>> reasons,
        Set<String> unresolvable,
        @Nullable String error) {}
