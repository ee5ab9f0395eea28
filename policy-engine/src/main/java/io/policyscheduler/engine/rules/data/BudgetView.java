package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;

/** What a rule may ask about a disruption budget. Public only because MVEL calls it. */
public record BudgetView(DisruptionBudgetInfo budget) {
    public String name() {
        return budget.name();
    }

    public double disruptionsAllowed() {
        return budget.disruptionsAllowed();
    }
}
