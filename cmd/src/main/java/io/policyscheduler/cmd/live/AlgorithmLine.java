package io.policyscheduler.cmd.live;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Origin;
import java.util.List;
import java.util.Objects;

/**
 * An algorithm that is in effect.
 *
 * @param kind {@code predicate}, {@code priority}, or {@code plugin}
 * @param weight of a priority; 0 for what has none
 * @param origin where it comes from, such as {@code line 7}; empty when not known
 */
public record AlgorithmLine(String kind, String name, long weight, String origin) {
    /** The lines of a policy: predicates in the order in which they are evaluated, then priorities by name. */
    static List<AlgorithmLine> of(EffectivePolicy policy) {
        ImmutableList.Builder<AlgorithmLine> lines = ImmutableList.builder();
        List<String> order = policy.evaluationOrder();
        order.forEach(name -> lines.add(predicate(policy, name)));
        policy.predicateKeys().stream()
                .filter(name -> !order.contains(name))
                .forEach(name -> lines.add(predicate(policy, name)));
        policy.priorities()
                .forEach((name, weight) -> lines.add(new AlgorithmLine(
                        "priority",
                        name,
                        weight,
                        Objects.requireNonNull(policy.priorityOrigins().get(name))
                                .describe())));
        return lines.build();
    }

    private static AlgorithmLine predicate(EffectivePolicy policy, String name) {
        Origin origin = Objects.requireNonNull(policy.predicates().get(name));
        return new AlgorithmLine("predicate", name, 0, origin.describe());
    }
}
