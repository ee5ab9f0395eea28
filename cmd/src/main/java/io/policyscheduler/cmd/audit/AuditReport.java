package io.policyscheduler.cmd.audit;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.framework.insight.audit.AuditFinding;
import io.policyscheduler.framework.insight.audit.EvictionPlan;
import io.policyscheduler.framework.insight.explain.Obstacle;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Shows what an audit found.
 *
 * @param pods how many pods were looked at
 * @param plan what would be evicted; null when nobody asked
 * @param outcomes what came of the evictions; null when nothing was to be written
 */
record AuditReport(
        String decider,
        int pods,
        List<AuditFinding> findings,
        @Nullable EvictionPlan plan,
        @Nullable List<EvictionOutcome> outcomes,
        List<String> warnings) {
    public AuditReport {
        findings = List.copyOf(findings);
        warnings = List.copyOf(warnings);
    }

    /** Pods that would be rejected where they are. */
    public long violations() {
        return count(AuditFinding.Kind.VIOLATION);
    }

    /** What was found, in a sentence. */
    String conclusion() {
        if (pods == 0) {
            return "No running pod was looked at.";
        }
        long better = count(AuditFinding.Kind.BETTER_ELSEWHERE);
        long undecided = count(AuditFinding.Kind.UNDECIDED);
        String all = pods == 1 ? "The running pod is" : "All " + pods + " running pods are";
        String allowed = violations() == 0
                ? all + " allowed where " + (pods == 1 ? "it is" : "they are")
                : "Of " + pods + " running pods " + violations() + (violations() == 1 ? " is" : " are")
                        + " not allowed where " + (violations() == 1 ? "it is" : "they are");
        return allowed + "; " + (better == 0 ? "none" : better) + " would be better elsewhere"
                + (undecided == 0 ? "" : "; " + undecided + " could not be decided") + ".";
    }

    private long count(AuditFinding.Kind kind) {
        return findings.stream().filter(finding -> finding.kind() == kind).count();
    }

    /** Prints a table of each kind and a closing line. */
    public void print(PrintWriter out) {
        TextTable violations = new TextTable()
                .text("NOT ALLOWED")
                .text("ON")
                .text("FILTER")
                .text("REASON")
                .text("WOULD GO TO");
        TextTable better = new TextTable()
                .text("BETTER ELSEWHERE")
                .text("ON")
                .text("WOULD GO TO")
                .number("GAIN");
        TextTable undecided = new TextTable().text("NOT DECIDED").text("ON").text("ERROR");
        for (AuditFinding finding : findings) {
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
        for (TextTable table : List.of(violations, better, undecided)) {
            table.print(out);
            if (!table.isEmpty()) {
                out.println();
            }
        }
        if (plan != null) {
            printEvictions(out, plan);
        }
        out.print(pods + " pods looked at by " + decider + ": ");
        TerminalWriter.print(out, Verdict.of(violations() == 0), violations() + " not allowed where they are");
        out.println(", "
                + count(AuditFinding.Kind.BETTER_ELSEWHERE) + " better elsewhere"
                + (undecided.isEmpty() ? "" : ", " + count(AuditFinding.Kind.UNDECIDED) + " not decided"));
    }

    private static String filter(Obstacle obstacle) {
        return obstacle.filter().isEmpty() ? "-" : obstacle.filter();
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
        table.print(out);
        if (!table.isEmpty()) {
            out.println();
        }
        if (outcomes == null && !evictions.evictions().isEmpty()) {
            out.println("nothing was evicted; --dry-run=false does it");
        }
    }

    private Map<String, EvictionOutcome> byPod() {
        Map<String, EvictionOutcome> byPod = new HashMap<>();
        if (outcomes != null) {
            outcomes.forEach(outcome -> byPod.put(outcome.eviction().pod().key(), outcome));
        }
        return byPod;
    }

    /** The report for programs. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("decider", decider).put("pods", pods);
        json.put("violations", violations()).put("betterElsewhere", count(AuditFinding.Kind.BETTER_ELSEWHERE));
        json.put("undecided", count(AuditFinding.Kind.UNDECIDED));
        ArrayNode array = json.putArray("findings");
        for (AuditFinding finding : findings) {
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

    /** How many pods had which result of eviction; empty when nobody asked. */
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
}
