package io.policyscheduler.cmd.report;

import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The text of {@code compare}: first the answer, then the causes by number of pods, one line for each differing pod, and the load of the
 * cluster.
 */
public final class CompareText {
    /** Why a node can ask for more than it has; stands below what is above 100 percent. */
    public static final String OVERCOMMITTED =
            "(above 100%: the requests of the pods exceed the node, because the pods were bound without a scheduler, the node"
                    + " became smaller, or the policy does not check resources)";

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
        out.println(report.pods().size() + " pods compared"
                + (report.skipped() == 0
                        ? ""
                        : ", " + report.skipped() + " running pods skipped (static, or being deleted)")
                + String.format(Locale.ROOT, ", %.1f s", seconds));
    }

    private void print(PrintWriter out, int index) {
        PairSummary pair = report.pairs().get(index);
        List<String> names = SchedulerNames.of(
                report.deciders().stream().map(DeciderSource::name).toList());
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
            causes.row(cause.title(), cause.pods(), CompareConclusion.advice(cause.first(), reference, other));
        }
        int unknown = report.pairs().get(index).withoutCause();
        if (unknown > 0) {
            causes.row(Difference.NOT_FOUND, unknown, CompareConclusion.UNKNOWN_CAUSE);
        }
        if (!causes.isEmpty()) {
            causes.print(out);
            out.println();
        }
        if (details) {
            for (CompareConclusion.Ranked cause : CompareConclusion.causes(report, index)) {
                if (!cause.first().note().isEmpty()) {
                    out.println(cause.title() + ": " + cause.first().note());
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
                    details ? difference.text() : SchedulerNames.shortCause(report, index, difference));
        }
        if (!pods.isEmpty()) {
            pods.print(out);
            if (shown < differing) {
                out.println("(" + (differing - shown) + " more; --limit 0 shows all)");
            }
            out.println();
        }
    }

    /** A pod that becomes unschedulable is worse than one that moves. */
    private static Verdict verdict(PairSummary pair) {
        boolean loses = pair.count(Agreement.ONLY_REFERENCE) + pair.count(Agreement.ERROR) > 0;
        return loses ? Verdict.BAD : pair.agreeing() == pair.pods() ? Verdict.GOOD : Verdict.DOUBTFUL;
    }

    private static String node(PodComparison.Result result) {
        if (result.node() == null) {
            return "-";
        }
        return result.bestCount() == 1 ? result.node() : result.node() + " +" + (result.bestCount() - 1);
    }

    private void printSheets(PrintWriter out, PodComparison pod) {
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
            PolicyNames names = report.deciders().get(i).names();
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

    private void printClusters(PrintWriter out) {
        TextTable table = new TextTable()
                .text("CLUSTER")
                .number("PLACED")
                .number("UNSCHEDULABLE")
                .number("CPU %")
                .number("MAX CPU %")
                .number("MEMORY %")
                .number("PODS/NODE")
                .number("MAX PODS")
                .number("EMPTIED NODES");
        List<String> names = SchedulerNames.of(
                report.summaries().stream().map(ClusterSummary::name).toList());
        for (int i = 0; i < report.summaries().size(); i++) {
            ClusterSummary summary = report.summaries().get(i);
            boolean before = summary.name().equals(ClusterSummary.BEFORE);
            table.row(
                    names.get(i),
                    before ? "-" : summary.placed(),
                    before ? "-" : summary.unplaced(),
                    Percent.ofShare(summary.nodes().cpu().mean()),
                    Percent.ofShare(summary.nodes().cpu().max()),
                    Percent.ofShare(summary.nodes().memory().mean()),
                    String.format(Locale.ROOT, "%.1f", summary.nodes().pods().mean()),
                    String.format(Locale.ROOT, "%.0f", summary.nodes().pods().max()),
                    before ? "-" : summary.emptied().size());
        }
        table.print(out);
        if (report.mode() == CompareReport.Mode.STEPS) {
            out.println(
                    "(each pod alone, on the placements of the first scheduler; --mode run: each scheduler on its own)");
        }
        boolean isOvercommitted = report.summaries().stream()
                .anyMatch(summary -> summary.nodes().cpu().max() > 1
                        || summary.nodes().memory().max() > 1);
        if (isOvercommitted) {
            out.println(OVERCOMMITTED);
        }
        for (ClusterSummary summary : report.summaries()) {
            List<String> emptied = summary.emptied();
            if (!emptied.isEmpty()) {
                out.println("nodes without pods with " + SchedulerNames.of(summary.name()) + ": "
                        + String.join(", ", emptied.subList(0, Math.min(emptied.size(), EMPTIED_SHOWN)))
                        + (emptied.size() > EMPTIED_SHOWN ? " and " + (emptied.size() - EMPTIED_SHOWN) + " more" : ""));
            }
        }
    }
}
