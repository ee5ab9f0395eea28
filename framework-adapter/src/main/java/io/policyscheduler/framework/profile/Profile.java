package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.WeightedPriority;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.StateKeys;
import java.util.List;

/**
 * The plugins that decide about the pods of one scheduler name.
 *
 * @param name what users call it, e.g. the policy's file
 * @param filters in the order of evaluation
 * @param scores in order, each with its weight
 * @param functions priorities that stay functions because v1.17 has no plugin for them
 * @param checkAllFilters goes on after the first filter that fails ({@code alwaysCheckAllPredicates})
 * @param stateKeys keys of the plugins' cycle state
 */
public record Profile(
        String name,
        List<FilterPlugin> filters,
        List<WeightedScore> scores,
        List<WeightedPriority> functions,
        boolean checkAllFilters,
        StateKeys stateKeys) {
    /** A score plugin and its weight. */
    public record WeightedScore(ScorePlugin plugin, long weight) {}

    public Profile {
        filters = List.copyOf(filters);
        scores = List.copyOf(scores);
        functions = List.copyOf(functions);
    }

    /** True when nothing scores, so that every feasible node is as good as any other. */
    public boolean scoresNothing() {
        return scores.isEmpty() && functions.isEmpty();
    }
}
