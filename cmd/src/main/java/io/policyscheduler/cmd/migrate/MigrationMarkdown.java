package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.markdown.CompareMarkdown;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The Markdown report of a migration: the tables, and the details, the configuration, and the comparison as foldable sections. */
final class MigrationMarkdown {
    private static final int ROWS = 40;

    private MigrationMarkdown() {}

    /**
     * @param json the output of {@code migrate -o json} with the rows of {@link MigrationTable}
     * @param verification the output of {@code compare -o json}; null without {@code --verify}
     */
    static Markdown of(List<String> conclusion, JsonNode json, @Nullable JsonNode verification) {
        Markdown page = new Markdown().conclusion(conclusion);
        List<String> head = List.of("Code", "Algorithm", "Plugin", "Result", "Effect", "What to do");
        page.table(head, rows(json.path("algorithms"), MigrationMarkdown::algorithm), ROWS);
        List<String> otherHead = List.of("Code", "Other change", "Effect", "What to do");
        page.table(otherHead, rows(json.path("others"), MigrationMarkdown::other), ROWS);
        List<List<String>> details = new ArrayList<>(rows(json.path("algorithms"), MigrationMarkdown::detail));
        details.addAll(rows(json.path("others"), MigrationMarkdown::detail));
        page.details("Details", new Markdown().table(List.of("Code", "About", "Effect", "Fix"), details, ROWS));
        page.details(
                "Configuration",
                new Markdown().block("yaml", json.path("configuration").asText()));
        for (JsonNode extender : json.path("extenders")) {
            page.details(
                    "Policy of the extender",
                    new Markdown()
                            .paragraph(Markdown.code(extender.path("command").asText()))
                            .block("json", extender.path("policy").asText()));
        }
        return verification == null
                ? page
                : page.details("Comparison on the dump", CompareMarkdown.of(List.of(), verification));
    }

    private static List<List<String>> rows(JsonNode findings, Function<JsonNode, List<String>> row) {
        List<List<String>> rows = new ArrayList<>();
        findings.forEach(finding -> rows.add(row.apply(finding)));
        return rows;
    }

    private static List<String> algorithm(JsonNode finding) {
        return List.of(
                text(finding, "code"),
                Markdown.code(finding.path("subject").asText()),
                text(finding, "plugin"),
                text(finding, "result"),
                text(finding, "effect"),
                text(finding, "action"));
    }

    private static List<String> other(JsonNode finding) {
        return List.of(
                text(finding, "code"), text(finding, "subject"), text(finding, "effect"), text(finding, "action"));
    }

    private static List<String> detail(JsonNode finding) {
        return List.of(
                text(finding, "code"),
                text(finding, "subject"),
                Markdown.text(finding.path("text").asText()),
                Markdown.text(finding.path("wayOut").asText()));
    }

    private static String text(JsonNode finding, String field) {
        return Markdown.text(finding.path(field).asText());
    }
}
