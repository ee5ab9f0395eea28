package io.policyscheduler.cmd.report;

import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The answer of a comparison in one or two sentences, and its causes by number of pods, for text, HTML, and Markdown. */
public final class CompareConclusion {
    /** What to do if no cause is found. */
    static final String UNKNOWN_CAUSE = "compare the scores of one pod with --details";

    private static final int MOST_NODES = 2;

    private CompareConclusion() {}

    /**
     * One algorithm that makes schedulers differ.
     *
     * @param title its names as the user knows them, and what it is: {@code NodeLabel filter (InAZone, NotRetiring)}
     * @param pods how many pods differ because of it, alone or together with others
     * @param nodes the nodes that it rejects, for a filter, by number of pods
     * @param first the first cause of this kind
     */
    record Ranked(String title, int pods, List<String> nodes, Cause first) {
        Ranked {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * Returns two or three sentences for each scheduler but the reference, such as {@code policy.json and modern: 29 of 41 pods move, 1
     * becomes schedulable.} and {@code Main cause: NodeLabel filter (InAZone) rejects node-d1 and node-c4 (28 pods).}
     */
    public static List<String> of(CompareReport report) {
        List<String> sentences = new ArrayList<>();
        for (int i = 0; i < report.pairs().size(); i++) {
            sentences.addAll(of(report, i));
        }
        return sentences;
    }

    /** The sentences of one pair: the answer, and the main cause if there is one. */
    static List<String> of(CompareReport report, int index) {
        List<String> sentences = new ArrayList<>();
        PairSummary pair = report.pairs().get(index);
        sentences.add(
                SchedulerNames.of(report, 0) + " and " + SchedulerNames.of(report, index + 1) + ": " + answer(pair));
        mainCause(report, index).ifPresent(sentences::add);
        rest(pair).ifPresent(sentences::add);
        return sentences;
    }

    /** The causes of a pair, the one with the most pods first; filters before scores. */
    static List<Ranked> causes(CompareReport report, int index) {
        Map<String, Integer> pods = new LinkedHashMap<>();
        Map<String, Cause> first = new LinkedHashMap<>();
        Map<String, Map<String, Integer>> nodes = new LinkedHashMap<>();
        for (PodComparison pod : report.pods()) {
            Set<String> labels = new LinkedHashSet<>();
            for (Cause cause : pod.differences().get(index).causes()) {
                labels.add(cause.label());
                first.putIfAbsent(cause.label(), cause);
                if (!cause.node().isEmpty()) {
                    nodes.computeIfAbsent(cause.label(), label -> new LinkedHashMap<>())
                            .merge(cause.node(), 1, Integer::sum);
                }
            }
            labels.forEach(label -> pods.merge(label, 1, Integer::sum));
        }
        List<Ranked> ranked = new ArrayList<>();
        pods.forEach((label, count) -> {
            Cause cause = first.get(label);
            if (cause != null) {
                ranked.add(new Ranked(
                        SchedulerNames.title(report, index, cause), count, byCount(nodes.get(label)), cause));
            }
        });
        ranked.sort(Comparator.comparing((Ranked cause) -> cause.nodes().isEmpty())
                .thenComparing(Comparator.comparing(Ranked::pods).reversed()));
        return ranked;
    }

    /** Returns what to do about a cause, in a few words. */
    static String advice(Cause cause, String reference, String other) {
        String missing = cause.other().isEmpty() ? other : cause.reference().isEmpty() ? reference : "";
        return switch (cause.kind()) {
            case FILTER ->
                missing.isEmpty()
                        ? "filters differ: see --details"
                        : "not in " + missing + ": add a filter, or accept the move";
            case ERROR, CHECK -> "fix the error: see --details";
            case ONE_SIDED ->
                missing.isEmpty()
                        ? "one of both does not score these pods"
                        : "not in " + missing + ": add a score, or accept the move";
            case WEIGHT ->
                cause.weight() == null
                        ? "make the weights equal"
                        : "set the weight of " + cause.weight().algorithm() + " to "
                                + cause.weight().to();
            case FORMULA -> "formulas differ: see --details";
            case EARLIER_PLACEMENTS -> "none: follows from other pods";
        };
    }

    private static List<String> byCount(@Nullable Map<String, Integer> counts) {
        return counts == null
                ? List.of()
                : counts.entrySet().stream()
                        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                        .map(Map.Entry::getKey)
                        .toList();
    }

    private static Optional<String> mainCause(CompareReport report, int index) {
        return causes(report, index).stream()
                .findFirst()
                .map(cause -> "Main cause: " + cause.title()
                        + (cause.nodes().isEmpty() ? "" : " rejects " + some(cause.nodes())) + " ("
                        + count(cause.pods(), "pod", "pods") + ").");
    }

    static String some(List<String> nodes) {
        List<String> shown = nodes.subList(0, Math.min(MOST_NODES, nodes.size()));
        int more = nodes.size() - shown.size();
        return String.join(more == 0 ? " and " : ", ", shown)
                + (more == 0 ? "" : ", and " + count(more, "other node", "other nodes"));
    }

    private static String answer(PairSummary pair) {
        int differing = pair.pods() - pair.agreeing();
        if (pair.pods() == 0) {
            return "there are no pods to compare.";
        }
        List<String> changes = new ArrayList<>();
        add(changes, pair.count(Agreement.DIFFERENT), "moves", "move");
        add(changes, pair.count(Agreement.ONLY_REFERENCE), "becomes unschedulable", "become unschedulable");
        add(changes, pair.count(Agreement.ONLY_OTHER), "becomes schedulable", "become schedulable");
        add(changes, pair.count(Agreement.ERROR), "fails with an error in one", "fail with an error in one");
        if (differing == 0) {
            return "no pod moves; the decisions agree for "
                    + (pair.pods() == 1 ? "the pod" : "all " + pair.pods() + " pods") + ".";
        }
        String first = changes.get(0);
        int space = first.indexOf(' ');
        changes.set(0, first.substring(0, space) + " of " + count(pair.pods(), "pod", "pods") + first.substring(space));
        return String.join(", ", changes) + ".";
    }

    /** What happens to the pods that do not change. */
    private static Optional<String> rest(PairSummary pair) {
        List<String> rest = new ArrayList<>();
        add(rest, pair.count(Agreement.SAME), "pod stays", "pods stay");
        add(rest, pair.count(Agreement.TIE), "may stay (several nodes are best)", "may stay (several nodes are best)");
        int other = pair.otherReasons().size();
        String reasons = other == 0 ? "" : " (" + other + " for other reasons)";
        add(
                rest,
                pair.count(Agreement.NEITHER),
                "is unschedulable with both" + reasons,
                "are unschedulable with both" + reasons);
        return rest.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", rest) + ".");
    }

    private static void add(List<String> parts, int count, String one, String several) {
        if (count > 0) {
            parts.add(count + " " + (count == 1 ? one : several));
        }
    }

    private static String count(int count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }
}
