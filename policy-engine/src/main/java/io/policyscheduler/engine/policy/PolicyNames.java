package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The names of a policy's algorithms in its file, for reports: {@code SelectorSpreadPriority} instead of the plugin
 * {@code DefaultPodTopologySpread}, and {@code InAZone, NotRetiring} for the plugin NodeLabel, which merges both entries. Other
 * names stay unchanged.
 */
public final class PolicyNames {
    /** The names of a scheduler without a policy, which are those of its plugins. */
    public static final PolicyNames NONE = new PolicyNames(Map.of(), Map.of());

    private final ImmutableMap<String, String> filters;
    private final ImmutableMap<String, String> scores;

    private PolicyNames(Map<String, String> filters, Map<String, String> scores) {
        this.filters = ImmutableMap.copyOf(filters);
        this.scores = ImmutableMap.copyOf(scores);
    }

    /** The names of a policy or a provider. */
    public static PolicyNames of(EffectivePolicy policy) {
        Map<String, String> filters = new LinkedHashMap<>();
        policy.predicates().forEach((key, origin) -> {
            String given = given(key, origin);
            filters.put(key, given);
            for (KnownAlgorithm row : KnownAlgorithms.pluginRows(key)) {
                filters.putIfAbsent(row.plugin(), row.name().equals(key) ? given : row.name());
            }
        });
        Map<String, String> scores = new LinkedHashMap<>();
        policy.priorityOrigins().forEach((key, origin) -> scores.put(key, given(key, origin)));
        policy.priorityOrigins().forEach((key, origin) -> {
            String plugin = KnownAlgorithms.scorePlugin(key);
            if (!plugin.isEmpty()) {
                scores.put(plugin, given(key, origin));
            }
        });
        return new PolicyNames(filters, scores);
    }

    private static String given(String key, Origin origin) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : origin.names()) {
            names.add(name.isEmpty() ? key : name);
        }
        return names.isEmpty() ? key : String.join(", ", names);
    }

    /** The name in the policy of a predicate or of a filter plugin. */
    public String filter(String algorithm) {
        return filters.getOrDefault(algorithm, algorithm);
    }

    /** The name in the policy of a priority or of a score plugin. */
    public String score(String algorithm) {
        return scores.getOrDefault(algorithm, algorithm);
    }
}
