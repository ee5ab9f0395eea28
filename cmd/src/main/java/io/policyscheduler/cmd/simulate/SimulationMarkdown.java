package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;

/** The Markdown of a simulation, for a comment. */
final class SimulationMarkdown {
    private static final int CAUSES = 20;
    private static final int PODS = 60;
    private static final double ALL = 100;

    private SimulationMarkdown() {}

    /** @param json the report with the names of the policy */
    static Markdown of(List<String> answer, JsonNode json) {
        Markdown page = new Markdown().conclusion(answer);
        List<String> changes = new ArrayList<>();
        json.path("changes").forEach(change -> changes.add(Markdown.text(change.asText())));
        page.list(changes);
        List<List<String>> causes = new ArrayList<>();
        for (JsonNode cause : json.path("causes")) {
            causes.add(List.of(
                    Markdown.cell(cause.path("reason").asText()),
                    cause.path("pods").asText(),
                    Markdown.code(cause.path("example").asText()),
                    Markdown.text(cause.path("advice").asText())));
        }
        page.table(List.of("Reason", "#Pods", "For example", "What to do"), causes, CAUSES);
        List<List<String>> placed = new ArrayList<>();
        List<List<String>> unschedulable = new ArrayList<>();
        for (JsonNode pod : json.path("pods")) {
            String name = Markdown.code(pod.path("pod").asText());
            if (pod.path("node").isTextual()) {
                placed.add(List.of(
                        name,
                        Markdown.code(pod.path("node").asText()),
                        pod.path("feasible").asText()));
            } else {
                unschedulable.add(
                        List.of(name, Markdown.cell(pod.path("message").asText())));
            }
        }
        JsonNode fit = json.path("fit");
        if (fit.isObject()) {
            page.paragraph("Room for " + fit.path("count").asText() + " more of "
                    + Markdown.code(fit.path("pod").asText()) + ".");
        }
        page.details(
                unschedulable.size()
                        + (unschedulable.size() == 1 ? " pod is unschedulable" : " pods are unschedulable"),
                new Markdown().table(List.of("Pod", "Message"), unschedulable, PODS));
        page.details(
                placed.size() + (placed.size() == 1 ? " pod is placed" : " pods are placed"),
                new Markdown().table(List.of("Pod", "Node", "#Feasible nodes"), placed, PODS));
        return page.details("Load of the cluster", loads(json.path("utilisation")));
    }

    private static Markdown loads(JsonNode use) {
        List<List<String>> rows = new ArrayList<>();
        for (String resource : List.of("cpu", "memory", "pods")) {
            rows.add(List.of(
                    resource,
                    share(use.path("before").path(resource)),
                    share(use.path("after").path(resource))));
        }
        return new Markdown().table(List.of("Requested", "#Before", "#After"), rows, rows.size());
    }

    private static String share(JsonNode part) {
        double has = part.path("allocatable").asDouble();
        return Percent.of(has == 0 ? 0 : ALL * part.path("requested").asDouble() / has) + " %";
    }
}
