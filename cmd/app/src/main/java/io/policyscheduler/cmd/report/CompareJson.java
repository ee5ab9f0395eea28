package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.function.UnaryOperator;

/** The comparison for programs. */
public final class CompareJson {
    private static final double ROUNDING = 10_000;

    private CompareJson() {}

    /**
     * The whole report.
     *
     * @param seconds how long it took
     * @param warnings one line each
     */
    public static ObjectNode of(CompareReport report, double seconds, List<String> warnings) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("mode", report.mode().toString());
        json.put("replayBound", report.replayBound());
        json.put("skipped", report.skipped());
        json.put("agree", report.agrees());
        report.deciders().forEach(decider -> decider(json.withArray("deciders").addObject(), decider));
        report.pairs().forEach(pair -> pair(json.withArray("comparisons").addObject(), pair));
        ArrayNode pods = json.putArray("pods");
        for (PodComparison pod : report.pods()) {
            pod(pods.addObject(), pod, report.deciders());
        }
        ArrayNode summaries = json.putArray("summaries");
        report.summaries().forEach(summary -> summary(summaries.addObject(), summary));
        loads(json.putObject("loads"), report);
        json.put("seconds", seconds);
        warnings.forEach(json.putArray("warnings")::add);
        return json;
    }

    /**
     * Returns the report for pages and comments: with the user's names of schedulers and algorithms, and with the causes of the
     * text and their fixes.
     */
    public static ObjectNode named(CompareReport report, double seconds, List<String> warnings) {
        ObjectNode json = of(report, seconds, warnings);
        List<SchedulerSpec> schedulers = report.deciders();
        List<String> full = schedulers.stream().map(SchedulerSpec::name).toList();
        List<String> names = SchedulerNames.of(full);
        for (String path : List.of("/deciders", "/comparisons", "/summaries", "/loads/after")) {
            for (JsonNode one : json.at(path)) {
                for (String field : List.of("name", "reference", "decider")) {
                    int index = full.indexOf(one.path(field).asText());
                    if (index >= 0) {
                        ((ObjectNode) one).put(field, names.get(index));
                    }
                }
            }
        }
        for (int i = 0; i < schedulers.size(); i++) {
            PolicyNames algorithms = schedulers.get(i).names();
            ObjectNode scheduler = (ObjectNode) json.path("deciders").path(i);
            renameAll(scheduler, "filters", algorithms::filter);
            scheduler.set("scores", SchedulerNames.keys(scheduler.path("scores"), algorithms::score));
        }
        for (int i = 0; i < report.pairs().size(); i++) {
            ArrayNode causes = ((ObjectNode) json.path("comparisons").path(i)).putArray("causes");
            for (CompareConclusion.Ranked cause : CompareConclusion.causes(report, i)) {
                causes.addObject()
                        .put("cause", cause.title())
                        .put("pods", cause.pods())
                        .put("advice", CompareConclusion.advice(cause.first(), report, i))
                        .put("note", cause.first().note());
            }
        }
        for (int p = 0; p < report.pods().size(); p++) {
            named(json.path("pods").path(p), report.pods().get(p), report);
        }
        return json;
    }

    private static void named(JsonNode json, PodComparison pod, CompareReport report) {
        for (int i = 0; i < pod.results().size(); i++) {
            PolicyNames names = report.deciders().get(i).names();
            if (json.path("results").path(i).path("details") instanceof ObjectNode sheet) {
                renameAll(sheet, "algorithms", names::score);
                sheet.path("rejected").forEach(group -> rename((ObjectNode) group, "algorithm", names::filter));
            }
        }
        for (int i = 0; i < pod.differences().size(); i++) {
            Difference difference = pod.differences().get(i);
            ObjectNode one = (ObjectNode) json.path("differences").path(i);
            if (difference.agreement().agrees()) {
                continue;
            }
            one.put("cause", SchedulerNames.shortCause(report, i, difference));
            ArrayNode titles = one.putArray("titles");
            for (Cause cause : difference.causes()) {
                titles.add(SchedulerNames.title(report, i, cause));
            }
            for (JsonNode cause : one.path("causes")) {
                names(
                        cause.path("leaveOutOfReference"),
                        report.deciders().get(0).names());
                names(
                        cause.path("leaveOutOfDecider"),
                        report.deciders().get(i + 1).names());
            }
        }
    }

    private static void names(JsonNode adjustment, PolicyNames names) {
        renameAll((ObjectNode) adjustment, "filters", names::filter);
        renameAll((ObjectNode) adjustment, "scores", names::score);
    }

    private static void renameAll(ObjectNode object, String field, UnaryOperator<String> name) {
        JsonNode old = object.path(field);
        ArrayNode renamed = object.putArray(field);
        old.forEach(text -> renamed.add(name.apply(text.asText())));
    }

    static void rename(ObjectNode object, String field, UnaryOperator<String> name) {
        if (object.path(field).isTextual()) {
            object.put(field, name.apply(object.path(field).asText()));
        }
    }

    private static void decider(ObjectNode json, SchedulerSpec decider) {
        json.put("name", decider.name());
        json.put("kind", kind(decider.kind()));
        strings(json.putArray("filters"), decider.filters());
        longs(json.putObject("scores"), decider.scores());
    }

    private static void pair(ObjectNode json, PairSummary pair) {
        json.put("reference", pair.reference()).put("decider", pair.other());
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
        for (PairSummary.CauseGroup group : pair.groups()) {
            ObjectNode one = causes.addObject();
            one.put("cause", group.cause()).put("pods", group.pods());
            strings(one.putArray("examples"), group.examples());
            one.put("text", group.text()).put("note", group.note());
        }
    }

    private static void pod(ObjectNode json, PodComparison pod, List<SchedulerSpec> deciders) {
        json.put("pod", pod.pod());
        json.put("ranOn", pod.ranOn().isEmpty() ? null : pod.ranOn());
        json.put("agree", pod.agrees());
        ArrayNode results = json.putArray("results");
        for (int i = 0; i < pod.results().size(); i++) {
            PodComparison.Result result = pod.results().get(i);
            ObjectNode one = results.addObject();
            one.put("decider", deciders.get(i).name()).put("node", result.node());
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
                    differences.addObject().put("decider", deciders.get(i + 1).name()),
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

    private static void summary(ObjectNode json, ClusterSummary summary) {
        json.put("name", summary.name());
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

    private static void loads(ObjectNode json, CompareReport report) {
        NodeLoads loads = report.loads();
        strings(json.putArray("nodes"), loads.nodes());
        strings(json.putArray("zones"), loads.zones());
        load(json.putObject("allocatable"), loads.allocatable());
        load(json.putObject("before"), loads.before());
        ArrayNode after = json.putArray("after");
        for (int i = 0; i < loads.after().size(); i++) {
            ObjectNode one =
                    after.addObject().put("decider", report.deciders().get(i).name());
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

    private static double rounded(double value) {
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
