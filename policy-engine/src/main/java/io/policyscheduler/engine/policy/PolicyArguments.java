package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;

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
