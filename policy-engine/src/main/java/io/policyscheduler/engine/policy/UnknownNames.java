package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.policy.historic.HistoricName;
import io.policyscheduler.engine.policy.historic.HistoricNames;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Words the problem of a name that v1.17, or no release, knows, with what to write instead. */
final class UnknownNames {
    private static final String CONDITIONS =
            "removed before 1.17, because node conditions became taints; remove the line";
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
            "never registered in 1.17, because PodToleratesNodeTaints covers it; remove the line");
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
    static Problem problem(boolean predicate, String name, boolean strict, String file, SourcePosition position) {
        String advice = predicate ? predicateAdvice(name) : priorityAdvice(name);
        String message = message(predicate, name) + (advice == null ? "" : "; " + advice);
        Problem problem = Problem.at(PolicyProblemCode.UNKNOWN_ALGORITHM, message, file, position, name);
        if (advice != null) {
            return problem;
        }
        return problem.suggesting(predicate ? predicateFor(name, strict) : priorityFor(name, strict));
    }

    private static @Nullable String predicateAdvice(String name) {
        String removed = REMOVED.get(name);
        return removed == null ? advice(KnownAlgorithms.predicateRow(name), "an entry with a ") : removed;
    }

    private static @Nullable String priorityAdvice(String name) {
        return name.equals("ServiceAntiAffinity")
                ? "needs a serviceAntiAffinity argument"
                : advice(KnownAlgorithms.priorityRow(name), "an earlier entry with a ");
    }

    /** What it takes to get an algorithm that v1.17 has, but not for a plain entry. */
    private static @Nullable String advice(@Nullable KnownAlgorithm row, String entry) {
        if (row == null) {
            return null;
        }
        if (!row.argument().isEmpty()) {
            return "needs " + entry + row.argument() + " argument";
        }
        return row.gate().isEmpty() ? null : "needs the feature gate " + row.gate() + "=true";
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
        for (KnownAlgorithm known : KnownAlgorithms.priorityRows()) {
            if (known.plugin().equals(name)) {
                return known.name();
            }
        }
        return nearest(name, KnownAlgorithms.priorities(), HistoricName.Kind.PRIORITY, strict);
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
