package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Suggestions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Words the problem of a name that v1.17 does not know, with what to write instead. */
final class UnknownNames {
    private static final String CONDITIONS = "removed before 1.17: node conditions are taints now; drop the line";
    private static final ImmutableMap<String, String> REMOVED = ImmutableMap.of(
            "CheckNodeCondition",
            CONDITIONS,
            "CheckNodeMemoryPressure",
            CONDITIONS,
            "CheckNodeDiskPressure",
            CONDITIONS,
            "CheckNodePIDPressure",
            CONDITIONS,
            "PodToleratesNodeNoExecuteTaints",
            "never registered in 1.17: PodToleratesNodeTaints covers it; drop the line",
            KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE,
            "needs an entry with a labelsPresence argument",
            KnownAlgorithms.CHECK_SERVICE_AFFINITY,
            "needs an entry with a serviceAffinity argument",
            KnownAlgorithms.EVEN_PODS_SPREAD,
            "needs the feature gate EvenPodsSpread=true");
    private static final ImmutableMap<String, String> NOT_YET = ImmutableMap.of(
            KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY,
            "needs the feature gate EvenPodsSpread=true",
            KnownAlgorithms.RESOURCE_LIMITS_PRIORITY,
            "needs the feature gate ResourceLimitsPriorityFunction=true",
            KnownAlgorithms.NODE_LABEL,
            "needs an earlier entry with a labelPreference argument",
            KnownAlgorithms.SERVICE_AFFINITY,
            "needs an earlier entry with a serviceAntiAffinity argument",
            "ServiceAntiAffinity",
            "needs a serviceAntiAffinity argument",
            KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO,
            "needs an earlier entry with a requestedToCapacityRatioArguments argument");
    private static final ImmutableMap<String, String> OLD_PREDICATES = ImmutableMap.of(
            "MaxCSIVolumeCount", "MaxCSIVolumeCountPred",
            "CheckCSIVolumeAttachLimit", "MaxCSIVolumeCountPred",
            "NoVolumeNodeConflict", "CheckVolumeBinding",
            "CheckVolumeNodePredicate", "CheckVolumeBinding");

    private UnknownNames() {}

    static String message(boolean predicate, String name) {
        return "Invalid configuration: " + (predicate ? "Predicate" : "Priority") + " type not found for " + name;
    }

    static PolicyProblem problem(boolean predicate, String name, String file, SourcePosition position) {
        String advice = (predicate ? REMOVED : NOT_YET).get(name);
        String message = message(predicate, name) + (advice == null ? "" : "; " + advice);
        PolicyProblem problem = PolicyProblem.at(PolicyProblem.UNKNOWN_ALGORITHM, message, file, position, name);
        if (advice != null) {
            return problem;
        }
        return problem.suggesting(predicate ? predicateFor(name) : priorityFor(name));
    }

    private static @Nullable String predicateFor(String name) {
        String renamed = OLD_PREDICATES.get(name);
        for (String known : KnownAlgorithms.predicates()) {
            if (renamed == null && KnownAlgorithms.filterPlugins(known).equals(List.of(name))) {
                renamed = known;
            }
        }
        return renamed == null ? Suggestions.nearest(name, KnownAlgorithms.predicates()) : renamed;
    }

    private static @Nullable String priorityFor(String name) {
        for (Map.Entry<String, String> plugin : KnownAlgorithms.scorePlugins().entrySet()) {
            if (plugin.getValue().equals(name)) {
                return plugin.getKey();
            }
        }
        return Suggestions.nearest(name, KnownAlgorithms.priorityWeights().keySet());
    }
}
