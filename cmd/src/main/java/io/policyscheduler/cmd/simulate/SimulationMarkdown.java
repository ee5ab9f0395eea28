package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;

/** A simulation for a comment. */
final class SimulationMarkdown {
    private static final int UNSCHEDULABLE = 10;
    private static final int MORE = 60;
    private static final double ALL = 100;

    private SimulationMarkdown() {}

    /** @param json as {@code simulate -o json} gives it */
    static Markdown of(String conclusion, JsonNode json) {
        Markdown page = new Markdown().conclusion(List.of(conclusion));
        List<String> changes = new ArrayList<>();
        json.path("changes").forEach(change -> changes.add(Markdown.text(change.asText())));
        page.list(changes);
        List<List<String>> placed = new ArrayList<>();
        List<List<String>> left = new ArrayList<>();
        for (JsonNode pod : json.path("pods")) {
            String name = Markdown.code(pod.path("pod").asText());
            if (pod.path("node").isTextual()) {
                placed.add(List.of(
                        name,
                        Markdown.code(pod.path("node").asText()),
                        pod.path("feasible").asText()));
            } else {
                left.add(List.of(name, Markdown.cell(pod.path("message").asText())));
            }
        }
        page.table(
                List.of("Without a place", "Why"),
                left.subList(0, Math.min(UNSCHEDULABLE, left.size())),
                UNSCHEDULABLE);
        JsonNode fit = json.path("fit");
        if (fit.isObject()) {
            page.paragraph("Room for " + fit.path("count").asText() + " more of "
                    + Markdown.code(fit.path("pod").asText()) + ".");
        }
        if (left.size() > UNSCHEDULABLE) {
            page.details(
                    (left.size() - UNSCHEDULABLE) + " more without a place",
                    new Markdown().table(List.of("Pod", "Why"), left.subList(UNSCHEDULABLE, left.size()), MORE));
        }
        page.details(
                placed.size() + (placed.size() == 1 ? " pod placed" : " pods placed"),
                new Markdown().table(List.of("Pod", "Node", "#Nodes that fit"), placed, MORE));
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
