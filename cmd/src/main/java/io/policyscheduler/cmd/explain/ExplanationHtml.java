package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.html.PageContent;
import io.policyscheduler.framework.insight.explain.Explanation;
import java.util.List;

/** The HTML page of an explanation. */
final class ExplanationHtml {
    /** The maximum number of feasible nodes with scores. */
    private static final int NODES = 100;

    private ExplanationHtml() {}

    /**
     * The page of an explanation.
     *
     * @param answer in sentences
     * @param json as {@code explain -o json} prints it, with the names of the policy; changed
     */
    static PageContent page(Explanation explanation, List<String> answer, ObjectNode json) {
        JsonNode ranking = json.path("ranking");
        json.put("rankingCount", ranking.size());
        ArrayNode best = json.putArray("ranking");
        for (JsonNode node : ranking) {
            if (best.size() < NODES || node.path("node").asText().equals(explanation.askedNode())) {
                best.add(node);
            }
        }
        return new PageContent(
                PageContent.View.EXPLAIN, "explain: " + explanation.pod().key(), answer, json);
    }
}
