package io.policyscheduler.framework.insight.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts how another way of deciding relates to the reference, pod by pod. */
final class PairTally {
    private static final int EXAMPLES = 5;

    private final String reference;
    private final String other;
    private final Map<Agreement, Integer> counts = new EnumMap<>(Agreement.class);
    private final Map<String, Group> groups = new LinkedHashMap<>();
    private final List<String> noLongerFit = new ArrayList<>();
    private final List<String> otherReasons = new ArrayList<>();

    private static final class Group {
        private final Difference first;
        private final List<String> examples = new ArrayList<>();
        private int pods;

        Group(Difference first) {
            this.first = first;
        }
    }

    PairTally(String reference, String other) {
        this.reference = reference;
        this.other = other;
        for (Agreement agreement : Agreement.values()) {
            counts.put(agreement, 0);
        }
    }

    /**
     * Counts a pod.
     *
     * @return true when it is the first one with its cause
     */
    boolean add(String pod, Difference difference) {
        counts.merge(difference.agreement(), 1, Integer::sum);
        if (difference.agreement() == Agreement.ONLY_REFERENCE) {
            noLongerFit.add(pod);
        }
        if (difference.otherReasons()) {
            otherReasons.add(pod);
        }
        if (difference.agreement().agrees()) {
            return false;
        }
        Group group = groups.computeIfAbsent(difference.label(), label -> new Group(difference));
        group.pods++;
        if (group.examples.size() < EXAMPLES) {
            group.examples.add(pod);
        }
        return group.pods == 1;
    }

    PairSummary summary() {
        List<PairSummary.CauseGroup> all = new ArrayList<>();
        groups.forEach((cause, group) -> all.add(
                new PairSummary.CauseGroup(cause, group.pods, group.examples, group.first.text(), group.first.note())));
        all.sort(Comparator.comparingInt(PairSummary.CauseGroup::pods)
                .reversed()
                .thenComparing(PairSummary.CauseGroup::cause));
        return new PairSummary(reference, other, counts, all, noLongerFit, otherReasons);
    }
}
