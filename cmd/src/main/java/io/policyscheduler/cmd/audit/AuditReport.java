package io.policyscheduler.cmd.audit;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.audit.Audit.Finding;
import io.policyscheduler.framework.insight.audit.EvictionPlan;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import java.io.PrintWriter;
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
        return pods + (pods == 1 ? " running pod" : " running pods") + " checked against "
                + SchedulerNames.of(List.of(decider)).get(0);
    }

    private String allowed() {
        if (pods == 0) {
            return "no pod to check";
        }
        if (violations() == 0) {
            return pods == 1 ? "it is allowed where it runs" : "all are allowed where they run";
        }
        return violations() + (violations() == 1 ? " is not allowed where it runs" : " are not allowed where they run");
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

    /** A filter and its message, by which pods are not allowed where they run. */
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
                .text("ON")
                .text("REJECTED BY")
                .text("REASON")
                .text("WOULD GO TO");
        TextTable better = new TextTable()
                .text("BETTER ON ANOTHER NODE")
                .text("ON")
                .text("WOULD GO TO")
                .number("GAIN");
        TextTable undecided = new TextTable().text("NOT CHECKED").text("ON").text("ERROR");
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

    /** The report for programs. */
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
}
