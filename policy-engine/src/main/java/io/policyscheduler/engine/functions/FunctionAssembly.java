package io.policyscheduler.engine.functions;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.WeightedPriority;
import io.policyscheduler.engine.policy.EffectivePolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Builds the functions that an effective policy names. */
public final class FunctionAssembly {
    private FunctionAssembly() {}

    /**
     * The policy as plain functions.
     *
     * @param environment reads an environment variable, the empty string when unset
     */
    public static FunctionAlgorithm assemble(
            EffectivePolicy policy, AlgorithmRegistry registry, UnaryOperator<String> environment) {
        return assemble(policy, policy.evaluationOrder(), policy.priorities(), registry, environment);
    }

    /**
     * Other predicates and weights, with everything else of the policy.
     *
     * @param predicates keys of predicates in the order of evaluation
     * @param priorities keys of priorities with their weights
     * @param environment reads an environment variable, the empty string when unset
     */
    public static FunctionAlgorithm assemble(
            EffectivePolicy policy,
            Collection<String> predicates,
            Map<String, Long> priorities,
            AlgorithmRegistry registry,
            UnaryOperator<String> environment) {
        AlgorithmConfig config = policy.algorithmConfig(environment);
        List<Predicate> checks = new ArrayList<>();
        for (String key : predicates) {
            checks.add(policy.predicate(key, registry, config));
        }
        List<WeightedPriority> scores = new ArrayList<>();
        priorities.forEach(
                (key, weight) -> scores.add(new WeightedPriority(policy.priority(key, registry, config), weight)));
        return new FunctionAlgorithm(
                checks,
                scores,
                policy.alwaysCheckAllPredicates(),
                policy.gates().arithmetic());
    }
}
