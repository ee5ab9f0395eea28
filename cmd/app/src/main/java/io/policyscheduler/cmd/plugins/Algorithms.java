package io.policyscheduler.cmd.plugins;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.framework.modern.PluginAlgorithms;
import io.policyscheduler.predicates.PredicateCatalog;
import io.policyscheduler.priorities.PriorityCatalog;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The algorithms that this program contains. */
public final class Algorithms {
    private Algorithms() {}

    /** A registry of all predicates and priorities. */
    public static AlgorithmRegistry registry() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        PredicateCatalog.register(builder);
        PriorityCatalog.register(builder);
        PluginAlgorithms.register(builder);
        return builder.build();
    }

    /** Environment variables of this process, the empty string when unset. */
    public static UnaryOperator<String> environment() {
        return name -> Objects.requireNonNullElse(System.getenv(name), "");
    }
}
