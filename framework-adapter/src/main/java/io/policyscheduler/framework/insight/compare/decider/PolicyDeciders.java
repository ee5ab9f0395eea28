package io.policyscheduler.framework.insight.compare.decider;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.extender.Extenders;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.profile.SchedulingGates;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Ways of deciding by a policy of v1.17. */
public final class PolicyDeciders {
    private final AlgorithmRegistry registry;
    private final UnaryOperator<String> environment;

    /** @param environment reads an environment variable, the empty string when unset */
    public PolicyDeciders(AlgorithmRegistry registry, UnaryOperator<String> environment) {
        this.registry = registry;
        this.environment = environment;
    }

    /**
     * The policy's predicates and priorities as functions. GeneralPredicates stands for its four parts as soon as one of them
     * is to be left out.
     */
    public DeciderSource functions(String name, EffectivePolicy policy, DeciderSource.Volumes volumes) {
        return new DeciderSource(
                        name,
                        DeciderSource.Kind.FUNCTIONS,
                        policy.evaluationOrder(),
                        policy.priorities(),
                        (cluster, tieBreak, adjustment) -> new GatedDecider(
                                new FunctionDecider(
                                        algorithm(policy, adjustment), cluster, tieBreak, adjustment.keptBytes()),
                                List.of(new SchedulingGates())),
                        volumes)
                .readingNewerFields(policy.gates().honoursNewerFields())
                .withRules(policy.rules())
                .named(PolicyNames.of(policy));
    }

    private FunctionAlgorithm algorithm(EffectivePolicy policy, Adjustment adjustment) {
        Map<String, Long> priorities = new LinkedHashMap<>();
        policy.priorities().forEach((key, weight) -> {
            if (!adjustment.withoutScores().contains(key)) {
                priorities.put(key, adjustment.weight(key, weight));
            }
        });
        return FunctionAssembly.assemble(
                policy, keys(policy, adjustment.withoutFilters()), priorities, registry, environment);
    }

    private static Set<String> keys(EffectivePolicy policy, Set<String> without) {
        Set<String> keys = new LinkedHashSet<>();
        for (String key : policy.evaluationOrder()) {
            List<String> parts = KnownAlgorithms.parts(key);
            keys.addAll(Collections.disjoint(without, parts) ? List.of(key) : parts);
        }
        keys.removeAll(without);
        return keys;
    }

    /** The policy's predicates and priorities as plugins, on all nodes. */
    public DeciderSource plugins(
            String name, EffectivePolicy policy, DeciderSource.Volumes volumes, Extenders extenders) {
        return plugins(name, policy, ProfileDeciders.ALL_NODES, volumes, extenders);
    }

    /**
     * The same on part of the nodes.
     *
     * @param percentage of nodes among which enough feasible ones are looked for, 0 to adapt to the size of the cluster
     */
    public DeciderSource plugins(
            String name, EffectivePolicy policy, int percentage, DeciderSource.Volumes volumes, Extenders extenders) {
        ProviderAdapter adapter = new ProviderAdapter(registry, environment);
        return ProfileDeciders.of(name, cluster -> adapter.adapt(policy, cluster), percentage, volumes, extenders)
                .readingNewerFields(policy.gates().honoursNewerFields())
                .withRules(policy.rules())
                .named(PolicyNames.of(policy));
    }
}
