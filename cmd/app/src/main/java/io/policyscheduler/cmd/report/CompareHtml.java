package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

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
    private static final List<String> ORDER =
            List.of("only-reference", "error", "different", "only-other", "neither", "tie", "same");

    private final ObjectNode report;
    private final Texts texts = new Texts();

    private CompareHtml(ObjectNode report) {
        this.report = report;
    }

    /**
     * Makes the data of the page.
     *
     * @param report with the names for people; not changed
     */
    public static ObjectNode of(ObjectNode report) {
        return new CompareHtml(report).data();
    }

    private ObjectNode data() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        copy(report, data, "pods");
        List<JsonNode> pods = StreamSupport.stream(report.path("pods").spliterator(), false)
                .sorted(Comparator.comparingInt(CompareHtml::urgency))
                .toList();
        data.put("podCount", pods.size());
        data.set("flows", flows(pods));
        ArrayNode rows = data.putArray("pods");
        int size = 0;
        List<ObjectNode> shown = new ArrayList<>();
        for (JsonNode pod : pods) {
            ObjectNode row = row(pod);
            size += row.toString().length();
            if (size + texts.length() > POD_BUDGET) {
                break;
            }
            shown.add(row);
            rows.add(row);
        }
        data.put("podsLeftOut", pods.size() - shown.size());
        unfold(pods, shown);
        data.set("texts", texts.json());
        return data;
    }

    private void unfold(List<JsonNode> pods, List<ObjectNode> rows) {
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

    /** Copies all fields except those that are computed again. */
    private static void copy(JsonNode from, ObjectNode to, String... without) {
        Set<String> left = Set.of(without);
        from.properties().forEach(field -> {
            if (!left.contains(field.getKey())) {
                to.set(field.getKey(), field.getValue());
            }
        });
    }

    private static int urgency(JsonNode pod) {
        int urgency = ORDER.size();
        for (JsonNode difference : pod.path("differences")) {
            urgency =
                    Math.min(urgency, ORDER.indexOf(difference.path("agreement").asText()));
        }
        return urgency;
    }

    /** For each other decider how many pods go from where to where: two texts and a count. */
    private ArrayNode flows(List<JsonNode> pods) {
        record Way(int from, int to) {}
        ArrayNode flows = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < report.path("comparisons").size(); i++) {
            Map<Way, Integer> counts = new LinkedHashMap<>();
            for (JsonNode pod : pods) {
                JsonNode results = pod.path("results");
                counts.merge(
                        new Way(
                                text(results.path(0).path("node")),
                                text(results.path(i + 1).path("node"))),
                        1,
                        Integer::sum);
            }
            ArrayNode ways = flows.addArray();
            counts.forEach((way, count) ->
                    ways.addArray().add(way.from()).add(way.to()).add(count));
        }
        return flows;
    }

    private int text(JsonNode text) {
        return text.isTextual() ? texts.of(text.asText()) : NONE;
    }

    private ObjectNode row(JsonNode pod) {
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        row.set("pod", pod.path("pod"));
        if (pod.path("ranOn").isTextual()) {
            row.put("ranOn", text(pod.path("ranOn")));
        }
        ArrayNode results = row.putArray("results");
        for (JsonNode result : pod.path("results")) {
            results.addArray()
                    .add(text(result.path("node")))
                    .add(result.path("best").asInt())
                    .add(result.path("feasible").asInt())
                    .add(text(result.path("message")));
        }
        ArrayNode differences = row.putArray("differences");
        for (JsonNode difference : pod.path("differences")) {
            ArrayNode one = differences.addArray();
            one.add(text(difference.path("agreement"))).add(text(difference.path("cause")));
            texts(one.addArray(), difference.path("titles"));
        }
        return row;
    }

    private ObjectNode details(JsonNode pod) {
        ObjectNode details = JsonNodeFactory.instance.objectNode();
        List<String> winners = new ArrayList<>();
        pod.path("results").forEach(result -> winners.add(result.path("node").asText()));
        if (StreamSupport.stream(pod.path("results").spliterator(), false)
                .anyMatch(result -> result.path("details").isObject())) {
            ArrayNode sheets = details.putArray("sheets");
            for (JsonNode result : pod.path("results")) {
                sheets.add(sheet(result.path("details"), winners));
            }
        }
        if (!pod.path("agree").asBoolean()) {
            ArrayNode why = details.putArray("why");
            pod.path("differences").forEach(difference -> why(why.addObject(), difference));
        }
        return details;
    }

    /** In words, with the algorithms that cause the difference. */
    private void why(ObjectNode why, JsonNode difference) {
        why.put("text", text(difference.path("text")));
        ArrayNode reference = why.putArray("reference");
        ArrayNode other = why.putArray("other");
        for (JsonNode cause : difference.path("causes")) {
            for (String kind : List.of("filters", "scores")) {
                cause.path("leaveOutOfReference").path(kind).forEach(name -> reference.add(text(name)));
                cause.path("leaveOutOfDecider").path(kind).forEach(name -> other.add(text(name)));
            }
        }
    }

    private ObjectNode sheet(JsonNode details, List<String> winners) {
        ObjectNode sheet = JsonNodeFactory.instance.objectNode();
        texts(sheet.putArray("algorithms"), details.path("algorithms"));
        sheet.set("weights", details.path("weights"));
        ArrayNode nodes = sheet.putArray("nodes");
        for (JsonNode node : details.path("nodes")) {
            if (nodes.size() < NODES || winners.contains(node.path("node").asText())) {
                ArrayNode one = nodes.addArray().add(text(node.path("node"))).add(node.path("total"));
                node.path("weighted").forEach(one::add);
            }
        }
        ArrayNode rejected = sheet.putArray("rejected");
        for (JsonNode group : details.path("rejected")) {
            ArrayNode one = rejected.addArray()
                    .add(text(group.path("algorithm")))
                    .add(text(group.path("reason")))
                    .add(group.path("nodes"));
            texts(one.addArray(), group.path("examples"));
        }
        return sheet;
    }

    private void texts(ArrayNode to, JsonNode from) {
        from.forEach(text -> to.add(text(text)));
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
