package io.policyscheduler.engine.legacy;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.WeightedPriority;
import io.policyscheduler.engine.policy.EffectivePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Builds the functions that an effective policy names. */
public final class LegacyAssembly {
    private LegacyAssembly() {}

    /**
     * The policy as plain functions.
     *
     * @param environment reads an environment variable, the empty string when unset
     */
    public static LegacyAlgorithm assemble(
            EffectivePolicy policy, AlgorithmRegistry registry, UnaryOperator<String> environment) {
        AlgorithmConfig config = policy.algorithmConfig(environment);
        List<Predicate> predicates = new ArrayList<>();
        for (String key : policy.evaluationOrder()) {
            predicates.add(policy.predicate(key, registry, config));
        }
        List<WeightedPriority> priorities = new ArrayList<>();
        policy.priorities()
                .forEach((key, weight) ->
                        priorities.add(new WeightedPriority(policy.priority(key, registry, config), weight)));
        return new LegacyAlgorithm(predicates, priorities, policy.alwaysCheckAllPredicates());
    }
}
