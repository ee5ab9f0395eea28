package io.policyscheduler.framework.insight.explain;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What would make a pod fit.
 *
 * @param fits nodes with what has to change there, the fewest changes first; each was applied and the pod placed
 * @param unknown nodes for which no way is known, with what is in the way
 * @param notTried how many nodes were left out because they need more changes than others, or are too many to try
 */
public record NearestFits(List<Fit> fits, SortedMap<String, List<Obstacle>> unknown, int notTried) {
    /**
     * A node on which the pod fits after some changes.
     *
     * @param lifts none can be left out
     */
    public record Fit(String node, List<Lift> lifts) {
        public Fit {
            lifts = List.copyOf(lifts);
        }

        /** What is then. */
        public Situation apply(Situation before) {
            return NearestFits.apply(lifts, before);
        }

        double effort() {
            return NearestFits.effort(lifts);
        }
    }

    public NearestFits {
        fits = List.copyOf(fits);
        unknown = Collections.unmodifiableSortedMap(new TreeMap<>(unknown));
    }

    /**
     * The node that comes closest if each node is too small for the pod even when it is empty; empty if a node is large enough, or if
     * other changes are needed that do not concern resources.
     */
    public Optional<Fit> tooSmall() {
        boolean all = !fits.isEmpty()
                && unknown.isEmpty()
                && fits.stream().allMatch(fit -> fit.lifts().stream().anyMatch(Lift::exceedsNode));
        return all ? fits.stream().min(Comparator.comparingDouble(NearestFits::excess)) : Optional.empty();
    }

    private static double excess(Fit fit) {
        return fit.lifts().stream()
                .filter(Lift::exceedsNode)
                .mapToDouble(Lift::effort)
                .sum();
    }

    /** Fits by what has to change, in words, in the order of {@link #fits}. */
    public Map<List<String>, List<Fit>> groups() {
        Map<List<String>, List<Fit>> groups = new LinkedHashMap<>();
        for (Fit fit : fits) {
            groups.computeIfAbsent(fit.lifts().stream().map(Lift::text).toList(), key -> new ArrayList<>())
                    .add(fit);
        }
        return groups;
    }

    static Situation apply(List<Lift> lifts, Situation before) {
        Situation after = before;
        for (Lift lift : lifts) {
            after = lift.apply(after);
        }
        return after;
    }

    static double effort(List<Lift> lifts) {
        return lifts.stream().mapToDouble(Lift::effort).sum();
    }
}
