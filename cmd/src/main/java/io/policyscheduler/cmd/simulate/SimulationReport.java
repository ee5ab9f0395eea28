package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.whatif.PodOutcome;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Shows what came of a simulation. */
final class SimulationReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private final List<PodOutcome> outcomes;
    private final List<String> warnings;
    private final Duration taken;
    private final SimulationExtras extras;
    private final int placed;

    /**
     * A report.
     *
     * @param taken how long the whole took, reading included
     * @param extras what there is besides
     */
    public SimulationReport(List<PodOutcome> outcomes, List<String> warnings, Duration taken, SimulationExtras extras) {
        this.extras = extras;
        this.outcomes = List.copyOf(outcomes);
        this.warnings = List.copyOf(warnings);
        this.taken = taken;
        this.placed = (int) outcomes.stream()
                .filter(outcome -> outcome.decision().isPlaced())
                .count();
    }

    /** The same without what was found out about every node. */
    SimulationReport withoutDetails() {
        return new SimulationReport(
                outcomes.stream()
                        .map(outcome -> new PodOutcome(outcome.pod(), outcome.decision(), null))
                        .toList(),
                warnings,
                taken,
                extras);
    }

    /** What came of it, in a sentence. */
    String conclusion() {
        if (outcomes.isEmpty()) {
            return "No pod was to be placed.";
        }
        String all = outcomes.size() == 1 ? "Of 1 pod " : "Of " + outcomes.size() + " pods ";
        String most = outcomes.stream()
                .filter(outcome -> !outcome.decision().isPlaced())
                .map(outcome -> outcome.pod() + ": " + outcome.decision().message())
                .findFirst()
                .orElse("");
        int left = unschedulable();
        return all
                + (placed == 0 ? "none" : placed)
                + (placed == 1 ? " gets a place; " : " get a place; ")
                + (left == 0 ? "none is left." : left + (left == 1 ? " does not, " : " do not, such as ") + most);
    }

    /** Pods that have no place. */
    public int unschedulable() {
        return outcomes.size() - placed;
    }

    /** Prints placed pods, the others with their messages, the details if there are any, and a closing line. */
    public void print(PrintWriter out) {
        extras.printChanges(out);
        String verdict = placed + " pods placed, " + unschedulable() + " unschedulable";
        TerminalWriter.print(out, Verdict.of(unschedulable() == 0), verdict);
        out.println(", " + String.format(Locale.ROOT, "%.1f", taken.toMillis() / MILLIS_PER_SECOND) + " s");
        TextTable nodes =
                new TextTable().text("POD").text("NODE").number("SCORE").number("FEASIBLE NODES");
        TextTable messages = new TextTable().text("UNSCHEDULABLE POD").message("MESSAGE");
        for (PodOutcome outcome : outcomes) {
            Decision decision = outcome.decision();
            if (decision.node() != null) {
                nodes.row(outcome.pod(), decision.node(), score(decision), decision.feasibleNodes());
            } else {
                messages.row(outcome.pod(), decision.message());
            }
        }
        for (TextTable table : List.of(messages, nodes)) {
            if (!table.isEmpty()) {
                out.println();
                table.print(out);
            }
        }
        outcomes.forEach(outcome -> printDetails(out, outcome));
        extras.printRest(out);
    }

    private static void printDetails(PrintWriter out, PodOutcome outcome) {
        Evaluation details = outcome.details();
        if (details == null) {
            return;
        }
        TextTable table = new TextTable().text("NODE").number("TOTAL");
        details.weights()
                .forEach((algorithm, weight) -> table.number(weight == 1 ? algorithm : algorithm + "*" + weight));
        table.message("REASON");
        details.totals().forEach((node, total) -> {
            Object[] cells = new Object[details.weights().size() + 3];
            cells[0] = node;
            cells[1] = total;
            int column = 2;
            for (String algorithm : details.weights().keySet()) {
                cells[column++] = details.scores()
                        .getOrDefault(algorithm, NodeValues.NONE)
                        .getOrDefault(node, 0L);
            }
            cells[column] = "";
            table.row(cells);
        });
        details.failures().forEach((node, failure) -> {
            Object[] cells = new Object[details.weights().size() + 3];
            Arrays.fill(cells, "");
            cells[0] = node;
            cells[cells.length - 1] = String.join(", ", failure.reasons());
            table.row(cells);
        });
        out.println();
        out.println(outcome.pod());
        table.print(out);
    }

    /** With a single feasible node nothing is scored. */
    private static Object score(Decision decision) {
        return decision.feasibleNodes() == 1 ? "-" : decision.score();
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
