package io.policyscheduler.cmd.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The part of a comparison that its HTML report shows: pods that differ, each with the best nodes of every decider. What would
 * make the file too large to open with ease is left out from the end, and counted.
 */
final class CompareHtml {
    /** Characters of JSON for the pods; the page and the nodes come on top of that. */
    private static final int POD_BUDGET = 2_000_000;
    /** From here on, pods come without the scores of nodes. */
    private static final int DETAIL_BUDGET = 1_600_000;

    private static final int NODES = 15;

    private CompareHtml() {}

    /**
     * Makes the data of the page.
     *
     * @param report as {@code compare -o json} gives it; not changed
     */
    public static ObjectNode of(ObjectNode report) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        copy(report, data, "pods");
        data.put("podCount", report.path("pods").size());
        ArrayNode pods = data.putArray("pods");
        int size = 0;
        int leftOut = 0;
        for (JsonNode pod : report.path("pods")) {
            if (pod.path("agree").asBoolean()) {
                continue;
            }
            ObjectNode shown = pod(pod, size < DETAIL_BUDGET);
            int length = shown.toString().length();
            if (size + length > POD_BUDGET) {
                leftOut++;
            } else {
                size += length;
                pods.add(shown);
            }
        }
        data.put("podsLeftOut", leftOut);
        return data;
    }

    /** Passes on whatever there is but what is too long or done anew. */
    private static void copy(JsonNode from, ObjectNode to, String... without) {
        Set<String> left = Set.of(without);
        from.properties().forEach(field -> {
            if (!left.contains(field.getKey())) {
                to.set(field.getKey(), field.getValue());
            }
        });
    }

    private static ObjectNode pod(JsonNode pod, boolean withDetails) {
        ObjectNode shown = JsonNodeFactory.instance.objectNode();
        copy(pod, shown, "results", "differences", "agree");
        Set<String> winners = new HashSet<>();
        pod.path("results").forEach(result -> winners.add(result.path("node").asText()));
        ArrayNode results = shown.putArray("results");
        for (JsonNode result : pod.path("results")) {
            ObjectNode kept = results.addObject();
            copy(result, kept, "details", "bestNodes");
            if (withDetails && result.path("details").isObject()) {
                details(kept.putObject("details"), result.path("details"), winners);
            }
        }
        ArrayNode differences = shown.putArray("differences");
        for (JsonNode difference : pod.path("differences")) {
            if (!difference.path("agreement").asText().equals("same")) {
                copy(difference, differences.addObject(), "causes", "otherReasons", "agreeOn");
            }
        }
        return shown;
    }

    private static void details(ObjectNode kept, JsonNode details, Set<String> winners) {
        kept.set("algorithms", details.path("algorithms"));
        kept.set("weights", details.path("weights"));
        kept.set("rejected", details.path("rejected"));
        ArrayNode nodes = kept.putArray("nodes");
        for (JsonNode node : details.path("nodes")) {
            if (nodes.size() < NODES || winners.contains(node.path("node").asText())) {
                ObjectNode one = nodes.addObject();
                for (String field : List.of("node", "total", "weighted")) {
                    one.set(field, node.path(field));
                }
            }
        }
    }
}
