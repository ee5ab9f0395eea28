package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.markdown.CompareMarkdown;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A migration for a comment: what is lost or differs, and folded the configuration and how pods are decided by it. */
final class MigrationMarkdown {
    private static final int ROWS = 40;

    private MigrationMarkdown() {}

    /**
     * @param json as {@code migrate -o json} gives it
     * @param verification as {@code compare -o json} gives it; null when nobody asked
     */
    static Markdown of(List<String> conclusion, JsonNode json, @Nullable JsonNode verification) {
        List<List<String>> findings = new ArrayList<>();
        List<List<String>> remarks = new ArrayList<>();
        for (JsonNode finding : json.path("findings")) {
            String wayOut = finding.path("wayOut").asText("");
            (finding.path("level").asText().equals("info") ? remarks : findings)
                    .add(List.of(
                            finding.path("code").asText(),
                            finding.path("level").asText(),
                            Markdown.text(finding.path("item").asText()),
                            Markdown.cell(finding.path("text").asText())
                                    + (wayOut.isEmpty() ? "" : "<br>Way out: " + Markdown.cell(wayOut))));
        }
        List<String> head = List.of("Code", "Level", "Of the policy", "What");
        Markdown page = new Markdown().conclusion(conclusion).table(head, findings, ROWS);
        page.details(
                remarks.size() + (remarks.size() == 1 ? " remark" : " remarks"),
                new Markdown().table(head, remarks, ROWS));
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
                : page.details("How pods are decided by it", CompareMarkdown.of(List.of(), verification));
    }
}
