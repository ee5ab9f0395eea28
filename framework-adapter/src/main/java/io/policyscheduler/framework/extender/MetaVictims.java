package io.policyscheduler.framework.extender;

import java.util.List;

/**
 * Victims on a node, as an extender names them.
 *
 * @param uids in the order of the answer
 * @param budgetViolations how many disruption budgets it says would be broken
 */
public record MetaVictims(List<String> uids, int budgetViolations) {
    public MetaVictims {
        uids = List.copyOf(uids);
    }
}
