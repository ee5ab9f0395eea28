package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The Markdown of an explanation, for a comment. */
final class ExplanationMarkdown {
    private static final int RANKS = 5;
    private static final int NAMES = 5;
    private static final int ROWS = 20;

    private ExplanationMarkdown() {}

    /** @param json as {@code explain -o json} gives it */
    static Markdown of(List<String> conclusion, JsonNode json) {
        Markdown page = new Markdown().conclusion(conclusion);
        List<List<String>> fits = new ArrayList<>();
        for (JsonNode fit : json.path("nearest")) {
            List<String> lifts = new ArrayList<>();
            fit.path("lifts").forEach(lift -> lifts.add(lift.path("text").asText()));
            List<String> nodes = new ArrayList<>();
            fit.path("nodes").forEach(node -> nodes.add(node.asText()));
            fits.add(List.of(Markdown.cell(String.join("; ", lifts)), Integer.toString(nodes.size()), names(nodes)));
        }
        page.details("Scores of the best nodes", scores(json));
        page.details("Rejected nodes by reason", against(json.path("failures")));
        return page.table(List.of("Change that makes a node feasible", "#Nodes", "For example"), fits, RANKS);
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
        Map<String, List<String>> nodes = new LinkedHashMap<>();
        failures.properties().forEach(failure -> {
            for (JsonNode obstacle : failure.getValue()) {
                obstacle.path("reasons")
                        .forEach(reason -> nodes.computeIfAbsent(reason.asText(), any -> new ArrayList<>())
                                .add(failure.getKey()));
            }
        });
        List<List<String>> rows = new ArrayList<>();
        nodes.entrySet().stream()
                .sorted(Comparator.comparingInt(reason -> -reason.getValue().size()))
                .forEach(reason -> rows.add(List.of(
                        Markdown.cell(reason.getKey()),
                        Integer.toString(reason.getValue().size()),
                        names(reason.getValue()))));
        return new Markdown().table(List.of("Reason", "#Nodes", "For example"), rows, ROWS);
    }
}
