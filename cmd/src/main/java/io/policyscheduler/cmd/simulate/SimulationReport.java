package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.ScoreTable;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.UnschedulableReason;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.whatif.PodOutcome;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report of a simulation, as text and as JSON. */
final class SimulationReport {
    private static final int BEST_NODES = 5;
    private static final double MILLIS_PER_SECOND = 1000;

    private final List<PodOutcome> outcomes;
    private final List<String> warnings;
    private final Duration taken;
    private final SimulationExtras extras;
    private final PolicyNames names;
    private final int placed;

    /**
     * A report.
     *
     * @param taken the duration of the command, including the time to read the snapshot
     * @param extras the what-if changes, and the utilization of the nodes
     * @param names the names of the algorithms in the policy
     */
    public SimulationReport(
            List<PodOutcome> outcomes,
            List<String> warnings,
            Duration taken,
            SimulationExtras extras,
            PolicyNames names) {
        this.extras = extras;
        this.names = names;
        this.outcomes = List.copyOf(outcomes);
        this.warnings = List.copyOf(warnings);
        this.taken = taken;
        this.placed = (int) outcomes.stream()
                .filter(outcome -> outcome.decision().isPlaced())
                .count();
    }

    /** Returns a copy without scores and rejections. */
    SimulationReport withoutDetails() {
        return new SimulationReport(
                outcomes.stream()
                        .map(outcome -> new PodOutcome(outcome.pod(), outcome.decision(), null))
                        .toList(),
                warnings,
                taken,
                extras,
                names);
    }

    /** Returns the answer: how many pods are placed, and the most common reason why others are not. */
    List<String> answer() {
        int all = outcomes.size();
        if (all == 0) {
            return List.of("There are no pending pods.");
        }
        String placedPods = placed == all ? "All " : placed + " of ";
        String pods = all + " pending pods";
        String first = all == 1
                ? "The pending pod is " + (placed == 1 ? "placed." : "unschedulable.")
                : placedPods
                        + pods
                        + (placed == 1 ? " is placed" : " are placed")
                        + (unschedulable() == 0
                                ? "."
                                : ", " + unschedulable()
                                        + (unschedulable() == 1 ? " is unschedulable." : " are unschedulable."));
        return causes().stream()
                .findFirst()
                .map(cause -> List.of(
                        first,
                        "Most common reason: " + cause.reason() + " ("
                                + cause.pods().size() + (cause.pods().size() == 1 ? " pod)." : " pods).")))
                .orElse(List.of(first));
    }

    /**
     * Pods that are unschedulable for the same main reason.
     *
     * @param reason the message of the filter that rejects most nodes
     * @param advice what to do about it
     * @param pods their names, in the order in which they were scheduled
     */
    record Cause(String reason, String advice, List<String> pods) {}

    /** Returns the unschedulable pods by main reason, the one with the most pods first, then the one that rejects the most nodes. */
    List<Cause> causes() {
        Map<String, Cause> causes = new LinkedHashMap<>();
        Map<String, Integer> nodes = new HashMap<>();
        for (PodOutcome outcome : outcomes) {
            if (!outcome.decision().isPlaced()) {
                UnschedulableReason reason =
                        UnschedulableReason.of(outcome.decision().message());
                nodes.merge(reason.text(), reason.nodes(), Integer::sum);
                causes.computeIfAbsent(reason.text(), text -> new Cause(text, reason.advice(), new ArrayList<>()))
                        .pods()
                        .add(outcome.pod());
            }
        }
        return causes.values().stream()
                .sorted(Comparator.comparingInt((Cause cause) -> -cause.pods().size())
                        .thenComparingInt(cause -> -nodes.getOrDefault(cause.reason(), 0)))
                .toList();
    }

    /** Returns the number of pods that are unschedulable. */
    public int unschedulable() {
        return outcomes.size() - placed;
    }

    /** Prints the answer, the reasons with what to do, a line for each pod, and with details the messages and scores. */
    public void print(PrintWriter out) {
        extras.printChanges(out);
        List<String> answer = answer();
        TerminalWriter.println(out, Verdict.of(unschedulable() == 0), answer.get(0));
        answer.subList(1, answer.size()).forEach(out::println);
        TextTable reasons = new TextTable().text("REASON").number("PODS").text("WHAT TO DO");
        causes().forEach(cause -> reasons.row(cause.reason(), cause.pods().size(), cause.advice()));
        print(out, reasons);
        if (!reasons.isEmpty()) {
            out.println("(explain POD shows the smallest change that makes a pod schedulable)");
        }
        boolean isDetailed = outcomes.stream().anyMatch(outcome -> outcome.details() != null);
        TextTable unschedulable = new TextTable().text("UNSCHEDULABLE POD");
        if (isDetailed) {
            unschedulable.message("MESSAGE");
        } else {
            unschedulable.text("MAIN REASON").number("NODES");
        }
        TextTable pods =
                new TextTable().text("POD").text("NODE").number("SCORE").number("FEASIBLE NODES");
        for (PodOutcome outcome : outcomes) {
            Decision decision = outcome.decision();
            if (decision.node() != null) {
                pods.row(outcome.pod(), decision.node(), score(decision), decision.feasibleNodes());
            } else if (isDetailed) {
                unschedulable.row(outcome.pod(), decision.message());
            } else {
                UnschedulableReason reason = UnschedulableReason.of(decision.message());
                unschedulable.row(outcome.pod(), reason.text(), reason.nodes() == 0 ? "-" : reason.nodes());
            }
        }
        print(out, unschedulable);
        print(out, pods);
        outcomes.forEach(outcome -> printDetails(out, outcome));
        extras.printRest(out);
        out.println();
        out.println(outcomes.size() + (outcomes.size() == 1 ? " pod" : " pods") + " simulated, "
                + String.format(Locale.ROOT, "%.1f", taken.toMillis() / MILLIS_PER_SECOND) + " s");
    }

    private static void print(PrintWriter out, TextTable table) {
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
    }

    private void printDetails(PrintWriter out, PodOutcome outcome) {
        Evaluation details = outcome.details();
        if (details == null) {
            return;
        }
        out.println();
        out.println(outcome.pod() + ": " + details.feasible().size() + " of "
                + (details.feasible().size() + details.failures().size()) + " nodes are feasible");
        if (!details.totals().isEmpty()) {
            List<Map.Entry<String, Long>> best = details.totals().entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue()
                            .reversed()
                            .thenComparing(node ->
                                    !node.getKey().equals(outcome.decision().node())))
                    .limit(BEST_NODES)
                    .toList();
            ScoreTable table = new ScoreTable(
                    best.stream().map(Map.Entry::getKey).toList(),
                    best.stream().map(Map.Entry::getValue).toList(),
                    details.feasible().size());
            details.weights().forEach((algorithm, weight) -> {
                NodeValues scores = details.scores().getOrDefault(algorithm, NodeValues.NONE);
                table.row(
                        names.score(algorithm),
                        weight,
                        best.stream()
                                .map(node -> weight * scores.getOrDefault(node.getKey(), 0L))
                                .toList());
            });
            table.print(out);
        }
        Map<String, List<String>> rejected = new LinkedHashMap<>();
        details.failures()
                .forEach((node, failure) -> rejected.computeIfAbsent(
                                String.join(", ", failure.reasons()), reason -> new ArrayList<>())
                        .add(node));
        TextTable table = new TextTable().text("REASON").number("NODES").text("FOR EXAMPLE");
        rejected.entrySet().stream()
                .sorted(Comparator.comparingInt(reason -> -reason.getValue().size()))
                .forEach(reason -> table.row(
                        reason.getKey(),
                        reason.getValue().size(),
                        reason.getValue().get(0)));
        table.print(out);
    }

    /** With a single feasible node nothing is scored. */
    private static Object score(Decision decision) {
        return decision.feasibleNodes() == 1 ? "-" : decision.score();
    }

    /** Returns the report for pages and comments, in which algorithms have the names of the policy. */
    ObjectNode namedJson() {
        ObjectNode json = json();
        for (JsonNode pod : json.path("pods")) {
            ObjectNode one = (ObjectNode) pod;
            for (String field : List.of("scores", "weights")) {
                if (one.has(field)) {
                    one.set(field, SchedulerNames.keys(one.path(field), names::score));
                }
            }
            for (JsonNode failure : one.path("failures")) {
                if (failure.path("plugin").isTextual()) {
                    ((ObjectNode) failure)
                            .put("plugin", names.filter(failure.path("plugin").asText()));
                }
            }
            if (!one.path("node").isTextual()) {
                one.put(
                        "reason",
                        UnschedulableReason.of(one.path("message").asText()).text());
            }
        }
        ArrayNode causes = json.putArray("causes");
        causes().forEach(cause -> {
            ObjectNode one = causes.addObject().put("reason", cause.reason()).put("advice", cause.advice());
            one.put("pods", cause.pods().size()).put("example", cause.pods().get(0));
        });
        return json;
    }

    /** The report for programs. */
    public ObjectNode json() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        ArrayNode pods = node.putArray("pods");
        outcomes.forEach(outcome -> pod(pods.addObject(), outcome));
        node.put("placed", placed).put("unschedulable", unschedulable());
        node.put("seconds", taken.toMillis() / MILLIS_PER_SECOND);
        warnings.forEach(node.putArray("warnings")::add);
        extras.addTo(node);
        return node;
    }

    private static void pod(ObjectNode node, PodOutcome outcome) {
        Decision decision = outcome.decision();
        node.put("pod", outcome.pod()).put("node", decision.node());
        boolean scored = decision.isPlaced() && decision.feasibleNodes() > 1;
        node.put("score", scored ? Long.valueOf(decision.score()) : null);
        node.put("feasible", decision.feasibleNodes());
        node.put("message", decision.isPlaced() ? null : decision.message());
        Evaluation details = outcome.details();
        if (details == null) {
            return;
        }
        ObjectNode scores = node.putObject("scores");
        details.scores().forEach((algorithm, byNode) -> longs(scores.putObject(algorithm), byNode));
        longs(node.putObject("weights"), details.weights());
        longs(node.putObject("totals"), details.totals());
        ObjectNode failures = node.putObject("failures");
        details.failures().forEach((name, failure) -> {
            ObjectNode one = failures.putObject(name);
            failure.reasons().forEach(one.putArray("reasons")::add);
            one.put("unresolvable", failure.unresolvable());
            one.put("plugin", failure.plugin());
        });
    }

    private static void longs(ObjectNode object, Map<String, Long> values) {
        values.forEach((key, value) -> object.put(key, value.longValue()));
    }
}
