package io.policyscheduler.cmd.report;

import io.policyscheduler.cmd.report.CompareText.CompareConclusion;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary.Spread;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The Markdown of {@code compare}, for a comment: the answer, the causes, the pods, and the load of the nodes. */
public final class CompareMarkdown {
    private static final int CAUSES = 20;
    private static final int PODS = 60;
    /** The pods with these results are not listed. */
    private static final Set<Agreement> UNLISTED = Set.of(Agreement.SAME, Agreement.TIE, Agreement.NEITHER);

    private final CompareReport report;
    private final Markdown page = new Markdown();

    private CompareMarkdown(CompareReport report) {
        this.report = report;
    }

    /**
     * The comment.
     *
     * @param conclusion the answer in sentences
     */
    public static Markdown of(List<String> conclusion, CompareReport report) {
        CompareMarkdown made = new CompareMarkdown(report);
        made.page.conclusion(conclusion);
        for (int i = 0; i < report.pairs().size(); i++) {
            made.details(i);
        }
        made.pairs();
        made.loads();
        return made.page;
    }

    private void pairs() {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < report.pairs().size(); i++) {
            PairSummary pair = report.pairs().get(i);
            rows.add(List.of(
                    Markdown.code(SchedulerNames.of(report, 0)),
                    Markdown.code(SchedulerNames.of(report, i + 1)),
                    Percent.ofShare(CompareJson.rounded(pair.agreementRate())) + " %",
                    Integer.toString(pair.count(Agreement.SAME) + pair.count(Agreement.TIE)),
                    Integer.toString(pair.count(Agreement.DIFFERENT)),
                    Integer.toString(pair.count(Agreement.ONLY_REFERENCE)),
                    Integer.toString(pair.count(Agreement.ONLY_OTHER)),
                    Integer.toString(pair.count(Agreement.NEITHER)),
                    Integer.toString(pair.count(Agreement.ERROR))));
        }
        Markdown counts = new Markdown()
                .table(
                        List.of(
                                "Reference",
                                "Other",
                                "#Agree",
                                "#Same node",
                                "#Move",
                                "#Become unschedulable",
                                "#Become schedulable",
                                "#Unschedulable with both",
                                "#Errors"),
                        rows,
                        rows.size());
        page.details("Number of pods by result", counts);
    }

    private void details(int index) {
        String name = SchedulerNames.of(report, index + 1);
        String other = report.pairs().size() == 1 ? "" : " (" + name + ")";
        List<List<String>> causes = new ArrayList<>();
        for (CompareConclusion.Ranked cause : CompareConclusion.causes(report, index)) {
            causes.add(List.of(
                    Markdown.text(cause.title()),
                    Integer.toString(cause.pods()),
                    Markdown.text(CompareConclusion.advice(cause.first(), report, index))));
        }
        if (!causes.isEmpty() && !other.isEmpty()) {
            page.paragraph("Causes" + Markdown.text(other) + ":");
        }
        page.table(List.of("Cause", "#Pods", "What to do"), causes, CAUSES);
        List<List<String>> pods = new ArrayList<>();
        for (PodComparison pod : report.pods()) {
            Difference difference = pod.differences().get(index);
            if (!UNLISTED.contains(difference.agreement())) {
                pods.add(List.of(
                        Markdown.code(pod.pod()),
                        node(pod.results().get(0).node()),
                        node(pod.results().get(index + 1).node()),
                        Markdown.cell(SchedulerNames.shortCause(report, index, difference))));
            }
        }
        page.details(
                pods.size()
                        + (pods.size() == 1 ? " pod with a different decision" : " pods with different decisions")
                        + other,
                new Markdown().table(List.of("Pod", SchedulerNames.of(report, 0), name, "Cause"), pods, PODS));
    }

    private static String node(@Nullable String node) {
        return node == null ? "unschedulable" : Markdown.code(node);
    }

    private void loads() {
        List<List<String>> rows = new ArrayList<>();
        List<ClusterSummary> summaries = report.summaries();
        for (ClusterSummary summary : summaries.subList(0, CompareText.clusters(report.mode(), summaries.size()))) {
            Spread pods = summary.nodes().pods();
            rows.add(List.of(
                    Markdown.code(SchedulerNames.of(report, summary.name())),
                    share(summary.nodes().cpu()),
                    share(summary.nodes().memory()),
                    String.format(
                            Locale.ROOT,
                            "%.1f, at most %.0f",
                            CompareJson.rounded(pods.mean()),
                            CompareJson.rounded(pods.max())),
                    Integer.toString(summary.emptied().size())));
        }
        page.details(
                "Load of the nodes",
                new Markdown()
                        .table(
                                List.of("Cluster", "CPU", "Memory", "Pods on a node", "#Emptied nodes"),
                                rows,
                                rows.size()));
    }

    private static String share(Spread spread) {
        return Percent.ofShare(CompareJson.rounded(spread.mean())) + " %, at most "
                + Percent.ofShare(CompareJson.rounded(spread.max())) + " %";
    }
}
