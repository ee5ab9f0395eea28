package io.policyscheduler.cmd.audit;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;

/** The Markdown report of an audit: violations first, the other findings as foldable sections. */
final class AuditMarkdown {
    private static final int VIOLATIONS = 20;
    private static final int MORE = 60;

    private AuditMarkdown() {}

    static Markdown of(AuditReport report) {
        JsonNode json = report.json();
        List<List<String>> violations = new ArrayList<>();
        List<List<String>> better = new ArrayList<>();
        List<List<String>> undecided = new ArrayList<>();
        for (JsonNode finding : json.path("findings")) {
            String pod = Markdown.code(finding.path("pod").asText());
            String node = Markdown.code(finding.path("node").asText());
            switch (finding.path("kind").asText()) {
                case "violation" ->
                    violations.add(List.of(pod, node, obstacles(report, finding), name(finding.path("better"))));
                case "better-elsewhere" ->
                    better.add(List.of(
                            pod,
                            node,
                            name(finding.path("better")),
                            Percent.of(finding.path("gainPercent").asDouble()) + " %"));
                default ->
                    undecided.add(List.of(
                            pod, node, Markdown.cell(finding.path("error").asText(""))));
            }
        }
        List<List<String>> evictions = new ArrayList<>();
        for (JsonNode eviction : json.path("evictions")) {
            evictions.add(List.of(
                    Markdown.code(eviction.path("pod").asText()),
                    name(eviction.path("to")),
                    Markdown.text(eviction.path("result").asText()),
                    Markdown.cell(eviction.path("message").asText(""))));
        }
        List<List<String>> causes = new ArrayList<>();
        report.causes()
                .forEach((cause, pods) -> causes.add(List.of(
                        Markdown.text(cause.filter()),
                        String.valueOf(pods.size()),
                        Markdown.cell(cause.reason()),
                        Markdown.code(pods.get(0)))));
        return new Markdown()
                .conclusion(List.of(report.conclusion()))
                .table(List.of("Rejected by", "#Pods", "Reason", "For example"), causes, VIOLATIONS)
                .table(List.of("Not allowed", "On", "Reason", "Would go to"), violations, VIOLATIONS)
                .details(
                        better.size() + " would score higher on another node",
                        new Markdown().table(List.of("Pod", "On", "Would go to", "#Gain"), better, MORE))
                .details(
                        undecided.size() + " not checked",
                        new Markdown().table(List.of("Pod", "On", "Error"), undecided, VIOLATIONS))
                .details("Evictions", new Markdown().table(List.of("Pod", "To", "Result", "Message"), evictions, MORE));
    }

    private static String name(JsonNode name) {
        return name.isTextual() ? Markdown.code(name.asText()) : "";
    }

    private static String obstacles(AuditReport report, JsonNode finding) {
        List<String> all = new ArrayList<>();
        for (JsonNode obstacle : finding.path("obstacles")) {
            List<String> reasons = new ArrayList<>();
            obstacle.path("reasons").forEach(reason -> reasons.add(reason.asText()));
            all.add(report.names().filter(obstacle.path("filter").asText("-")) + ": " + String.join(", ", reasons));
        }
        return Markdown.cell(String.join("; ", all));
    }
}
