package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.cmd.report.CompareText.CompareConclusion;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary;
import io.policyscheduler.framework.insight.compare.ClusterLoads.ClusterSummary.Spread;
import io.policyscheduler.framework.insight.compare.ClusterLoads.NodeLoads;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PairSummary;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.List;
import java.util.Map;

/** The comparison for programs. */
public final class CompareJson {
    private static final double ROUNDING = 10_000;

    private final CompareReport report;
    /** Whether names are those of the user. */
    private final boolean named;

    private CompareJson(CompareReport report, boolean named) {
        this.report = report;
        this.named = named;
    }

    /**
     * The whole report.
     *
     * @param seconds how long it took
     * @param warnings one line each
     */
    public static ObjectNode of(CompareReport report, double seconds, List<String> warnings) {
        return new CompareJson(report, false).json(seconds, warnings);
    }

    /**
     * The report without pods, for a page: with the user's names of schedulers and algorithms, and with the causes of the text and
     * their fixes.
     */
    static ObjectNode withoutPods(CompareReport report, double seconds, List<String> warnings) {
        return new CompareJson(report, true).json(seconds, warnings);
    }

    private ObjectNode json(double seconds, List<String> warnings) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("mode", report.mode().toString());
        json.put("replayBound", report.replayBound());
        json.put("skipped", report.skipped());
        json.put("agree", report.agrees());
        report.schedulers()
                .forEach(scheduler -> decider(json.withArray("deciders").addObject(), scheduler));
        for (int i = 0; i < report.pairs().size(); i++) {
            pair(json.withArray("comparisons").addObject(), i);
        }
        if (!named) {
            ArrayNode pods = json.putArray("pods");
            report.pods().forEach(pod -> pod(pods.addObject(), pod, report.schedulers()));
        }
        ArrayNode summaries = json.putArray("summaries");
        report.summaries().forEach(summary -> summary(summaries.addObject(), summary));
        loads(json.putObject("loads"));
        json.put("seconds", seconds);
        warnings.forEach(json.putArray("warnings")::add);
        return json;
    }

    private String scheduler(String name) {
        return named ? SchedulerNames.of(report, name) : name;
    }

    private void decider(ObjectNode json, SchedulerSpec scheduler) {
        json.put("name", scheduler(scheduler.name()));
        json.put("kind", kind(scheduler.kind()));
        PolicyNames names = named ? scheduler.names() : PolicyNames.NONE;
        scheduler.filters().stream().map(names::filter).forEach(json.putArray("filters")::add);
        ObjectNode scores = JsonNodeFactory.instance.objectNode();
        longs(scores, scheduler.scores());
        json.set("scores", SchedulerNames.keys(scores, names::score));
    }

    private void pair(ObjectNode json, int index) {
        PairSummary pair = report.pairs().get(index);
        json.put("reference", scheduler(pair.reference())).put("decider", scheduler(pair.other()));
        json.put("pods", pair.pods());
        ObjectNode counts = json.putObject("counts");
        for (Agreement agreement : Agreement.values()) {
            counts.put(agreement.toString(), pair.count(agreement));
        }
        json.put("agreementRate", rounded(pair.agreementRate()));
        json.put("withoutCause", pair.withoutCause());
        strings(json.putArray("noLongerFit"), pair.noLongerFit());
        strings(json.putArray("otherReasons"), pair.otherReasons());
        ArrayNode causes = json.putArray("causes");
        if (named) {
            for (CompareConclusion.Ranked cause : CompareConclusion.causes(report, index)) {
                causes.addObject()
                        .put("cause", cause.title())
                        .put("pods", cause.pods())
                        .put("advice", CompareConclusion.advice(cause.first(), report, index))
                        .put("note", cause.first().note());
            }
            return;
        }
        for (PairSummary.CauseGroup group : pair.groups()) {
            ObjectNode one = causes.addObject();
            one.put("cause", group.cause()).put("pods", group.pods());
            strings(one.putArray("examples"), group.examples());
            one.put("text", group.text()).put("note", group.note());
        }
    }

    private static void pod(ObjectNode json, PodComparison pod, List<SchedulerSpec> schedulers) {
        json.put("pod", pod.pod());
        json.put("ranOn", pod.ranOn().isEmpty() ? null : pod.ranOn());
        json.put("agree", pod.agrees());
        ArrayNode results = json.putArray("results");
        for (int i = 0; i < pod.results().size(); i++) {
            PodComparison.Result result = pod.results().get(i);
            ObjectNode one = results.addObject();
            one.put("decider", schedulers.get(i).name()).put("node", result.node());
            one.put("best", result.bestCount());
            strings(one.putArray("bestNodes"), result.best());
            one.put("feasible", result.feasible());
            one.put("message", result.message().isEmpty() ? null : result.message());
            ScoreSheet sheet = result.sheet();
            if (sheet != null) {
                sheet(one.putObject("details"), sheet);
            }
        }
        ArrayNode differences = json.putArray("differences");
        for (int i = 0; i < pod.differences().size(); i++) {
            difference(
                    differences.addObject().put("decider", schedulers.get(i + 1).name()),
                    pod.differences().get(i));
        }
    }

    private static void sheet(ObjectNode json, ScoreSheet sheet) {
        strings(json.putArray("algorithms"), sheet.weights().keySet());
        sheet.weights().values().forEach(json.putArray("weights")::add);
        ArrayNode nodes = json.putArray("nodes");
        for (ScoreSheet.Row row : sheet.rows()) {
            ObjectNode one = nodes.addObject().put("node", row.node()).put("total", row.total());
            longs(one.putArray("scores"), row.scores());
            ArrayNode weighted = one.putArray("weighted");
            int column = 0;
            for (long weight : sheet.weights().values()) {
                weighted.add(weight * row.scores().get(column++));
            }
        }
        ArrayNode rejected = json.putArray("rejected");
        for (ScoreSheet.Rejection rejection : sheet.rejections()) {
            ObjectNode one = rejected.addObject();
            one.put("algorithm", rejection.algorithm().isEmpty() ? null : rejection.algorithm());
            one.put("reason", rejection.reason()).put("nodes", rejection.count());
            strings(one.putArray("examples"), rejection.examples());
        }
    }

    private static void difference(ObjectNode json, Difference difference) {
        json.put("agreement", difference.agreement().toString());
        json.put("otherReasons", difference.otherReasons());
        if (difference.agreement().agrees()) {
            return;
        }
        json.put("cause", difference.label()).put("text", difference.text());
        json.put("agreeOn", difference.agreeOn());
        ArrayNode causes = json.putArray("causes");
        difference.causes().forEach(cause -> cause(causes.addObject(), cause));
    }

    private static void cause(ObjectNode json, Cause cause) {
        json.put("kind", cause.kind().toString()).put("cause", cause.label());
        json.put("text", cause.text()).put("note", cause.note());
        leaveOut(json.putObject("leaveOutOfReference"), cause.leaveOut(Adjustment.NONE, true));
        leaveOut(json.putObject("leaveOutOfDecider"), cause.leaveOut(Adjustment.NONE, false));
        json.put("node", cause.node().isEmpty() ? null : cause.node());
        strings(json.putArray("reasons"), cause.reasons());
        ArrayNode scores = json.putArray("scores");
        for (Cause.ScorePair pair : cause.scores()) {
            scores.addObject()
                    .put("ofReference", pair.ofReference())
                    .put("algorithm", pair.algorithm())
                    .put("weight", pair.weight())
                    .put("onReferenceNode", pair.referenceNode())
                    .put("onOtherNode", pair.otherNode());
        }
        Cause.WeightChange weight = cause.weight();
        if (weight != null) {
            json.putObject("otherWeight")
                    .put("ofReference", weight.ofReference())
                    .put("algorithm", weight.algorithm())
                    .put("from", weight.from())
                    .put("to", weight.to());
        }
    }

    private static void leaveOut(ObjectNode json, Adjustment adjustment) {
        strings(json.putArray("filters"), adjustment.withoutFilters());
        strings(json.putArray("scores"), adjustment.withoutScores());
    }

    private void summary(ObjectNode json, ClusterSummary summary) {
        json.put("name", scheduler(summary.name()));
        json.put("placed", summary.placed()).put("unplaced", summary.unplaced());
        balance(json.putObject("nodes"), summary.nodes());
        balance(json.putObject("zones"), summary.zones());
        ArrayNode zones = json.putArray("zoneLoads");
        for (ClusterSummary.ZoneLoad zone : summary.zoneLoads()) {
            zones.addObject()
                    .put("zone", zone.zone())
                    .put("nodes", zone.nodes())
                    .put("cpu", rounded(zone.cpu()))
                    .put("memory", rounded(zone.memory()))
                    .put("pods", zone.pods());
        }
        strings(json.putArray("emptied"), summary.emptied());
    }

    private static void balance(ObjectNode json, ClusterSummary.Balance balance) {
        spread(json.putObject("cpu"), balance.cpu());
        spread(json.putObject("memory"), balance.memory());
        spread(json.putObject("pods"), balance.pods());
    }

    private static void spread(ObjectNode json, Spread spread) {
        json.put("mean", rounded(spread.mean())).put("deviation", rounded(spread.deviation()));
        json.put("min", rounded(spread.min())).put("max", rounded(spread.max()));
    }

    private void loads(ObjectNode json) {
        NodeLoads loads = report.loads();
        strings(json.putArray("nodes"), loads.nodes());
        strings(json.putArray("zones"), loads.zones());
        load(json.putObject("allocatable"), loads.allocatable());
        load(json.putObject("before"), loads.before());
        ArrayNode after = json.putArray("after");
        for (int i = 0; i < loads.after().size(); i++) {
            ObjectNode one = after.addObject()
                    .put("decider", scheduler(report.schedulers().get(i).name()));
            load(one, loads.after().get(i));
        }
    }

    private static void load(ObjectNode json, NodeLoads.Load load) {
        longs(json.putArray("cpu"), load.cpu());
        longs(json.putArray("memory"), load.memory());
        longs(json.putArray("pods"), load.pods());
    }

    private static void strings(ArrayNode json, Iterable<String> values) {
        values.forEach(json::add);
    }

    private static void longs(ArrayNode json, ImmutableLongArray values) {
        values.forEach(json::add);
    }

    private static void longs(ObjectNode json, Map<String, Long> values) {
        values.forEach((key, value) -> json.put(key, value.longValue()));
    }

    static double rounded(double value) {
        return Math.round(value * ROUNDING) / ROUNDING;
    }

    private static String kind(SchedulerSpec.Kind kind) {
        return switch (kind) {
            case FUNCTIONS -> "functions";
            case LEGACY -> "v1.17";
            case MODERN -> "current";
        };
    }
}
