package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.Suggestions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Words the problem of a name that v1.17, or no release, knows, with what to write instead. */
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
    /** Names of another time, and those that documents have in place of the ones that releases took. */
    private static final ImmutableMap<String, String> OTHER_PREDICATES = ImmutableMap.of(
            "MaxCSIVolumeCount", "MaxCSIVolumeCountPred",
            "CheckCSIVolumeAttachLimit", "MaxCSIVolumeCountPred",
            "NoVolumeNodeConflict", "CheckVolumeBinding",
            "CheckVolumeNodePredicate", "CheckVolumeBinding",
            "PodFitsHost", "HostName",
            "PodMatchNodeSelector", "MatchNodeSelector",
            "PodSelectorMatches", "MatchNodeSelector");

    private UnknownNames() {}

    static String message(boolean predicate, String name) {
        return "Invalid configuration: " + (predicate ? "Predicate" : "Priority") + " type not found for " + name;
    }

    /** @param strict suggest names of v1.17 only */
    static PolicyProblem problem(boolean predicate, String name, boolean strict, String file, SourcePosition position) {
        String advice = (predicate ? REMOVED : NOT_YET).get(name);
        String message = message(predicate, name) + (advice == null ? "" : "; " + advice);
        PolicyProblem problem = PolicyProblem.at(PolicyProblem.UNKNOWN_ALGORITHM, message, file, position, name);
        if (advice != null) {
            return problem;
        }
        return problem.suggesting(predicate ? predicateFor(name, strict) : priorityFor(name, strict));
    }

    private static @Nullable String predicateFor(String name, boolean strict) {
        String renamed = OTHER_PREDICATES.get(name);
        for (String known : KnownAlgorithms.predicates()) {
            if (renamed == null && KnownAlgorithms.filterPlugins(known).equals(List.of(name))) {
                renamed = known;
            }
        }
        return renamed == null
                ? nearest(name, KnownAlgorithms.predicates(), HistoricName.Kind.PREDICATE, strict)
                : renamed;
    }

    private static @Nullable String priorityFor(String name, boolean strict) {
        for (Map.Entry<String, String> plugin : KnownAlgorithms.scorePlugins().entrySet()) {
            if (plugin.getValue().equals(name)) {
                return plugin.getKey();
            }
        }
        return nearest(name, KnownAlgorithms.priorityWeights().keySet(), HistoricName.Kind.PRIORITY, strict);
    }

    private static @Nullable String nearest(String name, Set<String> known, HistoricName.Kind kind, boolean strict) {
        Set<String> names = new LinkedHashSet<>(known);
        if (!strict) {
            HistoricNames.all().stream()
                    .filter(historic -> historic.kind() == kind)
                    .map(HistoricName::name)
                    .forEach(names::add);
        }
        return Suggestions.nearest(name, names);
    }
}
