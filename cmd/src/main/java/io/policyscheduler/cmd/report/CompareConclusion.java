package io.policyscheduler.cmd.report;

import io.policyscheduler.framework.insight.compare.Agreement;
import io.policyscheduler.framework.insight.compare.Cause;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.PairSummary;
import io.policyscheduler.framework.insight.compare.PodComparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a comparison comes to, in sentences. */
public final class CompareConclusion {
    private CompareConclusion() {}

    /**
     * A sentence for each way of deciding but the reference, such as {@code Of 41 pods 30 would go elsewhere; 28 of these because
     * of NodeLabel filter, which modern has no counterpart for; nothing becomes unschedulable.}
     */
    public static List<String> of(CompareReport report) {
        List<String> sentences = new ArrayList<>();
        for (int i = 0; i < report.pairs().size(); i++) {
            PairSummary pair = report.pairs().get(i);
            String subject = report.pairs().size() == 1 ? "" : "With " + pair.other() + ": ";
            sentences.add(subject + sentence(report, i, pair));
        }
        return sentences;
    }

    private static String sentence(CompareReport report, int index, PairSummary pair) {
        int differing = pair.pods() - pair.agreeing();
        if (pair.pods() == 0) {
            return "There was no pod to be decided.";
        }
        if (differing == 0) {
            return pair.pods() == 1 ? "Both agree about the pod." : "Both agree about all " + pair.pods() + " pods.";
        }
        List<String> parts = new ArrayList<>();
        add(parts, pair.count(Agreement.DIFFERENT), "would go elsewhere", "would go elsewhere");
        add(parts, pair.count(Agreement.ONLY_OTHER), "fits only then", "fit only then");
        add(parts, pair.count(Agreement.ERROR), "ends with an error in one", "end with an error in one");
        int lost = pair.count(Agreement.ONLY_REFERENCE);
        String becomes = lost == 1 ? " becomes unschedulable" : " become unschedulable";
        return "Of " + pair.pods() + (pair.pods() == 1 ? " pod " : " pods ")
                + (parts.isEmpty() ? lost + becomes : String.join(" and ", parts))
                + because(report, index, differing)
                + (parts.isEmpty() ? "" : "; " + (lost == 0 ? "nothing becomes unschedulable" : lost + becomes))
                + ".";
    }

    private static void add(List<String> parts, int count, String one, String several) {
        if (count > 0) {
            parts.add(count + " " + (count == 1 ? one : several));
        }
    }

    /** The cause that counts for most of the pods that differ. */
    private static String because(CompareReport report, int index, int differing) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        Set<String> withCounterpart = new LinkedHashSet<>();
        for (PodComparison pod : report.pods()) {
            Set<String> labels = new LinkedHashSet<>();
            for (Cause cause : pod.differences().get(index).causes()) {
                labels.add(cause.label());
                if (cause.concept() == null || !cause.other().isEmpty()) {
                    withCounterpart.add(cause.label());
                }
            }
            labels.forEach(label -> counts.merge(label, 1, Integer::sum));
        }
        String other = report.pairs().get(index).other();
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most ->
                        (most.getValue() == differing ? ", " : "; " + most.getValue() + " of these ") + "because of "
                                + most.getKey()
                                + (withCounterpart.contains(most.getKey())
                                        ? ""
                                        : ", which " + other + " has no counterpart for"))
                .orElse("");
    }
}
