package io.policyscheduler.cmd.report;

import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The text of {@code compare}: first the answer, then the causes by number of pods, one line for each differing pod, and the load of the
 * cluster.
 */
public final class CompareText {
    /** A note below utilizations above 100 percent. */
    public static final String OVERCOMMITTED =
            "(above 100%: the requests of the pods exceed the node, because the pods were bound without a scheduler,"
                    + " the node became smaller, or the policy does not check resources)";

    private static final String EMPTIED = "EMPTIED NODES";
    private static final int EMPTIED_SHOWN = 10;

    private final CompareReport report;
    private final boolean details;
    private final int limit;

    /**
     * @param details whether the nodes of detailed pods are shown
     * @param limit how many differing pods are shown; 0 for all
     */
    public CompareText(CompareReport report, boolean details, int limit) {
        this.report = report;
        this.details = details;
        this.limit = limit;
    }

    /** Prints the answer, the causes, the differing pods, and the load of the cluster. */
    public void print(PrintWriter out, double seconds) {
        for (int i = 0; i < report.pairs().size(); i++) {
            print(out, i);
        }
        if (details) {
            report.pods().forEach(pod -> printSheets(out, pod));
        }
        printClusters(out);
        out.println();
        out.println(report.pods().size() + (report.pods().size() == 1 ? " pod" : " pods") + " compared"
                + (report.skipped() == 0
                        ? ""
                        : ", " + report.skipped() + (report.skipped() == 1 ? " running pod" : " running pods")
                                + " skipped (static, or being deleted)")
                + String.format(Locale.ROOT, ", %.1f s", seconds));
    }

    private void print(PrintWriter out, int index) {
        PairSummary pair = report.pairs().get(index);
        List<String> names = SchedulerNames.of(
                report.schedulers().stream().map(SchedulerSpec::name).toList());
        String reference = names.get(0);
        String other = names.get(index + 1);
        List<String> answer = CompareConclusion.of(report, index);
        TerminalWriter.println(out, verdict(pair), answer.get(0));
        answer.subList(1, answer.size()).forEach(out::println);
        out.println();
        printCauses(out, index, reference, other);
        printPods(out, index, reference, other);
    }

    private void printCauses(PrintWriter out, int index, String reference, String other) {
        TextTable causes = new TextTable().text("CAUSE").number("PODS").text("WHAT TO DO");
        for (CompareConclusion.Ranked cause : CompareConclusion.causes(report, index)) {
            causes.row(cause.title(), cause.pods(), CompareConclusion.advice(cause.first(), report, index));
        }
        int unknown = report.pairs().get(index).withoutCause();
        if (unknown > 0) {
            causes.row(Difference.NOT_FOUND, unknown, CompareConclusion.UNKNOWN_CAUSE);
        }
        if (!causes.isEmpty()) {
            causes.print(out);
            PairSummary pair = report.pairs().get(index);
            int counted = CompareConclusion.causes(report, index).stream()
                    .mapToInt(CompareConclusion.Ranked::pods)
                    .sum();
            if (counted > pair.pods() - pair.agreeing()) {
                out.println("(A pod with several causes counts for each of them.)");
            }
            out.println();
        }
        if (details) {
            for (CompareConclusion.Ranked cause : CompareConclusion.causes(report, index)) {
                if (!cause.first().note().isEmpty()) {
                    out.println(cause.title() + ": " + cause.first().note());
                    out.println();
                }
            }
        }
    }

    private void printPods(PrintWriter out, int index, String reference, String other) {
        TextTable pods = new TextTable()
                .text("POD")
                .text(reference.toUpperCase(Locale.ROOT))
                .text(other.toUpperCase(Locale.ROOT))
                .text("CAUSE");
        PairSummary pair = report.pairs().get(index);
        int shown = 0;
        int differing = pair.pods() - pair.agreeing();
        for (PodComparison pod : report.pods()) {
            Difference difference = pod.differences().get(index);
            if (difference.agreement().agrees() || (limit > 0 && shown >= limit)) {
                continue;
            }
            shown++;
            pods.row(
                    pod.pod(),
                    node(pod.results().get(0)),
                    node(pod.results().get(index + 1)),
                    SchedulerNames.shortCause(report, index, difference));
        }
        if (!pods.isEmpty()) {
            pods.print(out);
            if (shown < differing) {
                out.println("(" + (differing - shown) + " more; --limit 0 shows all)");
            }
            out.println();
        }
    }

    /** A pod that becomes unschedulable is worse than one that gets another node. */
    private static Verdict verdict(PairSummary pair) {
        boolean loses = pair.count(Agreement.ONLY_REFERENCE) + pair.count(Agreement.ERROR) > 0;
        return loses ? Verdict.BAD : pair.agreeing() == pair.pods() ? Verdict.GOOD : Verdict.DOUBTFUL;
    }

    private static String node(PodComparison.Result result) {
        if (result.node() == null) {
            return "-";
        }
        return result.bestCount() == 1
                ? result.node()
                : result.node() + " or " + (result.bestCount() - 1) + (result.bestCount() == 2 ? " other" : " others");
    }

    /** Prints the differences of a pod as sentences, which are too long for a column, and its scores. */
    private void printSheets(PrintWriter out, PodComparison pod) {
        for (Difference difference : pod.differences()) {
            if (!difference.agreement().agrees()) {
                out.println(pod.pod() + ": " + difference.text());
                out.println();
            }
        }
        for (int i = 0; i < pod.results().size(); i++) {
            PodComparison.Result result = pod.results().get(i);
            ScoreSheet sheet = result.sheet();
            if (sheet == null) {
                continue;
            }
            out.println(pod.pod() + " with " + SchedulerNames.of(report, i) + ": " + result.feasible()
                    + (result.feasible() == 1 ? " feasible node" : " feasible nodes"));
            if (!result.message().isEmpty()) {
                out.println(result.message());
            }
            PolicyNames names = report.schedulers().get(i).names();
            printScores(out, sheet, names, result.feasible());
            TextTable rejections = new TextTable()
                    .text("REJECTED BY")
                    .text("REASON")
                    .number("NODES")
                    .text("FOR EXAMPLE");
            for (ScoreSheet.Rejection rejection : sheet.rejections()) {
                rejections.row(
                        names.filter(rejection.algorithm()),
                        rejection.reason(),
                        rejection.count(),
                        rejection.examples().get(0));
            }
            rejections.print(out);
            out.println();
        }
    }

    private static void printScores(PrintWriter out, ScoreSheet sheet, PolicyNames names, int feasible) {
        if (sheet.rows().isEmpty() || sheet.weights().isEmpty()) {
            return;
        }
        ScoreTable scores = new ScoreTable(
                sheet.rows().stream().map(ScoreSheet.Row::node).toList(),
                sheet.rows().stream().map(ScoreSheet.Row::total).toList(),
                feasible);
        int column = 0;
        for (Map.Entry<String, Long> weight : sheet.weights().entrySet()) {
            int index = column++;
            scores.row(
                    names.score(weight.getKey()),
                    weight.getValue(),
                    sheet.rows().stream()
                            .map(row -> weight.getValue() * row.scores().get(index))
                            .toList());
        }
        scores.print(out);
    }

    /**
     * Returns how many summaries are clusters that can exist. In mode steps, the other schedulers place each pod as if the reference had
     * placed the earlier ones, so the sum of their placements is no cluster.
     *
     * @param summaries the cluster before, the reference, and the others
     */
    static int clusters(CompareReport.Mode mode, int summaries) {
        return mode == CompareReport.Mode.STEPS ? Math.min(2, summaries) : summaries;
    }

    private void printClusters(PrintWriter out) {
        TextTable table = new TextTable()
                .text("CLUSTER")
                .number("PLACED")
                .number("UNSCHEDULABLE")
                .number("AVG CPU %")
                .number("MAX CPU %")
                .number("AVG MEM %")
                .number("AVG PODS")
                .number("MAX PODS")
                .number(EMPTIED);
        List<String> names = SchedulerNames.of(
                report.summaries().stream().map(ClusterSummary::name).toList());
        List<ClusterSummary> shown = report.summaries().subList(0, clusters(report.mode(), names.size()));
        for (int i = 0; i < shown.size(); i++) {
            ClusterSummary summary = shown.get(i);
            boolean before = summary.name().equals(ClusterSummary.BEFORE);
            table.row(
                    before ? "before" : "after " + names.get(i),
                    before ? "-" : summary.placed(),
                    before ? "-" : summary.unplaced(),
                    Percent.ofShare(summary.nodes().cpu().mean()),
                    Percent.ofShare(summary.nodes().cpu().max()),
                    Percent.ofShare(summary.nodes().memory().mean()),
                    String.format(Locale.ROOT, "%.1f", summary.nodes().pods().mean()),
                    String.format(Locale.ROOT, "%.0f", summary.nodes().pods().max()),
                    before ? "-" : summary.emptied().size());
        }
        List<String> omitted = table.print(out);
        out.println("(CPU and MEM are requests."
                + (omitted.contains(EMPTIED)
                        ? ""
                        : " " + EMPTIED + " had other pods before, and now have only DaemonSet pods.")
                + ")");
        if (shown.size() < names.size()) {
            out.println("(To see the cluster after the placements of "
                    + String.join(" or ", names.subList(shown.size(), names.size())) + ", use --mode run.)");
        }
        boolean isOvercommitted = shown.stream()
                .anyMatch(summary -> summary.nodes().cpu().max() > 1
                        || summary.nodes().memory().max() > 1);
        if (isOvercommitted) {
            out.println(OVERCOMMITTED);
        }
        for (ClusterSummary summary : shown) {
            List<String> emptied = summary.emptied();
            if (!emptied.isEmpty()) {
                out.println(SchedulerNames.of(summary.name()) + " empties these nodes: "
                        + String.join(", ", emptied.subList(0, Math.min(emptied.size(), EMPTIED_SHOWN)))
                        + (emptied.size() > EMPTIED_SHOWN ? " and " + (emptied.size() - EMPTIED_SHOWN) + " more" : ""));
            }
        }
    }

    /** The answer of a comparison in one or two sentences, and its causes by number of pods, for text, HTML, and Markdown. */
    public static final class CompareConclusion {
        /** The fix if no cause is found. */
        static final String UNKNOWN_CAUSE = "compare the scores of one pod with --details";

        /** The addedAffinity of NodeAffinity: required terms for the filter NodeLabel, preferred terms for the score. */
        private static final String BY_MIGRATE = ": convert it with migrate";

        private static final int MOST_NODES = 2;

        private CompareConclusion() {}

        /**
         * An algorithm that causes differences.
         *
         * @param title its names in the policy, and its kind: {@code NodeLabel filter (InAZone, NotRetiring)}
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
         * Returns two or three sentences for each scheduler but the reference, such as {@code policy.json and modern: 29 of 41 pods get another node, 1
         * becomes schedulable.} and {@code Main cause (28 pods): NodeLabel filter (InAZone) rejects node-d1 and node-c4.}
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
            sentences.add(SchedulerNames.of(report, 0) + " and " + SchedulerNames.of(report, index + 1) + ": "
                    + answer(pair));
            mainCause(report, index).ifPresent(sentences::add);
            rest(pair).ifPresent(sentences::add);
            return sentences;
        }

        /** The causes of a pair by number of pods, descending; filters before scores if equal. */
        static List<Ranked> causes(CompareReport report, int index) {
            Map<String, Integer> pods = new LinkedHashMap<>();
            Map<String, Cause> first = new LinkedHashMap<>();
            Map<String, Map<String, Integer>> nodes = new LinkedHashMap<>();
            for (PodComparison pod : report.pods()) {
                Set<String> labels = new LinkedHashSet<>();
                for (Cause cause : pod.differences().get(index).causes()) {
                    labels.add(cause.label());
                    first.merge(cause.label(), cause, CompareConclusion::stronger);
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
            ranked.sort(Comparator.comparing(Ranked::pods)
                    .reversed()
                    .thenComparing((Ranked cause) -> cause.nodes().isEmpty()));
            return ranked;
        }

        /** The cause of all pods of a group: formulas are the same only if they are the same for each pod. */
        private static Cause stronger(Cause first, Cause next) {
            boolean isWeight = first.kind() == Cause.Kind.WEIGHT && first.weight() == null;
            return isWeight && next.kind() == Cause.Kind.FORMULA ? next : first;
        }

        /** Returns the fix of a cause, in a few words. */
        static String advice(Cause cause, CompareReport report, int index) {
            String reference = SchedulerNames.of(report, 0);
            String other = SchedulerNames.of(report, index + 1);
            String missing = cause.other().isEmpty() ? other : cause.reference().isEmpty() ? reference : "";
            return switch (cause.kind()) {
                case FILTER ->
                    missing.isEmpty()
                            ? "see both filters with --details"
                            : "not in " + missing
                                    + (isAddedAffinity(cause, report, index)
                                            ? BY_MIGRATE
                                            : ": add a filter, or accept the other node");
                case ERROR, CHECK -> "fix the error that --details shows";
                case ONE_SIDED ->
                    missing.isEmpty()
                            ? "see the scores with --details"
                            : "not in " + missing
                                    + (isAddedAffinity(cause, report, index)
                                            ? BY_MIGRATE
                                            : ": add a score, or accept the other node");
                case WEIGHT ->
                    cause.weight() == null
                            ? "use the same weight (" + reference + " has " + weights(cause, true) + ", " + other + " "
                                    + weights(cause, false) + ")"
                            : "set the weight of " + cause.weight().algorithm() + " to "
                                    + cause.weight().to();
                case FORMULA ->
                    cause.note().isEmpty() ? "see the scores with --details" : "see both formulas with --details";
                case EARLIER_PLACEMENTS -> "none: follows from other pods";
            };
        }

        /** Whether the one without the algorithm is a current profile, whose plugin NodeAffinity replaces NodeLabel. */
        private static boolean isAddedAffinity(Cause cause, CompareReport report, int index) {
            SchedulerSpec missing = report.schedulers().get(cause.other().isEmpty() ? index + 1 : 0);
            return missing.kind() == SchedulerSpec.Kind.MODERN
                    && (cause.label().equals("NodeLabel filter")
                            || cause.label().equals("NodeLabel score"));
        }

        private static String weights(Cause cause, boolean ofReference) {
            return cause.scores().stream()
                    .filter(score -> score.ofReference() == ofReference)
                    .map(score -> Long.toString(score.weight()))
                    .collect(Collectors.joining(" + "));
        }

        private static List<String> byCount(@Nullable Map<String, Integer> counts) {
            return counts == null
                    ? List.of()
                    : counts.entrySet().stream()
                            .sorted(Map.Entry.<String, Integer>comparingByValue()
                                    .reversed())
                            .map(Map.Entry::getKey)
                            .toList();
        }

        private static Optional<String> mainCause(CompareReport report, int index) {
            return causes(report, index).stream()
                    .findFirst()
                    .map(cause -> "Main cause (" + count(cause.pods(), "pod", "pods") + "): " + cause.title()
                            + (cause.nodes().isEmpty() ? "" : " rejects " + some(cause.nodes())) + ".");
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
            add(changes, pair.count(Agreement.DIFFERENT), "gets another node", "get another node");
            add(changes, pair.count(Agreement.ONLY_REFERENCE), "becomes unschedulable", "become unschedulable");
            add(changes, pair.count(Agreement.ONLY_OTHER), "becomes schedulable", "become schedulable");
            add(changes, pair.count(Agreement.ERROR), "fails with an error in one", "fail with an error in one");
            if (differing == 0) {
                return "the decisions agree for " + (pair.pods() == 1 ? "the pod" : "all " + pair.pods() + " pods")
                        + ".";
            }
            String first = changes.get(0);
            int space = first.indexOf(' ');
            changes.set(
                    0, first.substring(0, space) + " of " + count(pair.pods(), "pod", "pods") + first.substring(space));
            return String.join(", ", changes) + ".";
        }

        /** What happens to the pods that do not change. */
        private static Optional<String> rest(PairSummary pair) {
            List<String> rest = new ArrayList<>();
            add(rest, pair.count(Agreement.SAME), "gets the same node", "get the same node");
            add(rest, pair.count(Agreement.TIE), "may get another node (tie)", "may get another node (ties)");
            int other = pair.otherReasons().size();
            String reasons = other == 0 ? "" : " (" + other + " with different reasons)";
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
}
