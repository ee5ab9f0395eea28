package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithm.Availability;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.rules.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.UnaryOperator;

/**
 * A policy or provider after defaults, feature gates, and arguments are applied. Immutable.
 *
 * @param source name of the file, or of the provider
 * @param predicates predicate key to why it is there, sorted by name, the mandatory ones included
 * @param priorities priority key to weight, sorted by name
 * @param priorityOrigins why each priority is there, with the keys of {@code priorities}
 * @param arguments merged arguments of all entries
 * @param extenders non-ignorable ones first, otherwise in file order
 * @param ignoredExtendedResources resources that only extenders account for
 * @param alwaysCheckAllPredicates as the file says; v1.17 ignores it when predicates run as plugins
 * @param policyHardPodAffinityWeight value of the file, 0 if not given
 * @param hardPodAffinityWeight the weight to use, 1 to 100: in strict mode the flag's, else the file's if given
 * @param gates gates, and the release whose rules hold: v1.17 in strict mode
 * @param strictV117 reproduce v1.17 also where it does not do what the file says
 * @param warnings traps in the file, in order of discovery
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

    /** A policy without rules. */
    public EffectivePolicy(
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
            List<Warning> warnings) {
        this(
                source,
                predicates,
                priorities,
                priorityOrigins,
                arguments,
                extenders,
                ignoredExtendedResources,
                alwaysCheckAllPredicates,
                policyHardPodAffinityWeight,
                hardPodAffinityWeight,
                gates,
                strictV117,
                warnings,
                RuleSet.none());
    }

    /**
     * The predicate of a key: a rule of this policy, or one of the program's.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public Predicate predicate(String key, AlgorithmRegistry registry, AlgorithmConfig config) {
        Predicate rule = rules.predicates().get(key);
        if (rule != null) {
            return rule;
        }
        boolean refusesClaims = key.equals(KnownAlgorithms.DYNAMIC_RESOURCES) && !allocatesClaims();
        return registry.predicate(refusesClaims ? KnownAlgorithms.NO_RESOURCE_CLAIMS : key, config);
    }

    /** Whether pods get the devices that they ask for by resource claims: when the file names the predicate that does it. */
    public boolean allocatesClaims() {
        Origin origin = predicates.get(KnownAlgorithms.DYNAMIC_RESOURCES);
        return origin != null && origin.kind() == Origin.Kind.FILE;
    }

    /**
     * The priority of a key: a rule of this policy, or one of the program's.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public Priority priority(String key, AlgorithmRegistry registry, AlgorithmConfig config) {
        Priority rule = rules.priorities().get(key);
        return rule == null ? registry.priority(key, config) : rule;
    }

    /** Predicate keys sorted by name. */
    public List<String> predicateKeys() {
        return ImmutableList.copyOf(predicates.keySet());
    }

    /**
     * Predicate keys in the order in which they are evaluated: v1.17's list, then others by name. PodFitsPorts, which
     * only stays in strict mode, is not among them because it never runs.
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

    /** What the algorithms are built with. */
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
                Sets.union(predicates.keySet(), priorities.keySet()));
    }

    /**
     * The merged arguments of all entries of a Policy, each list in file order with repetitions.
     *
     * @param ratioShape scores already on the scale 0 to 100; empty if there is no requestedToCapacityRatioArguments entry
     * @param ratioResources resource to weight in file order; empty if there is no such entry
     */
    public record PolicyArguments(
            List<String> presentLabels,
            List<String> absentLabels,
            List<String> affinityLabels,
            List<String> presentLabelsPreference,
            List<String> absentLabelsPreference,
            List<String> antiAffinityLabels,
            List<PriorityArgument.ShapePoint> ratioShape,
            Map<String, Long> ratioResources) {

        public PolicyArguments {
            presentLabels = ImmutableList.copyOf(presentLabels);
            absentLabels = ImmutableList.copyOf(absentLabels);
            affinityLabels = ImmutableList.copyOf(affinityLabels);
            presentLabelsPreference = ImmutableList.copyOf(presentLabelsPreference);
            absentLabelsPreference = ImmutableList.copyOf(absentLabelsPreference);
            antiAffinityLabels = ImmutableList.copyOf(antiAffinityLabels);
            ratioShape = ImmutableList.copyOf(ratioShape);
            ratioResources = ImmutableMap.copyOf(ratioResources);
        }
    }
}
