package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableMap;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts findings: how often a decider agrees with another scheduler, and what it is that they disagree about. */
public final class ShadowTally {
    private final Map<ShadowFinding.Kind, Integer> kinds = new EnumMap<>(ShadowFinding.Kind.class);
    private final Map<String, Integer> causes = new TreeMap<>();
    private int judged;

    /** Counts one more; a difference counts for the algorithm with the largest share in it. */
    public void add(ShadowFinding finding) {
        judged++;
        kinds.merge(finding.kind(), 1, Integer::sum);
        if (!finding.agrees() && !finding.algorithms().isEmpty()) {
            causes.merge(finding.algorithms().get(0), 1, Integer::sum);
        }
    }

    /** How many were counted. */
    public int judged() {
        return judged;
    }

    /** How many of a kind. */
    public int of(ShadowFinding.Kind kind) {
        return kinds.getOrDefault(kind, 0);
    }

    /** Share of placements agreed with, in percent of those that could be decided; 100 when there was none. */
    public double agreement() {
        int decided = judged - of(ShadowFinding.Kind.UNDECIDED);
        return decided == 0 ? 100 : 100.0 * of(ShadowFinding.Kind.SAME) / decided;
    }

    /** Algorithm to number of differences that it has the largest share in, the most frequent first. */
    public Map<String, Integer> causes() {
        Map<String, Integer> sorted = new LinkedHashMap<>();
        causes.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        return ImmutableMap.copyOf(sorted);
    }
}
