package io.policyscheduler.engine.cluster.object;

import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A PodDisruptionBudget.
 *
 * @param selector null = selects nothing
 * @param disruptionsAllowed {@code status.disruptionsAllowed}
 * @param disruptedPods names of the pods whose eviction the API server has let pass but not yet seen; v1.17 does not look
 */
public record DisruptionBudgetInfo(
        String namespace,
        String name,
        @Nullable LabelSelector selector,
        int disruptionsAllowed,
        Set<String> disruptedPods)
        implements ClusterObject {
    public DisruptionBudgetInfo {
        disruptedPods = ImmutableSet.copyOf(disruptedPods);
    }

    /** A budget without evictions under way. */
    public DisruptionBudgetInfo(
            String namespace, String name, @Nullable LabelSelector selector, int disruptionsAllowed) {
        this(namespace, name, selector, disruptionsAllowed, Set.of());
    }

    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.DISRUPTION_BUDGETS;
    }

    @Override
    public DisruptionBudgetInfo withNamespace(String other) {
        return new DisruptionBudgetInfo(other, name, selector, disruptionsAllowed, disruptedPods);
    }

    /** True when the selector says something and selects pods with these labels. */
    public boolean covers(Labels labels) {
        return selector != null && !selector.isEmpty() && selector.matches(labels);
    }
}
