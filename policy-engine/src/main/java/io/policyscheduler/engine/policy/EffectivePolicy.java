package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm.Availability;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.data.RuleTables;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A policy or provider after defaults, feature gates, and arguments are applied. Immutable.
 *
 * @param source name of the file, or of the provider
 * @param predicates origin by predicate key, sorted by name, including mandatory ones
 * @param priorities weight by priority key, sorted by name
 * @param priorityOrigins origin by key of {@code priorities}
 * @param arguments merged arguments of all entries
 * @param extenders non-ignorable ones first, otherwise in file order
 * @param ignoredExtendedResources resources that only extenders check
 * @param alwaysCheckAllPredicates value of the file; v1.17 ignores it when predicates run as plugins
 * @param policyHardPodAffinityWeight value of the file, 0 if not given
 * @param hardPodAffinityWeight the weight to use, 1 to 100: in strict mode the flag's, else the file's if given
 * @param gates gates, and the release whose rules apply: v1.17 in strict mode
 * @param strictV117 whether to reproduce v1.17 even if it does not honor the file
 * @param warnings in order of discovery
 * @param rules compiled rules; their names are among {@code predicates} and {@code priorities}
 */
public record EffectivePolicy(
        String source,
        SortedMap<String, Origin> predicates,
        SortedMap<String, Long> priorities,
        SortedMap<String, Origin> priorityOrigins,
        PolicyArguments arguments,
        List<ExtenderConfig> extenders,
        Set<String> ignoredExtendedResources,
        boolean alwaysCheckAllPredicates,
        int policyHardPodAffinityWeight,
        int hardPodAffinityWeight,
        FeatureGates gates,
        boolean strictV117,
        List<Warning> warnings,
        RuleSet rules) {

    public EffectivePolicy {
        predicates = ImmutableSortedMap.copyOf(predicates);
        priorities = ImmutableSortedMap.copyOf(priorities);
        priorityOrigins = ImmutableSortedMap.copyOf(priorityOrigins);
        extenders = ImmutableList.copyOf(extenders);
        ignoredExtendedResources = ImmutableSet.copyOf(ignoredExtendedResources);
        warnings = ImmutableList.copyOf(warnings);
    }

    /**
     * The predicate of a key: a rule of this policy, or a built-in one.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public Predicate predicate(String key, AlgorithmRegistry registry, AlgorithmConfig config) {
        Predicate rule = rules.predicates().get(key);
        if (rule != null) {
            return rule;
        }
        boolean rejectsClaims = key.equals(KnownAlgorithms.DYNAMIC_RESOURCES) && !allocatesClaims();
        return registry.predicate(rejectsClaims ? KnownAlgorithms.NO_RESOURCE_CLAIMS : key, config);
    }

    /** Returns the number of predicates in the file and of mandatory ones: {@code 6 predicates and 2 added mandatory predicates}. */
    public String predicateCounts() {
        int mandatory = 0;
        int listed = 0;
        for (Origin origin : predicates.values()) {
            if (origin.kind() == Origin.Kind.MANDATORY) {
                mandatory++;
            } else {
                listed += Math.max(1, origin.positions().size());
            }
        }
        return listed
                + (listed == 1 ? " predicate" : " predicates")
                + (mandatory == 0
                        ? ""
                        : " and " + mandatory
                                + (mandatory == 1 ? " added mandatory predicate" : " added mandatory predicates"));
    }

    /** Whether devices are allocated for resource claims: if the file lists the predicate that does it. */
    public boolean allocatesClaims() {
        Origin origin = predicates.get(KnownAlgorithms.DYNAMIC_RESOURCES);
        return origin != null && origin.kind() == Origin.Kind.FILE;
    }

    /**
     * The priority of a key: a rule of this policy, or a built-in one.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public Priority priority(String key, AlgorithmRegistry registry, AlgorithmConfig config) {
        Priority rule = rules.priorities().get(key);
        if (rule != null) {
            return rule;
        }
        SeparateLabel separate = arguments.separate.get(key);
        return separate == null
                ? registry.priority(key, config)
                : new SeparatePriority(key, registry.priority(separate.algorithm, separate.only(config)));
    }

    /**
     * A labelPreference or serviceAntiAffinity entry that is a separate priority, because another entry has another weight.
     *
     * @param algorithm the built-in name of the algorithm
     * @param presence whether the label is preferred present; true for serviceAntiAffinity
     */
    public record SeparateLabel(String algorithm, String label, boolean presence) {
        private AlgorithmConfig only(AlgorithmConfig config) {
            boolean preference = algorithm.equals(KnownAlgorithms.NODE_LABEL);
            return new AlgorithmConfig(
                    config.presentLabels(),
                    config.absentLabels(),
                    config.affinityLabels(),
                    preference && presence ? List.of(label) : List.of(),
                    preference && !presence ? List.of(label) : List.of(),
                    preference ? List.of() : List.of(label),
                    config.ratioShape(),
                    config.ratioResources(),
                    config.ignoredResources(),
                    config.hardPodAffinityWeight(),
                    config.gates(),
                    config.environment(),
                    config.companions());
        }
    }

    /** An algorithm with the name of an entry. */
    private record SeparatePriority(String name, Priority algorithm) implements Priority {
        @Override
        public Scope scope() {
            return algorithm.scope();
        }

        @Override
        public long revision() {
            return algorithm.revision();
        }

        @Override
        public PodScorer start(PodContext context, List<NodeInfo> feasible) {
            return algorithm.start(context, feasible);
        }
    }

    /** A copy with one priority for all entries of a kind, whose labels count in proportion to their weights. */
    public EffectivePolicy withMergedLabels() {
        if (arguments.separate.isEmpty()) {
            return this;
        }
        SortedMap<String, Long> weights = new TreeMap<>(priorities);
        SortedMap<String, Origin> origins = new TreeMap<>(priorityOrigins);
        arguments.separate.forEach((key, label) -> {
            weights.merge(label.algorithm, priorities.getOrDefault(key, 0L), Long::sum);
            weights.remove(key);
            Origin origin = origins.remove(key);
            if (origin != null) {
                origins.merge(label.algorithm, origin, Origin::and);
            }
        });
        PolicyArguments merged = new PolicyArguments(
                arguments.presentLabels,
                arguments.absentLabels,
                arguments.affinityLabels,
                arguments.presentLabelsPreference,
                arguments.absentLabelsPreference,
                arguments.antiAffinityLabels,
                arguments.ratioShape,
                arguments.ratioResources,
                Map.of());
        return new EffectivePolicy(
                source,
                predicates,
                weights,
                origins,
                merged,
                extenders,
                ignoredExtendedResources,
                alwaysCheckAllPredicates,
                policyHardPodAffinityWeight,
                hardPodAffinityWeight,
                gates,
                strictV117,
                warnings,
                rules);
    }

    /** Predicate keys sorted by name. */
    public List<String> predicateKeys() {
        return ImmutableList.copyOf(predicates.keySet());
    }

    /**
     * Predicate keys in evaluation order: v1.17's list, then others by name. Excludes PodFitsPorts, which exists only in strict
     * mode and never runs.
     */
    public List<String> evaluationOrder() {
        List<String> order = new ArrayList<>();
        for (KnownAlgorithm known : KnownAlgorithms.predicateRows()) {
            if (predicates.containsKey(known.name()) && known.availability() != Availability.NEVER_RUN) {
                order.add(known.name());
            }
        }
        for (String key : predicates.keySet()) {
            if (KnownAlgorithms.predicateRow(key) == null) {
                order.add(key);
            }
        }
        return ImmutableList.copyOf(order);
    }

    /** The configuration of the algorithms. */
    public AlgorithmConfig algorithmConfig(UnaryOperator<String> environment) {
        return new AlgorithmConfig(
                arguments.presentLabels(),
                arguments.absentLabels(),
                arguments.affinityLabels(),
                arguments.presentLabelsPreference(),
                arguments.absentLabelsPreference(),
                arguments.antiAffinityLabels(),
                arguments.ratioShape().stream()
                        .map(point -> new AlgorithmConfig.ShapePoint(point.utilization(), point.score()))
                        .toList(),
                arguments.ratioResources(),
                ignoredExtendedResources,
                hardPodAffinityWeight,
                gates,
                environment,
                companions());
    }

    /** If the file does not list the predicate DynamicResources, another one runs instead, which rejects claims. */
    private Set<String> companions() {
        Set<String> names = new HashSet<>(Sets.union(predicates.keySet(), priorities.keySet()));
        if (!allocatesClaims() && names.remove(KnownAlgorithms.DYNAMIC_RESOURCES)) {
            names.add(KnownAlgorithms.NO_RESOURCE_CLAIMS);
        }
        return names;
    }

    /**
     * The merged arguments of all entries of a Policy, each list in file order with repetitions.
     *
     * @param ratioShape scores already on the scale 0 to 100; empty if there is no requestedToCapacityRatioArguments entry
     * @param ratioResources resource to weight in file order; empty if there is no such entry
     * @param separate labelPreference and serviceAntiAffinity entries that are separate priorities, by key; the lists of labels
     *     contain them, too
     */
    public record PolicyArguments(
            List<String> presentLabels,
            List<String> absentLabels,
            List<String> affinityLabels,
            List<String> presentLabelsPreference,
            List<String> absentLabelsPreference,
            List<String> antiAffinityLabels,
            List<PriorityArgument.ShapePoint> ratioShape,
            Map<String, Long> ratioResources,
            Map<String, SeparateLabel> separate) {

        public PolicyArguments {
            presentLabels = ImmutableList.copyOf(presentLabels);
            absentLabels = ImmutableList.copyOf(absentLabels);
            affinityLabels = ImmutableList.copyOf(affinityLabels);
            presentLabelsPreference = ImmutableList.copyOf(presentLabelsPreference);
            absentLabelsPreference = ImmutableList.copyOf(absentLabelsPreference);
            antiAffinityLabels = ImmutableList.copyOf(antiAffinityLabels);
            ratioShape = ImmutableList.copyOf(ratioShape);
            ratioResources = ImmutableMap.copyOf(ratioResources);
            separate = ImmutableMap.copyOf(separate);
        }
    }

    /**
     * The framework plugins of an effective policy, as v1.17's {@code default_registry.go} maps them.
     *
     * @param filters filter plugins in order, each once
     * @param scores score plugins and weights, in the order of the priority keys
     * @param pluginConfig plugin name to arguments, keys as in the JSON of v1.17
     * @param rawPredicates predicates without a plugin, sorted by name
     * @param startupFailure the error with which v1.17 exits when it builds this framework, null for none
     */
    public record PluginTranslation(
            List<String> filters,
            Map<String, Long> scores,
            Map<String, Map<String, Object>> pluginConfig,
            List<String> rawPredicates,
            @Nullable String startupFailure) {

        private static final String FAILURE = "error initializing the scheduling framework: ";

        /** Translates a policy; weights are truncated to 32 bits in strict mode only. */
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
            policy.priorities().forEach((priority, weight) -> {
                String plugin = KnownAlgorithms.scorePlugin(priority);
                if (!plugin.isEmpty()) {
                    scores.put(plugin, policy.strictV117() ? truncated(weight) : weight);
                }
            });
            return new PluginTranslation(
                    ImmutableList.copyOf(filters),
                    scores.buildOrThrow(),
                    config(policy),
                    rawPredicates.build(),
                    failure == null ? null : FAILURE + failure);
        }

        /** Score plugins as {@code NAME=WEIGHT}. */
        public List<String> scoreList() {
            return scores.entrySet().stream()
                    .map(score -> score.getKey() + "=" + score.getValue())
                    .toList();
        }

        /** The low 32 bits of a weight; 0 becomes 1. */
        static long truncated(long weight) {
            int low = (int) weight;
            return low == 0 ? 1 : low;
        }

        /** The error of the NodeLabel plugin for its arguments, null if they are valid. */
        static @Nullable String labelConflict(PolicyArguments arguments) {
            String conflict = conflict(arguments.presentLabels(), arguments.absentLabels());
            return conflict == null
                    ? conflict(arguments.presentLabelsPreference(), arguments.absentLabelsPreference())
                    : conflict;
        }

        private static @Nullable String conflict(List<String> present, List<String> absent) {
            Set<String> required = new HashSet<>(present);
            for (String label : absent) {
                if (required.contains(label)) {
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

    /**
     * The rules of one policy, by their name in it. Immutable.
     *
     * @param predicates predicate rules, sorted by name
     * @param priorities priority rules, sorted by name
     * @param failures counts failures at run time
     * @param tables the tables that they read
     */
    public record RuleSet(
            SortedMap<String, RulePredicate> predicates,
            SortedMap<String, RulePriority> priorities,
            RuleFailures failures,
            RuleTables tables) {
        public RuleSet {
            predicates = Collections.unmodifiableSortedMap(new TreeMap<>(predicates));
            priorities = Collections.unmodifiableSortedMap(new TreeMap<>(priorities));
        }

        /** Returns whether a rule reads annotations of pods, so that readers of pods must keep them. */
        public boolean readsPodAnnotations() {
            return predicates.values().stream().anyMatch(RulePredicate::readsPodAnnotations)
                    || priorities.values().stream().anyMatch(RulePriority::readsPodAnnotations);
        }

        /** True if there are none. */
        public boolean isEmpty() {
            return predicates.isEmpty() && priorities.isEmpty();
        }

        /** No rules. */
        public static RuleSet none() {
            return new RuleSet(
                    new TreeMap<>(), new TreeMap<>(), new RuleFailures(Clock.systemUTC()), RuleTables.none());
        }
    }
}
