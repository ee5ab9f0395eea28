package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** An explanation for a comment. */
final class ExplanationMarkdown {
    private static final int RANKS = 5;
    private static final int NAMES = 5;
    private static final int ROWS = 20;

    private ExplanationMarkdown() {}

    /** @param json as {@code explain -o json} gives it */
    static Markdown of(List<String> conclusion, JsonNode json) {
        Markdown page = new Markdown().conclusion(conclusion);
        page.paragraph("Decided by " + Markdown.code(json.path("decider").asText()) + ".");
        List<List<String>> fits = new ArrayList<>();
        for (JsonNode fit : json.path("nearest")) {
            List<String> lifts = new ArrayList<>();
            fit.path("lifts").forEach(lift -> lifts.add(lift.path("text").asText()));
            List<String> nodes = new ArrayList<>();
            fit.path("nodes").forEach(node -> nodes.add(node.asText()));
            fits.add(List.of(Markdown.cell(String.join("; ", lifts)), Integer.toString(nodes.size()), names(nodes)));
        }
        page.table(List.of("Changes that make a node feasible", "#Nodes", "Such as"), fits, RANKS);
        page.details("Scores of the best nodes", scores(json));
        return page.details("Rejected nodes by reason", against(json.path("failures")));
    }

    private static String names(List<String> nodes) {
        return nodes.stream().limit(NAMES).map(Markdown::code).collect(Collectors.joining(", "))
                + (nodes.size() > NAMES ? ", ..." : "");
    }

    private static Markdown scores(JsonNode json) {
        List<JsonNode> best = new ArrayList<>();
        for (JsonNode node : json.path("ranking")) {
            if (best.size() < RANKS) {
                best.add(node);
            }
        }
        List<String> head = new ArrayList<>(List.of("Score × weight", "#Weight"));
        best.forEach(node -> head.add("#" + node.path("node").asText()));
        List<List<String>> rows = new ArrayList<>();
        json.path("weights").properties().forEach(weight -> {
            List<String> row = new ArrayList<>(
                    List.of(Markdown.text(weight.getKey()), weight.getValue().asText()));
            best.forEach(node -> row.add(
                    Long.toString(node.path("scores").path(weight.getKey()).asLong()
                            * weight.getValue().asLong())));
            rows.add(row);
        });
        if (!rows.isEmpty()) {
            List<String> totals = new ArrayList<>(List.of("total", ""));
            best.forEach(node -> totals.add(node.path("total").asText()));
            rows.add(totals);
        }
        return new Markdown().table(head, rows, rows.size());
    }

    private static Markdown against(JsonNode failures) {
        Map<String, List<String>> nodes = new TreeMap<>();
        failures.properties().forEach(failure -> {
            for (JsonNode obstacle : failure.getValue()) {
                obstacle.path("reasons")
                        .forEach(reason -> nodes.computeIfAbsent(reason.asText(), any -> new ArrayList<>())
                                .add(failure.getKey()));
            }
        });
        List<List<String>> rows = new ArrayList<>();
        nodes.forEach((reason, names) ->
                rows.add(List.of(Markdown.cell(reason), Integer.toString(names.size()), names(names))));
        return new Markdown().table(List.of("Reason", "#Nodes", "Such as"), rows, ROWS);
    }
}
