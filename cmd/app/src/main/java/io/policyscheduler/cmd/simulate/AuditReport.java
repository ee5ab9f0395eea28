package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Markdown;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.cmd.simulate.Evictor.EvictionOutcome;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import io.policyscheduler.framework.insight.whatif.Audit.Finding;
import io.policyscheduler.framework.insight.whatif.EvictionPlan;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The report of an audit.
 *
 * @param decider the scheduler that the pods are checked against
 * @param names the names of algorithms in the policy
 * @param pods the number of running pods that were checked
 * @param plan the evictions; null without {@code --evict}
 * @param outcomes the results of the evictions; null in a dry run
 */
record AuditReport(
        String decider,
        PolicyNames names,
        int pods,
        List<Finding> findings,
        @Nullable EvictionPlan plan,
        @Nullable List<EvictionOutcome> outcomes,
        List<String> warnings) {
    public AuditReport {
        findings = List.copyOf(findings);
        warnings = List.copyOf(warnings);
    }

    /** Returns the number of pods that are not allowed where they run. */
    public long violations() {
        return count(Finding.Kind.VIOLATION);
    }

    /** Returns the answer in one sentence. */
    String conclusion() {
        return checked() + ": " + allowed() + also() + ".";
    }

    private String checked() {
        return pods + (pods == 1 ? " running pod" : " running pods") + " checked with "
                + SchedulerNames.of(List.of(decider)).get(0);
    }

    private String allowed() {
        if (pods == 0) {
            return "no pod to check";
        }
        if (violations() == 0) {
            return pods == 1 ? "its node is feasible" : "all run on feasible nodes";
        }
        return violations()
                + (violations() == 1 ? " runs on a node that is not feasible" : " run on nodes that are not feasible");
    }

    private String also() {
        long better = count(Finding.Kind.BETTER_ELSEWHERE);
        long undecided = count(Finding.Kind.UNDECIDED);
        return (better == 0 ? "" : ", " + better + " would score higher on another node")
                + (undecided == 0 ? "" : ", " + undecided + " could not be checked");
    }

    private long count(Finding.Kind kind) {
        return findings.stream().filter(finding -> finding.kind() == kind).count();
    }

    /** A filter and its message, which reject pods on their nodes. */
    record Cause(String filter, String reason) {}

    /** Returns the pods that each cause rejects, the most frequent cause first. */
    Map<Cause, List<String>> causes() {
        Map<Cause, List<String>> causes = new LinkedHashMap<>();
        for (Finding finding : findings) {
            if (finding.kind() == Finding.Kind.VIOLATION) {
                for (Obstacle obstacle : finding.obstacles()) {
                    causes.computeIfAbsent(
                                    new Cause(filter(obstacle), String.join(", ", obstacle.reasons())),
                                    unused -> new ArrayList<>())
                            .add(finding.pod().key());
                }
            }
        }
        Map<Cause, List<String>> sorted = new LinkedHashMap<>();
        causes.entrySet().stream()
                .sorted(Comparator.comparingInt(cause -> -cause.getValue().size()))
                .forEach(cause -> sorted.put(cause.getKey(), cause.getValue()));
        return sorted;
    }

    /** Prints the answer, the causes of violations, and a table of each kind of finding. */
    public void print(PrintWriter out) {
        out.print(checked() + ": ");
        TerminalWriter.print(out, Verdict.of(violations() == 0), allowed());
        out.println(also());
        TextTable causes = new TextTable()
                .text("REJECTED BY")
                .number("PODS")
                .text("REASON")
                .text("FOR EXAMPLE");
        causes().forEach((cause, rejected) ->
                causes.row(cause.filter(), rejected.size(), cause.reason(), rejected.get(0)));
        TextTable violations = new TextTable()
                .text("NOT ALLOWED")
                .text("RUNS ON")
                .text("REJECTED BY")
                .text("REASON")
                .text("WOULD RUN ON");
        TextTable better = new TextTable()
                .text("POD WITH A BETTER NODE")
                .text("RUNS ON")
                .text("WOULD RUN ON")
                .number("GAIN");
        TextTable undecided =
                new TextTable().text("NOT CHECKED").text("RUNS ON").text("ERROR");
        for (Finding finding : findings) {
            String pod = finding.pod().key();
            String node = finding.pod().nodeName();
            String to = finding.better() == null ? "-" : finding.better();
            switch (finding.kind()) {
                case VIOLATION ->
                    finding.obstacles()
                            .forEach(obstacle -> violations.row(
                                    pod, node, filter(obstacle), String.join(", ", obstacle.reasons()), to));
                case BETTER_ELSEWHERE -> better.row(pod, node, to, percent(finding.gain()));
                case UNDECIDED -> undecided.row(pod, node, finding.error());
            }
        }
        for (TextTable table : List.of(causes, violations, better, undecided)) {
            if (!table.isEmpty()) {
                out.println();
                table.print(out);
            }
        }
        if (plan != null) {
            printEvictions(out, plan);
        }
    }

    private String filter(Obstacle obstacle) {
        return obstacle.filter().isEmpty() ? "-" : names.filter(obstacle.filter());
    }

    private static String percent(double gain) {
        return Percent.of(gain) + "%";
    }

    private void printEvictions(PrintWriter out, EvictionPlan evictions) {
        TextTable table =
                new TextTable().text("EVICTION").text("FROM").text("TO").text("RESULT");
        Map<String, EvictionOutcome> byPod = byPod();
        for (EvictionPlan.Eviction eviction : evictions.evictions()) {
            String pod = eviction.pod().key();
            EvictionOutcome outcome = byPod.get(pod);
            String result = outcome == null
                    ? "would be evicted"
                    : outcome.kind().name().toLowerCase(Locale.ROOT)
                            + (outcome.message().isEmpty() ? "" : ": " + outcome.message());
            table.row(pod, eviction.pod().nodeName(), eviction.to(), result);
        }
        evictions.spared().forEach((pod, reason) -> table.row(pod, "", "", "stays: " + reason));
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
        if (outcomes == null && !evictions.evictions().isEmpty()) {
            out.println();
            out.println("No pod was evicted. Use --dry-run=false to evict these pods.");
        }
    }

    private Map<String, EvictionOutcome> byPod() {
        Map<String, EvictionOutcome> byPod = new HashMap<>();
        if (outcomes != null) {
            outcomes.forEach(outcome -> byPod.put(outcome.eviction().pod().key(), outcome));
        }
        return byPod;
    }

    /** The report as JSON. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("decider", decider).put("pods", pods);
        json.put("violations", violations()).put("betterElsewhere", count(Finding.Kind.BETTER_ELSEWHERE));
        json.put("undecided", count(Finding.Kind.UNDECIDED));
        ArrayNode array = json.putArray("findings");
        for (Finding finding : findings) {
            ObjectNode one = array.addObject();
            one.put("pod", finding.pod().key()).put("node", finding.pod().nodeName());
            one.put("kind", finding.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
            ArrayNode obstacles = one.putArray("obstacles");
            for (Obstacle obstacle : finding.obstacles()) {
                ObjectNode against = obstacles.addObject();
                against.put("filter", obstacle.filter().isEmpty() ? null : obstacle.filter());
                obstacle.reasons().forEach(against.putArray("reasons")::add);
            }
            one.put("error", finding.error().isEmpty() ? null : finding.error());
            one.put("better", finding.better()).put("gainPercent", finding.gain());
        }
        evictions(json);
        warnings.forEach(json.putArray("warnings")::add);
        return json;
    }

    /** Returns the number of pods for each result of eviction; empty without {@code --evict}. */
    Map<String, Integer> results() {
        Map<String, Integer> results = new TreeMap<>();
        if (plan != null) {
            results.put("spared", plan.spared().size());
            Map<String, EvictionOutcome> byPod = byPod();
            plan.evictions().forEach(eviction -> {
                EvictionOutcome outcome = byPod.get(eviction.pod().key());
                results.merge(
                        outcome == null ? "planned" : outcome.kind().name().toLowerCase(Locale.ROOT), 1, Integer::sum);
            });
        }
        return results;
    }

    private void evictions(ObjectNode json) {
        if (plan == null) {
            json.putNull("evictions");
            return;
        }
        ArrayNode array = json.putArray("evictions");
        Map<String, EvictionOutcome> byPod = byPod();
        for (EvictionPlan.Eviction eviction : plan.evictions()) {
            String pod = eviction.pod().key();
            EvictionOutcome outcome = byPod.get(pod);
            array.addObject()
                    .put("pod", pod)
                    .put("to", eviction.to())
                    .put(
                            "result",
                            outcome == null ? "planned" : outcome.kind().name().toLowerCase(Locale.ROOT))
                    .put("message", outcome == null || outcome.message().isEmpty() ? null : outcome.message());
        }
        plan.spared().forEach((pod, reason) -> {
            ObjectNode one = array.addObject().put("pod", pod);
            one.putNull("to");
            one.put("result", "spared").put("message", reason);
        });
    }

    /** The HTML report of an audit. */
    static final class AuditHtml {
        /** Browsers display this number of findings without delay. */
        private static final int FINDINGS = 5000;

        private AuditHtml() {}

        static PageContent page(AuditReport report) {
            ObjectNode data = report.json();
            JsonNode findings = data.path("findings");
            ArrayNode shown = data.putArray("findings");
            for (JsonNode finding : findings) {
                if (shown.size() < FINDINGS) {
                    shown.add(finding);
                    for (JsonNode obstacle : finding.path("obstacles")) {
                        String filter = obstacle.path("filter").asText("");
                        ((ObjectNode) obstacle).put("filter", report.names().filter(filter));
                    }
                }
            }
            data.put("findingsLeftOut", findings.size() - shown.size());
            return new PageContent(
                    PageContent.View.AUDIT,
                    "audit: " + SchedulerNames.of(List.of(report.decider())).get(0),
                    List.of(report.conclusion()),
                    data);
        }
    }

    /** The Markdown report of an audit: violations first, the other findings as foldable sections. */
    static final class AuditMarkdown {
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
                    .table(List.of("Not allowed", "Runs on", "Reason", "Would run on"), violations, VIOLATIONS)
                    .details(
                            better.size() + " would score higher on another node",
                            new Markdown().table(List.of("Pod", "Runs on", "Would run on", "#Gain"), better, MORE))
                    .details(
                            undecided.size() + " not checked",
                            new Markdown().table(List.of("Pod", "Runs on", "Error"), undecided, VIOLATIONS))
                    .details(
                            "Evictions",
                            new Markdown().table(List.of("Pod", "To", "Result", "Message"), evictions, MORE));
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

    /** The findings of an audit as a metrics file for the textfile collector of the node exporter. */
    static final class AuditMetrics {
        private final AuditReport report;

        AuditMetrics(AuditReport report) {
            this.report = report;
        }

        /**
         * Replaces the file atomically, so that a reader never sees a part of it.
         *
         * @throws IOException if it cannot be written
         */
        void write(Path file) throws IOException {
            Path next = file.resolveSibling(file.getFileName() + ".new");
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            PrometheusTextFormatWriter.builder().build().write(text, registry().scrape());
            Files.write(next, text.toByteArray());
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }

        private PrometheusRegistry registry() {
            PrometheusRegistry registry = new PrometheusRegistry();
            Gauge.builder()
                    .name("policy_scheduler_audit_pods")
                    .help("Pods in the last audit.")
                    .register(registry)
                    .set(report.pods());
            Gauge findings = Gauge.builder()
                    .name("policy_scheduler_audit_findings")
                    .help("Pods in violation, better on another node, or undecided.")
                    .labelNames("kind")
                    .register(registry);
            for (Finding.Kind kind : Finding.Kind.values()) {
                findings.labelValues(kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .set(report.findings().stream()
                                .filter(finding -> finding.kind() == kind)
                                .count());
            }
            Map<String, Integer> results = report.results();
            if (!results.isEmpty()) {
                Gauge evictions = Gauge.builder()
                        .name("policy_scheduler_audit_evictions")
                        .help("Results of evictions; planned without --dry-run=false.")
                        .labelNames("result")
                        .register(registry);
                results.forEach((result, pods) -> evictions.labelValues(result).set(pods));
            }
            return registry;
        }
    }
}
