package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.html.PageContent;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.explain.ScoreGap;
import java.util.ArrayList;
import java.util.List;

/** An explanation as a page, and what it comes to in sentences. */
final class ExplanationHtml {
    /** Nodes that fit, each with its scores; the best ones. */
    private static final int NODES = 100;

    private ExplanationHtml() {}

    /** @param json as {@code explain -o json} gives it; changed */
    static PageContent page(Explanation explanation, ObjectNode json) {
        JsonNode ranking = json.path("ranking");
        json.put("rankingCount", ranking.size());
        ArrayNode best = json.putArray("ranking");
        for (JsonNode node : ranking) {
            if (best.size() < NODES || node.path("node").asText().equals(explanation.askedNode())) {
                best.add(node);
            }
        }
        return new PageContent(
                PageContent.View.EXPLAIN, "explain: " + explanation.pod().key(), conclusion(explanation), json);
    }

    /** Where the pod goes and what tells that node from the next one; or why nowhere, and the fewest changes for a place. */
    static List<String> conclusion(Explanation explanation) {
        String pod = explanation.pod().key();
        String winner = explanation.winner();
        List<String> sentences = new ArrayList<>();
        if (winner == null) {
            sentences.add(pod + " is unschedulable: " + explanation.evaluation().error());
            if (explanation.nearest() != null) {
                explanation.nearest().groups().entrySet().stream().findFirst().ifPresent(group -> {
                    int nodes = group.getValue().size();
                    sentences.add(
                            (nodes == 1 ? "1 node becomes feasible with: " : nodes + " nodes become feasible with: ")
                                    + String.join("; ", group.getKey()) + ".");
                });
            }
            return sentences;
        }
        int fit = explanation.evaluation().feasible().size();
        int all = fit + explanation.evaluation().failures().size();
        sentences.add(pod + (winner.equals(explanation.pod().nodeName()) ? " would stay on " : " would go to ") + winner
                + "; " + fit + " of " + all + (all == 1 ? " node is feasible." : " nodes are feasible."));
        String other = explanation.runnerUp();
        if (other != null) {
            ScoreGap gap = ScoreGap.of(explanation.evaluation(), winner, other);
            sentences.add(
                    gap.gap() == 0
                            ? other + " has the same total."
                            : winner + " beats " + other + " by " + gap.gap()
                                    + (gap.tippedBy() == null ? "." : ", because of " + gap.tippedBy() + "."));
        }
        return sentences;
    }
}
