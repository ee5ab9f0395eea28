package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.lab.TuneTask.Goal;
import io.policyscheduler.cmd.lab.WeightSearch.Outcome;
import io.policyscheduler.cmd.lab.WeightSearch.Parts;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.framework.insight.lab.PairedRuns;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a search, as text, JSON, and a page.
 *
 * @param alone the first goal if only this weight is changed
 * @param judgedOwn the policy as it was, on the blocks that were read once
 * @param judged the chosen one
 * @param differences by block, of costs: less than 0 is better
 */
record TuneResult(
        TuneTask task,
        Parts parts,
        int evaluations,
        int dropped,
        List<Integer> own,
        Outcome chosen,
        Outcome base,
        List<Double> alone,
        Outcome judgedOwn,
        Outcome judged,
        double[] differences,
        List<Outcome> front) {
    private Goal goal() {
        return task.goals().get(0);
    }

    private double @Nullable [] interval() {
        return differences.length < PairedRuns.FEWEST_BLOCKS ? null : PairedRuns.interval(differences);
    }

    /** Whether the judgment confirms that the chosen weights are better. */
    private boolean isBetter() {
        double[] interval = interval();
        double difference = goal().cost(judged.mean(goal().metric())) - goal().cost(judgedOwn.mean(goal().metric()));
        return interval == null ? difference < 0 : interval[1] < 0;
    }

    private String verdict() {
        if (chosen.weights().equals(own)) {
            return "no candidate is better than the weights of the policy";
        }
        if (!isBetter()) {
            return "the chosen weights are no better than those of the policy on the blocks that were held out";
        }
        return interval() == null
                ? "the chosen weights are better on the blocks that were held out; they are fewer than "
                        + PairedRuns.FEWEST_BLOCKS + ", so that there is no interval"
                : "the chosen weights are better on the blocks that were held out";
    }

    void print(PrintWriter text) {
        text.println(verdict());
        text.println();
        TextTable table = new TextTable()
                .text("PRIORITY")
                .number("BEFORE")
                .number("AFTER")
                .number(goal().metric() + " ALONE");
        for (int i = 0; i < own.size(); i++) {
            table.row(task.knobs().get(i).name(), own.get(i), chosen.weights().get(i), LabReport.text(alone.get(i)));
        }
        table.print(text);
        text.println();
        TextTable goals =
                new TextTable().text("METRIC").text("BLOCKS").number("BEFORE").number("AFTER");
        for (Goal goal : task.goals()) {
            goals.row(
                    goal.metric(),
                    "search",
                    LabReport.text(base.mean(goal.metric())),
                    LabReport.text(chosen.mean(goal.metric())));
            goals.row(
                    goal.metric(),
                    "held out",
                    LabReport.text(judgedOwn.mean(goal.metric())),
                    LabReport.text(judged.mean(goal.metric())));
        }
        goals.print(text);
        double[] interval = interval();
        if (interval != null) {
            text.println();
            text.println("95% interval of the difference on the held-out blocks: " + LabReport.text(signed(interval, 0))
                    + ".." + LabReport.text(signed(interval, 1)));
        }
        if (!front.isEmpty()) {
            text.println();
            text.println("Pareto front:");
            TextTable points = new TextTable();
            task.knobs().forEach(knob -> points.number(knob.name()));
            task.goals().forEach(goal -> points.number(goal.metric()));
            for (Outcome one : front) {
                List<Object> cells = new ArrayList<>(one.weights());
                task.goals().forEach(goal -> cells.add(LabReport.text(one.mean(goal.metric()))));
                points.row(cells.toArray());
            }
            points.print(text);
        }
        text.println();
        text.println("Searched " + evaluations + " candidates on " + parts.search() + " blocks (" + dropped
                + " dropped early), chose among " + WeightSearch.FINALISTS + " on " + parts.choice()
                + ", and judged once on "
                + parts.judgment() + ".");
    }

    /** The end of the interval in units of the metric, the lower one first. */
    private double signed(double[] interval, int end) {
        return goal().maximize() ? -interval[1 - end] : interval[end];
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("format", "lab-tune/1");
        json.put("verdict", verdict())
                .put("better", isBetter() && !chosen.weights().equals(own));
        json.put("candidates", evaluations).put("dropped", dropped);
        json.putObject("blocks")
                .put("search", parts.search())
                .put("choice", parts.choice())
                .put("judgment", parts.judgment());
        for (int i = 0; i < own.size(); i++) {
            json.withArray("/weights")
                    .addObject()
                    .put("name", task.knobs().get(i).name())
                    .put("before", own.get(i))
                    .put("after", chosen.weights().get(i))
                    .set("alone", number(alone.get(i)));
        }
        for (Goal goal : task.goals()) {
            json.withArray("/goals")
                    .addObject()
                    .put("metric", goal.metric())
                    .put("goal", goal.maximize() ? "maximize" : "minimize")
                    .<ObjectNode>set("searchBefore", number(base.mean(goal.metric())))
                    .<ObjectNode>set("searchAfter", number(chosen.mean(goal.metric())))
                    .<ObjectNode>set("heldOutBefore", number(judgedOwn.mean(goal.metric())))
                    .set("heldOutAfter", number(judged.mean(goal.metric())));
        }
        double[] interval = interval();
        if (interval != null) {
            json.putArray("interval").add(signed(interval, 0)).add(signed(interval, 1));
        }
        for (Outcome one : front) {
            ObjectNode point = json.withArray("/front").addObject();
            ArrayNode weights = point.putArray("weights");
            one.weights().forEach(weights::add);
            task.goals().forEach(goal -> point.set(goal.metric(), number(one.mean(goal.metric()))));
        }
        return json;
    }

    /** Returns the result as a page. */
    PageContent page() {
        String verdict = verdict();
        return new PageContent(
                PageContent.View.LAB_TUNE,
                "lab tune",
                List.of(Character.toUpperCase(verdict.charAt(0)) + verdict.substring(1) + "."),
                json());
    }

    /** Returns a mean; null if no block has a value, such as the wait in blocks without arrivals. */
    private static JsonNode number(double mean) {
        return Double.isNaN(mean) ? NullNode.instance : DecimalNode.valueOf(LabReport.rounded(mean));
    }
}
