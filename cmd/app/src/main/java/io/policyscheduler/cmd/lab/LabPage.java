package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.framework.insight.lab.AllocationMap.NodeRow;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import io.policyscheduler.framework.insight.lab.RunMetrics.WaitCurve;
import io.policyscheduler.framework.insight.lab.RunOverview;
import io.policyscheduler.framework.insight.lab.RunOverview.Peak;
import io.policyscheduler.framework.insight.lab.RunOverview.Wait;
import io.policyscheduler.framework.insight.lab.TraceRun.Result;
import io.policyscheduler.framework.insight.lab.TraceRun.Sample;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.LongFunction;

/**
 * A run or a comparison as a page: the document of {@code lab compare}, and for each scheduler the samples, waits, nodes, and moments of
 * its first run.
 */
final class LabPage {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Of a line in a plot; more are not visible. */
    private static final int MOST_POINTS = 500;

    private LabPage() {}

    /**
     * Returns the page.
     *
     * @param overviews of the first run of each scheduler
     * @param names of the schedulers in the command line
     * @param options of the runs
     */
    static PageContent of(LabReport report, List<RunOverview> overviews, List<String> names, LabOptions options) {
        List<PairedRuns> runs = report.runs();
        PairedRuns reference = runs.get(0);
        Result first = reference.runs().get(0);
        int resource = mostRequested(first);
        ObjectNode data = report.compareJson();
        data.put("resource", first.resources().get(resource));
        data.put("cellSeconds", seconds(overviews.get(0).map().columnNanos()));
        data.put("endSeconds", seconds(first.toNanos()));
        ArrayNode series = data.putArray("series");
        for (int i = 0; i < runs.size(); i++) {
            ObjectNode one = series.addObject().put("scheduler", runs.get(i).scheduler());
            addSamples(one.putArray("samples"), overviews.get(i).samples());
            addWaits(one.putObject("waits"), runs.get(i).runs().get(0).waits());
            addRows(one.putArray("rows"), overviews.get(i).map().rows(resource));
            String name = names.get(i);
            addMoments(one, overviews.get(i), nanos -> options.atCommand(nanos, name));
        }
        return new PageContent(
                PageContent.View.LAB,
                runs.size() == 1 ? "lab run: " + reference.scheduler() : "lab compare: " + runs.size() + " schedulers",
                report.answer().lines().toList(),
                data);
    }

    /** Returns the index of the resource with the highest mean allocation, which is CPU if no other one is higher. */
    private static int mostRequested(Result run) {
        int most = 0;
        double highest = 0;
        for (int r = 0; r < run.resources().size(); r++) {
            Double share = run.metrics().get("allocation." + run.resources().get(r) + ".mean");
            if (share != null && share > highest) {
                most = r;
                highest = share;
            }
        }
        return most;
    }

    private static BigDecimal seconds(long nanos) {
        return LabReport.rounded(nanos / NANOS_PER_SECOND);
    }

    private static void addSamples(ArrayNode points, List<Sample> samples) {
        int step = 1 + samples.size() / MOST_POINTS;
        for (int at = 0; at < samples.size(); at += step) {
            Sample sample = samples.get(at);
            points.addArray()
                    .add(seconds(sample.nanos()))
                    .add(sample.allocated()[0])
                    .add(sample.pending()[0])
                    .add(sample.waiting());
        }
    }

    private static void addWaits(ObjectNode json, WaitCurve waits) {
        json.put("bound", waits.bound()).put("open", waits.open());
        ArrayNode points = json.putArray("points");
        waits.points()
                .forEach(point -> points.addArray().add(seconds(point.nanos())).add(LabReport.rounded(point.share())));
    }

    private static void addRows(ArrayNode json, List<NodeRow> rows) {
        for (NodeRow row : rows) {
            json.addObject()
                    .put("first", row.first())
                    .put("last", row.last())
                    .put("nodes", row.nodes())
                    .put("mean", row.mean() == null ? null : LabReport.rounded(row.mean()))
                    .put("cells", row.cells());
        }
    }

    /** Adds the longest waits and the moments with most waiting pods, each with the command that prints the cluster at this time. */
    private static void addMoments(ObjectNode json, RunOverview overview, LongFunction<String> command) {
        ArrayNode waits = json.putArray("longest");
        for (Wait wait : overview.longestWaits()) {
            waits.addObject()
                    .put("pod", wait.namespace() + "/" + wait.name())
                    .put("arrived", seconds(wait.arrived()))
                    .put("wait", seconds(wait.nanos()))
                    .put("bound", wait.isBound())
                    .put("command", command.apply(wait.middle()));
        }
        ArrayNode peaks = json.putArray("peaks");
        for (Peak peak : overview.peaks()) {
            peaks.addObject()
                    .put("at", seconds(peak.atNanos()))
                    .put("pods", peak.pods())
                    .put("command", command.apply(peak.atNanos()));
        }
    }
}
