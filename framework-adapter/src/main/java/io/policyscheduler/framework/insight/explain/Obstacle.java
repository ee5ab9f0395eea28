package io.policyscheduler.framework.insight.explain;

import java.util.List;

/**
 * One filter that rejects a node.
 *
 * @param filter name of the predicate or plugin; empty for what is no filter, such as a check before any node is looked at
 * @param reasons exact texts
 */
public record Obstacle(String filter, List<String> reasons) {
    public Obstacle {
        reasons = List.copyOf(reasons);
    }
}
