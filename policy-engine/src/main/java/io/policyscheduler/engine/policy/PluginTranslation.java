package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The framework plugins that an effective policy turns into, as v1.17's {@code default_registry.go} does it.
 *
 * @param filters filter plugins in order, each once
 * @param scores score plugins and weights, in the order of the priority keys
 * @param pluginConfig plugin name to arguments, keys as in the JSON of v1.17
 * @param rawPredicates predicates without a plugin, sorted by name
 * @param rawPriorities priorities without a plugin and their weights, sorted by name
 * @param startupFailure what v1.17 dies with when it builds this framework, null if it does not
 */
public record PluginTranslation(
        List<String> filters,
        Map<String, Long> scores,
        Map<String, Map<String, Object>> pluginConfig,
        List<String> rawPredicates,
        Map<String, Long> rawPriorities,
        @Nullable String startupFailure) {

    private static final String FAILURE = "error initializing the scheduling framework: ";

    /** Translates a policy; weights are cut to 32 bits in strict mode only. */
    public static PluginTranslation of(EffectivePolicy policy) {
        Set<String> filters = new LinkedHashSet<>();
        String failure = labelConflict(policy.arguments());
        for (String predicate : KnownAlgorithms.predicates()) {
            if (!policy.predicates().containsKey(predicate)) {
                continue;
            }
            for (String plugin : KnownAlgorithms.filterPlugins(predicate)) {
                if (!filters.add(plugin) && failure == null) {
                    failure = "plugin \"" + plugin + "\" already registered as \"FilterPlugin\"";
                }
            }
        }
        ImmutableList.Builder<String> rawPredicates = ImmutableList.builder();
        for (String predicate : policy.predicates().keySet()) {
            if (KnownAlgorithms.filterPlugins(predicate).isEmpty()) {
                rawPredicates.add(predicate);
            }
        }
        ImmutableMap.Builder<String, Long> scores = ImmutableMap.builder();
        ImmutableMap.Builder<String, Long> rawPriorities = ImmutableMap.builder();
        policy.priorities().forEach((priority, weight) -> {
            String plugin = KnownAlgorithms.scorePlugin(priority);
            if (plugin.isEmpty()) {
                rawPriorities.put(priority, weight);
            } else {
                scores.put(plugin, policy.strictV117() ? truncated(weight) : weight);
            }
        });
        return new PluginTranslation(
                ImmutableList.copyOf(filters),
                scores.buildOrThrow(),
                config(policy),
                rawPredicates.build(),
                rawPriorities.buildOrThrow(),
                failure == null ? null : FAILURE + failure);
    }

    /** Score plugins as {@code NAME=WEIGHT}. */
    public List<String> scoreList() {
        return scores.entrySet().stream()
                .map(score -> score.getKey() + "=" + score.getValue())
                .toList();
    }

    /** The low 32 bits of a weight, where 0 stands for 1. */
    static long truncated(long weight) {
        int low = (int) weight;
        return low == 0 ? 1 : low;
    }

    /** Why the NodeLabel plugin refuses its arguments, null if it takes them. */
    static @Nullable String labelConflict(PolicyArguments arguments) {
        String conflict = conflict(arguments.presentLabels(), arguments.absentLabels());
        return conflict == null
                ? conflict(arguments.presentLabelsPreference(), arguments.absentLabelsPreference())
                : conflict;
    }

    private static @Nullable String conflict(List<String> present, List<String> absent) {
        Set<String> wanted = new HashSet<>(present);
        for (String label : absent) {
            if (wanted.contains(label)) {
                return "error initializing plugin \"NodeLabel\": detecting at least one label (e.g., "
                        + GoText.quote(label) + ") that exist in both the present(" + GoText.list(present)
                        + ") and absent(" + GoText.list(absent) + ") label list";
            }
        }
        return null;
    }

    private static Map<String, Map<String, Object>> config(EffectivePolicy policy) {
        PolicyArguments arguments = policy.arguments();
        Map<String, Map<String, Object>> config = new TreeMap<>();
        if (policy.predicates().containsKey(KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE)
                || policy.priorities().containsKey(KnownAlgorithms.NODE_LABEL)) {
            Map<String, Object> args = new LinkedHashMap<>();
            putList(args, "presentLabels", arguments.presentLabels());
            putList(args, "absentLabels", arguments.absentLabels());
            putList(args, "presentLabelsPreference", arguments.presentLabelsPreference());
            putList(args, "absentLabelsPreference", arguments.absentLabelsPreference());
            config.put(KnownAlgorithms.NODE_LABEL, ImmutableMap.copyOf(args));
        }
        if (policy.predicates().containsKey(KnownAlgorithms.CHECK_SERVICE_AFFINITY)
                || policy.priorities().containsKey(KnownAlgorithms.SERVICE_AFFINITY)) {
            Map<String, Object> args = new LinkedHashMap<>();
            putList(args, "labels", arguments.affinityLabels());
            putList(args, "antiAffinityLabelsPreference", arguments.antiAffinityLabels());
            config.put(KnownAlgorithms.SERVICE_AFFINITY, ImmutableMap.copyOf(args));
        }
        if (policy.priorities().containsKey(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO)) {
            List<Map<String, Integer>> shape = arguments.ratioShape().stream()
                    .map(point -> Map.of("Utilization", point.utilization(), "Score", point.score()))
                    .toList();
            config.put(
                    KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO,
                    ImmutableMap.of("FunctionShape", shape, "ResourceToWeightMap", arguments.ratioResources()));
        }
        return ImmutableMap.copyOf(config);
    }

    private static void putList(Map<String, Object> args, String name, List<String> labels) {
        if (!labels.isEmpty()) {
            args.put(name, labels);
        }
    }
}
