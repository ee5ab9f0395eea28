package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.framework.insight.compare.CompareReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The Markdown of {@code compare}, for a comment: the answer, the causes, the pods, and the load of the nodes. */
public final class CompareMarkdown {
    private static final int CAUSES = 20;
    private static final int PODS = 60;

    private final JsonNode report;
    private final Markdown page = new Markdown();

    private CompareMarkdown(JsonNode report) {
        this.report = report;
    }

    /**
     * The comment.
     *
     * @param conclusion the answer in sentences
     * @param report the report with the names for people
     */
    public static Markdown of(List<String> conclusion, JsonNode report) {
        CompareMarkdown made = new CompareMarkdown(report);
        made.page.conclusion(conclusion);
        for (int i = 0; i < report.path("comparisons").size(); i++) {
            made.details(i);
        }
        made.pairs();
        made.loads();
        return made.page;
    }

    private void pairs() {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode pair : report.path("comparisons")) {
            JsonNode counts = pair.path("counts");
            rows.add(List.of(
                    Markdown.code(pair.path("reference").asText()),
                    Markdown.code(pair.path("decider").asText()),
                    Percent.ofShare(pair.path("agreementRate").asDouble()) + " %",
                    sum(counts, "same", "tie"),
                    sum(counts, "different"),
                    sum(counts, "only-reference"),
                    sum(counts, "only-other"),
                    sum(counts, "neither"),
                    sum(counts, "error")));
        }
        Markdown counts = new Markdown()
                .table(
                        List.of(
                                "Reference",
                                "Other",
                                "#Agree",
                                "#Same node",
                                "#Move",
                                "#Become unschedulable",
                                "#Become schedulable",
                                "#Unschedulable with both",
                                "#Errors"),
                        rows,
                        rows.size());
        page.details("Number of pods by result", counts);
    }

    private static String sum(JsonNode counts, String... kinds) {
        int sum = 0;
        for (String kind : kinds) {
            sum += counts.path(kind).asInt();
        }
        return Integer.toString(sum);
    }

    private void details(int index) {
        JsonNode pair = report.path("comparisons").path(index);
        String other = report.path("comparisons").size() == 1
                ? ""
                : " (" + pair.path("decider").asText() + ")";
        List<List<String>> causes = new ArrayList<>();
        for (JsonNode cause : pair.path("causes")) {
            causes.add(List.of(
                    Markdown.text(cause.path("cause").asText()),
                    cause.path("pods").asText(),
                    Markdown.text(cause.path("advice").asText())));
        }
        if (!causes.isEmpty() && !other.isEmpty()) {
            page.paragraph("Causes" + Markdown.text(other) + ":");
        }
        page.table(List.of("Cause", "#Pods", "What to do"), causes, CAUSES);
        List<List<String>> pods = new ArrayList<>();
        for (JsonNode pod : report.path("pods")) {
            JsonNode difference = pod.path("differences").path(index);
            String agreement = difference.path("agreement").asText();
            if (!List.of("same", "tie", "neither").contains(agreement)) {
                pods.add(List.of(
                        Markdown.code(pod.path("pod").asText()),
                        node(pod.path("results").path(0)),
                        node(pod.path("results").path(index + 1)),
                        Markdown.cell(difference.path("cause").asText(""))));
            }
        }
        page.details(
                pods.size()
                        + (pods.size() == 1 ? " pod with a different decision" : " pods with different decisions")
                        + other,
                new Markdown()
                        .table(List.of("Pod", reference(), pair.path("decider").asText(), "Cause"), pods, PODS));
    }

    private String reference() {
        return report.path("comparisons").path(0).path("reference").asText();
    }

    private static String node(JsonNode result) {
        return result.path("node").isTextual()
                ? Markdown.code(result.path("node").asText())
                : "unschedulable";
    }

    private void loads() {
        List<List<String>> rows = new ArrayList<>();
        JsonNode summaries = report.path("summaries");
        CompareReport.Mode mode = report.path("mode").asText().equals(CompareReport.Mode.STEPS.toString())
                ? CompareReport.Mode.STEPS
                : CompareReport.Mode.RUN;
        for (int i = 0; i < CompareText.clusters(mode, summaries.size()); i++) {
            JsonNode summary = summaries.path(i);
            rows.add(List.of(
                    Markdown.code(summary.path("name").asText()),
                    share(summary.at("/nodes/cpu")),
                    share(summary.at("/nodes/memory")),
                    String.format(
                            Locale.ROOT,
                            "%.1f, at most %.0f",
                            summary.at("/nodes/pods/mean").asDouble(),
                            summary.at("/nodes/pods/max").asDouble()),
                    Integer.toString(summary.path("emptied").size())));
        }
        page.details(
                "Load of the nodes",
                new Markdown()
                        .table(
                                List.of("Cluster", "CPU", "Memory", "Pods on a node", "#Emptied nodes"),
                                rows,
                                rows.size()));
    }

    private static String share(JsonNode spread) {
        return Percent.ofShare(spread.path("mean").asDouble()) + " %, at most "
                + Percent.ofShare(spread.path("max").asDouble()) + " %";
    }
}
