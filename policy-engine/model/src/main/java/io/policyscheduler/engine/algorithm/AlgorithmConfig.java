package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The configuration of algorithms: the merged arguments of the policy's entries, feature gates, and options.
 *
 * @param presentLabels labels a node must have (labelsPresence, presence true)
 * @param absentLabels labels a node must not have
 * @param affinityLabels labels of serviceAffinity
 * @param preferPresentLabels labels preferred present (labelPreference)
 * @param preferAbsentLabels labels preferred absent
 * @param antiAffinityLabels labels of serviceAntiAffinity
 * @param ratioShape points of requestedToCapacityRatioArguments, scores on the scale 0..100; empty when not configured
 * @param ratioResources resource to weight in policy order; empty = cpu 1, memory 1
 * @param ignoredResources extended resources that only an extender checks
 * @param hardPodAffinityWeight weight of existing pods' required affinity, 1..100
 * @param gates feature gates, and the release whose rules apply
 * @param environment reads an environment variable; the empty string if unset
 * @param companions names of all predicates and priorities that run together; empty if unknown
 */
public record AlgorithmConfig(
        List<String> presentLabels,
        List<String> absentLabels,
        List<String> affinityLabels,
        List<String> preferPresentLabels,
        List<String> preferAbsentLabels,
        List<String> antiAffinityLabels,
        List<ShapePoint> ratioShape,
        Map<String, Long> ratioResources,
        Set<String> ignoredResources,
        int hardPodAffinityWeight,
        FeatureGates gates,
        UnaryOperator<String> environment,
        Set<String> companions) {
    /** A point of a utilization shape, both 0..100. */
    public record ShapePoint(int utilization, int score) {}

    public AlgorithmConfig {
        presentLabels = List.copyOf(presentLabels);
        absentLabels = List.copyOf(absentLabels);
        affinityLabels = List.copyOf(affinityLabels);
        preferPresentLabels = List.copyOf(preferPresentLabels);
        preferAbsentLabels = List.copyOf(preferAbsentLabels);
        antiAffinityLabels = List.copyOf(antiAffinityLabels);
        ratioShape = List.copyOf(ratioShape);
        ratioResources = Collections.unmodifiableMap(new LinkedHashMap<>(ratioResources));
        ignoredResources = Set.copyOf(ignoredResources);
        companions = Set.copyOf(companions);
    }

    /** No arguments, gates as 1.17 has them, an empty environment. */
    public static AlgorithmConfig defaults() {
        return of(FeatureGates.defaults());
    }

    /** No arguments, these gates, an empty environment. */
    public static AlgorithmConfig of(FeatureGates gates) {
        return new AlgorithmConfig(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                Set.of(),
                1,
                gates,
                name -> "",
                Set.of());
    }
}
