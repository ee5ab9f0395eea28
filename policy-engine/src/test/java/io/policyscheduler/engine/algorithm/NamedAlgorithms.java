package io.policyscheduler.engine.algorithm;

import java.util.Collection;
import java.util.Set;

/** Registries of names, for tests that build no algorithm. */
public final class NamedAlgorithms {
    private NamedAlgorithms() {}

    /** Every algorithm of v1.17. */
    public static AlgorithmRegistry ofV117() {
        return registry(KnownAlgorithms.predicates(), KnownAlgorithms.priorities());
    }

    /** Every algorithm of v1.17, and these. */
    public static AlgorithmRegistry ofV117With(String predicate, String priority) {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        add(builder, KnownAlgorithms.predicates(), KnownAlgorithms.priorities());
        add(builder, Set.of(predicate), Set.of(priority));
        return builder.build();
    }

    /** Only these. */
    public static AlgorithmRegistry registry(Collection<String> predicates, Collection<String> priorities) {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        add(builder, predicates, priorities);
        return builder.build();
    }

    private static void add(
            AlgorithmRegistry.Builder builder, Collection<String> predicates, Collection<String> priorities) {
        for (String name : predicates) {
            builder.predicate(name, config -> {
                throw new UnsupportedOperationException(name);
            });
        }
        for (String name : priorities) {
            builder.priority(name, config -> {
                throw new UnsupportedOperationException(name);
            });
        }
    }
}
