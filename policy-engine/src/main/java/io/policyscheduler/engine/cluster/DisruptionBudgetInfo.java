package io.policyscheduler.engine.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A PodDisruptionBudget.
 *
 * @param selector null = selects nothing
 * @param disruptionsAllowed {@code status.disruptionsAllowed}
 */
public record DisruptionBudgetInfo(
        String namespace, String name, @Nullable LabelSelector selector, int disruptionsAllowed)
        implements ClusterObject {}
