package io.policyscheduler.cmd.report;

import io.policyscheduler.framework.insight.compare.Agreement;
import io.policyscheduler.framework.insight.compare.ClusterSummary;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.PairSummary;
import io.policyscheduler.framework.insight.compare.PodComparison;
import io.policyscheduler.framework.insight.compare.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Spread;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** The comparison for people. */
public final class CompareText {
    /** Why a node can ask for more than it has; stands below what is above 100 percent. */
    public static final String OVERCOMMITTED =
            "(above 100%: the pods of a node ask for more than it has, because they were bound past a scheduler, the node"
                    + " has shrunk, or a policy does not look at resources)";

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

    /** Prints everything: the headline of each pair, differing pods, causes, the cluster. */
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
                        : ", " + report.skipped() + " running ones left out (static, or being deleted)")
                + String.format(Locale.ROOT, ", %.1f s", seconds));
    }

    private void print(PrintWriter out, int index) {
        PairSummary pair = report.pairs().get(index);
        out.print(pair.reference() + " and " + pair.other() + ": ");
        TerminalWriter.println(out, verdict(pair), headline(pair));
        out.println();
        TextTable pods = new TextTable()
                .text("POD")
                .text("DIFFERENCE")
                .text("REFERENCE")
                .text("OTHER")
                .text("CAUSE");
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
                    words(difference.agreement()),
                    node(pod.results().get(0)),
                    node(pod.results().get(index + 1)),
                    difference.text());
        }
        if (!pods.isEmpty()) {
            pods.print(out);
            if (shown < differing) {
                out.println("(" + (differing - shown) + " more; --limit 0 shows all)");
            }
            out.println();
        }
        TextTable causes = new TextTable().text("CAUSE").number("PODS").text("FOR EXAMPLE");
        for (PairSummary.CauseGroup group : pair.groups()) {
            causes.row(group.cause(), group.pods(), group.examples().get(0));
        }
        if (!causes.isEmpty()) {
            causes.print(out);
            printNotes(out, pair);
            out.println();
        }
    }

    private static void printNotes(PrintWriter out, PairSummary pair) {
        for (PairSummary.CauseGroup group : pair.groups()) {
            boolean single = !group.cause().contains(" + ");
            if (single && !group.note().isEmpty()) {
                out.println(group.cause() + ": " + group.note());
            }
        }
    }

    /** A pod that loses its place is worse than one that goes elsewhere. */
    private static Verdict verdict(PairSummary pair) {
        boolean loses = pair.count(Agreement.ONLY_REFERENCE) + pair.count(Agreement.ERROR) > 0;
        return loses ? Verdict.BAD : pair.agreeing() == pair.pods() ? Verdict.GOOD : Verdict.DOUBTFUL;
    }

    /** E.g. {@code 37 of 40 pods: same node; 2 elsewhere; 1 no longer fits}. */
    static String headline(PairSummary pair) {
        List<String> parts = new ArrayList<>();
        int same = pair.count(Agreement.SAME);
        parts.add(same + " of " + pair.pods() + (pair.pods() == 1 ? " pod" : " pods") + ": same node");
        add(parts, pair.count(Agreement.TIE), "may be the same (several nodes are best)", "may be the same");
        add(parts, pair.count(Agreement.DIFFERENT), "elsewhere", "elsewhere");
        add(parts, pair.count(Agreement.ONLY_REFERENCE), "no longer fits", "no longer fit");
        add(parts, pair.count(Agreement.ONLY_OTHER), "fits only now", "fit only now");
        int other = pair.otherReasons().size();
        String reasons = other == 0 ? "" : " (" + other + " of them for other reasons)";
        add(parts, pair.count(Agreement.NEITHER), "fits with neither" + reasons, "fit with neither" + reasons);
        add(parts, pair.count(Agreement.ERROR), "ends with an error in one", "end with an error in one");
        if (pair.withoutCause() > 0) {
            parts.add("cause not found for " + pair.withoutCause());
        }
        return String.join("; ", parts);
    }

    private static void add(List<String> parts, int count, String one, String several) {
        if (count > 0) {
            parts.add(count + " " + (count == 1 ? one : several));
        }
    }

    private static String words(Agreement agreement) {
        return switch (agreement) {
            case ONLY_REFERENCE -> "no longer fits";
            case ONLY_OTHER -> "fits only now";
            case DIFFERENT -> "elsewhere";
            default -> agreement.toString();
        };
    }

    private static String node(PodComparison.Result result) {
        if (result.node() == null) {
            return "-";
        }
        return result.bestCount() == 1 ? result.node() : result.node() + " (or " + (result.bestCount() - 1) + " more)";
    }

    private void printSheets(PrintWriter out, PodComparison pod) {
        for (int i = 0; i < pod.results().size(); i++) {
            PodComparison.Result result = pod.results().get(i);
            ScoreSheet sheet = result.sheet();
            if (sheet == null) {
                continue;
            }
            out.println(pod.pod() + " by " + report.deciders().get(i).name() + ": " + result.feasible()
                    + (result.feasible() == 1 ? " node fits" : " nodes fit"));
            if (!result.message().isEmpty()) {
                out.println(result.message());
            }
            TextTable nodes = new TextTable().text("NODE").number("TOTAL");
            sheet.weights()
                    .forEach((algorithm, weight) -> nodes.number(weight == 1 ? algorithm : algorithm + "*" + weight));
            for (ScoreSheet.Row row : sheet.rows()) {
                List<Object> cells = new ArrayList<>(List.of(row.node(), row.total()));
                row.scores().forEach(cells::add);
                nodes.row(cells.toArray());
            }
            nodes.print(out);
            TextTable rejections = new TextTable()
                    .number("NODES")
                    .text("REJECTED BY")
                    .text("REASON")
                    .text("FOR EXAMPLE");
            for (ScoreSheet.Rejection rejection : sheet.rejections()) {
                rejections.row(
                        rejection.count(),
                        rejection.algorithm(),
                        rejection.reason(),
                        rejection.examples().get(0));
            }
            rejections.print(out);
            out.println();
        }
    }

    private void printClusters(PrintWriter out) {
        TextTable table = new TextTable()
                .text("CLUSTER")
                .number("PLACED")
                .number("UNPLACED")
                .text("CPU %")
                .text("MEMORY %")
                .text("PODS PER NODE")
                .text("CPU % OF ZONES")
                .number("EMPTIED NODES");
        for (ClusterSummary summary : report.summaries()) {
            boolean before = summary.name().equals(ClusterSummary.BEFORE);
            table.row(
                    summary.name(),
                    before ? "-" : summary.placed(),
                    before ? "-" : summary.unplaced(),
                    spread(summary.nodes().cpu(), Percent::ofShare),
                    spread(summary.nodes().memory(), Percent::ofShare),
                    spread(summary.nodes().pods(), pods -> String.format(Locale.ROOT, "%.1f", pods)),
                    spread(summary.zones().cpu(), Percent::ofShare),
                    before ? "-" : summary.emptied().size());
        }
        table.print(out);
        out.println("(mean ± standard deviation, lowest to highest"
                + (report.mode() == CompareReport.Mode.STEPS
                        ? "; all but the first as if each pod had come alone: see --mode run)"
                        : ")"));
        boolean isOvercommitted = report.summaries().stream()
                .anyMatch(summary -> summary.nodes().cpu().max() > 1
                        || summary.nodes().memory().max() > 1);
        if (isOvercommitted) {
            out.println(OVERCOMMITTED);
        }
        for (ClusterSummary summary : report.summaries()) {
            List<String> emptied = summary.emptied();
            if (!emptied.isEmpty()) {
                out.println("emptied by " + summary.name() + ": "
                        + String.join(", ", emptied.subList(0, Math.min(emptied.size(), EMPTIED_SHOWN)))
                        + (emptied.size() > EMPTIED_SHOWN ? " and " + (emptied.size() - EMPTIED_SHOWN) + " more" : ""));
            }
        }
    }

    private static String spread(Spread spread, DoubleFunction<String> shown) {
        return shown.apply(spread.mean()) + " ± " + shown.apply(spread.deviation()) + ", " + shown.apply(spread.min())
                + " to " + shown.apply(spread.max());
    }
}
