package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Strings;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison;
import io.policyscheduler.framework.insight.compare.CompareReport.PodComparison.Result;
import io.policyscheduler.framework.insight.compare.CompareReport.ScoreSheet;
import io.policyscheduler.framework.insight.compare.Difference;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import io.policyscheduler.framework.insight.compare.Difference.Cause;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data of a comparison's page: all pods, those that differ first, with their best nodes per scheduler. If the file would
 * become too large for a browser, scores and then pods are omitted from the end, and counted. Texts are indexes into the list
 * {@code texts}.
 */
public final class CompareHtml {
    /** Maximum number of differing pods with details on a page: more than in a terminal. */
    public static final int PODS = 2000;
    /** Characters of JSON for the rows of pods. */
    private static final int POD_BUDGET = 800_000;
    /** Characters of JSON for the details. */
    private static final int DETAIL_BUDGET = 600_000;

    private static final int NODES = 10;
    private static final int NONE = -1;
    /** Order of pods: the most important first. */
    private static final List<Agreement> ORDER = List.of(
            Agreement.ONLY_REFERENCE,
            Agreement.ERROR,
            Agreement.DIFFERENT,
            Agreement.ONLY_OTHER,
            Agreement.NEITHER,
            Agreement.TIE,
            Agreement.SAME);

    private final CompareReport report;
    private final Texts texts = new Texts();

    private CompareHtml(CompareReport report) {
        this.report = report;
    }

    /**
     * Makes the data of the page.
     *
     * @param seconds how long the comparison took
     * @param warnings one line each
     */
    public static ObjectNode of(CompareReport report, double seconds, List<String> warnings) {
        ObjectNode data = CompareJson.withoutPods(report, seconds, warnings);
        new CompareHtml(report).addPods(data);
        return data;
    }

    private void addPods(ObjectNode data) {
        List<PodComparison> pods = report.pods().stream()
                .sorted(Comparator.comparingInt(CompareHtml::urgency))
                .toList();
        data.put("podCount", pods.size());
        data.set("flows", flows(pods));
        ArrayNode rows = data.putArray("pods");
        int size = 0;
        List<ObjectNode> shown = new ArrayList<>();
        for (PodComparison pod : pods) {
            ObjectNode row = row(pod);
            size += row.toString().length();
            if (size + texts.length() > POD_BUDGET) {
                break;
            }
            shown.add(row);
            rows.add(row);
        }
        data.put("podsLeftOut", pods.size() - shown.size());
        addDetails(pods, shown);
        data.set("texts", texts.json());
    }

    private void addDetails(List<PodComparison> pods, List<ObjectNode> rows) {
        int size = 0;
        int before = texts.length();
        for (int i = 0; i < rows.size() && size + texts.length() - before < DETAIL_BUDGET; i++) {
            ObjectNode details = details(pods.get(i));
            if (!details.isEmpty()) {
                size += details.toString().length();
                rows.get(i).set("details", details);
            }
        }
    }

    private static int urgency(PodComparison pod) {
        return pod.differences().stream()
                .mapToInt(difference -> ORDER.indexOf(difference.agreement()))
                .min()
                .orElse(ORDER.size());
    }

    /** For each scheduler but the reference how many pods go from where to where: two texts and a count. */
    private ArrayNode flows(List<PodComparison> pods) {
        record Flow(int from, int to) {}
        ArrayNode flows = JsonNodeFactory.instance.arrayNode();
        for (int i = 1; i <= report.pairs().size(); i++) {
            Map<Flow, Integer> counts = new LinkedHashMap<>();
            for (PodComparison pod : pods) {
                List<Result> results = pod.results();
                counts.merge(
                        new Flow(
                                text(results.get(0).node()), text(results.get(i).node())),
                        1,
                        Integer::sum);
            }
            ArrayNode ways = flows.addArray();
            counts.forEach((way, count) ->
                    ways.addArray().add(way.from()).add(way.to()).add(count));
        }
        return flows;
    }

    private int text(@Nullable String text) {
        return text == null ? NONE : texts.of(text);
    }

    private ObjectNode row(PodComparison pod) {
        ObjectNode row = JsonNodeFactory.instance.objectNode().put("pod", pod.pod());
        if (!pod.ranOn().isEmpty()) {
            row.put("ranOn", text(pod.ranOn()));
        }
        ArrayNode results = row.putArray("results");
        for (Result result : pod.results()) {
            results.addArray()
                    .add(text(result.node()))
                    .add(result.bestCount())
                    .add(result.feasible())
                    .add(text(Strings.emptyToNull(result.message())));
        }
        ArrayNode differences = row.putArray("differences");
        for (int i = 0; i < pod.differences().size(); i++) {
            Difference difference = pod.differences().get(i);
            ArrayNode one = differences.addArray();
            one.add(text(difference.agreement().toString()));
            if (difference.agreement().agrees()) {
                one.add(NONE).addArray();
            } else {
                one.add(text(SchedulerNames.shortCause(report, i, difference)));
                ArrayNode titles = one.addArray();
                for (Cause cause : difference.causes()) {
                    titles.add(text(SchedulerNames.title(report, i, cause)));
                }
            }
        }
        return row;
    }

    private ObjectNode details(PodComparison pod) {
        ObjectNode details = JsonNodeFactory.instance.objectNode();
        Set<String> winners = new HashSet<>();
        for (Result result : pod.results()) {
            if (result.node() != null) {
                winners.add(result.node());
            }
        }
        if (pod.results().stream().anyMatch(result -> result.sheet() != null)) {
            ArrayNode sheets = details.putArray("sheets");
            for (int i = 0; i < pod.results().size(); i++) {
                sheets.add(sheet(pod.results().get(i).sheet(), names(i), winners));
            }
        }
        if (!pod.agrees()) {
            ArrayNode why = details.putArray("why");
            for (int i = 0; i < pod.differences().size(); i++) {
                why(why.addObject(), pod.differences().get(i), names(0), names(i + 1));
            }
        }
        return details;
    }

    private PolicyNames names(int scheduler) {
        return report.schedulers().get(scheduler).names();
    }

    /** In words, with the algorithms that cause the difference. */
    private void why(ObjectNode why, Difference difference, PolicyNames ofReference, PolicyNames ofOther) {
        boolean agrees = difference.agreement().agrees();
        why.put("text", agrees ? NONE : text(difference.text()));
        ArrayNode reference = why.putArray("reference");
        ArrayNode other = why.putArray("other");
        for (Cause cause : agrees ? List.<Cause>of() : difference.causes()) {
            Adjustment one = cause.leaveOut(Adjustment.NONE, true);
            Adjustment two = cause.leaveOut(Adjustment.NONE, false);
            one.withoutFilters().forEach(name -> reference.add(text(ofReference.filter(name))));
            two.withoutFilters().forEach(name -> other.add(text(ofOther.filter(name))));
            one.withoutScores().forEach(name -> reference.add(text(ofReference.score(name))));
            two.withoutScores().forEach(name -> other.add(text(ofOther.score(name))));
        }
    }

    private ObjectNode sheet(@Nullable ScoreSheet scores, PolicyNames names, Set<String> winners) {
        ObjectNode sheet = JsonNodeFactory.instance.objectNode();
        ArrayNode algorithms = sheet.putArray("algorithms");
        if (scores == null) {
            sheet.putNull("weights").putArray("nodes");
            sheet.putArray("rejected");
            return sheet;
        }
        scores.weights().keySet().forEach(algorithm -> algorithms.add(text(names.score(algorithm))));
        scores.weights().values().forEach(sheet.putArray("weights")::add);
        ArrayNode nodes = sheet.putArray("nodes");
        for (ScoreSheet.Row row : scores.rows()) {
            if (nodes.size() < NODES || winners.contains(row.node())) {
                ArrayNode one = nodes.addArray().add(text(row.node())).add(row.total());
                int column = 0;
                for (long weight : scores.weights().values()) {
                    one.add(weight * row.scores().get(column++));
                }
            }
        }
        ArrayNode rejected = sheet.putArray("rejected");
        for (ScoreSheet.Rejection rejection : scores.rejections()) {
            String algorithm = rejection.algorithm();
            ArrayNode one = rejected.addArray()
                    .add(text(algorithm.isEmpty() ? null : names.filter(algorithm)))
                    .add(text(rejection.reason()))
                    .add(rejection.count());
            ArrayNode examples = one.addArray();
            rejection.examples().forEach(node -> examples.add(text(node)));
        }
        return sheet;
    }

    /** Repeated texts of a page, each stored once: names of nodes and algorithms, causes and messages. */
    static final class Texts {
        private final Map<String, Integer> indices = new LinkedHashMap<>();
        private int length;

        /** The place of a text in the list, which is added to it when it is new. */
        int of(String text) {
            Integer known = indices.get(text);
            if (known != null) {
                return known;
            }
            length += text.length();
            indices.put(text, indices.size());
            return indices.size() - 1;
        }

        /** How many characters all texts have. */
        int length() {
            return length;
        }

        /** The list. */
        ArrayNode json() {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            indices.keySet().forEach(array::add);
            return array;
        }
    }
}
