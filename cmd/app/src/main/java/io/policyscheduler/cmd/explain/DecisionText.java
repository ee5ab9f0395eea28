package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.ScoreTable;
import io.policyscheduler.cmd.report.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The text of a recorded decision: first the answer, then the scores and the rejections. */
final class DecisionText {
    private static final int NAMES = 3;
    private static final double MICROS_PER_MILLI = 1000;

    private final PrintWriter out;
    private boolean first = true;

    DecisionText(PrintWriter out) {
        this.out = out;
    }

    /** Prints one decision; an empty line separates two. */
    void print(JsonNode decision) {
        if (!first) {
            out.println();
        }
        first = false;
        answer(decision).forEach(out::println);
        if (decision.hasNonNull("nominatedNode")) {
            out.println("Nominated node: " + decision.path("nominatedNode").asText());
        }
        preemption(decision.path("preemption"), 0);
        decision.path("tables").forEach(table -> out.println(table(table)));
        scores(decision);
        rejections(decision);
        if (decision.path("outcome").asText().equals("unschedulable")) {
            out.println("(explain POD shows the smallest change that makes a pod schedulable)");
        }
        out.println();
        long reloads = decision.path("generation").asLong() - 1;
        out.println("attempt " + decision.path("attempt").asInt() + " at "
                + decision.path("time").asText() + ", profile "
                + decision.path("profile").asText()
                + (reloads < 1
                        ? ""
                        : reloads == 1 ? ", after 1 policy reload" : ", after " + reloads + " policy reloads")
                + ", " + decision.path("micros").asLong() / MICROS_PER_MILLI + " ms");
        if (decision.path("cut").asBoolean()) {
            out.println("note: the counts are complete; the scheduler keeps only some of the node names and scores");
        }
    }

    /** Returns the result, by how much the node is better or what rejects most nodes, and the message. */
    private static List<String> answer(JsonNode decision) {
        JsonNode nodes = decision.path("nodes");
        int examined = nodes.path("examined").asInt();
        // The number of feasible nodes explains a decision, but not an error after it.
        String separator = Set.of("bound", "binding", "unschedulable")
                        .contains(decision.path("outcome").asText())
                ? ": "
                : ". ";
        List<String> answer = new ArrayList<>();
        answer.add(decision.path("pod").asText() + " " + outcome(decision)
                + (examined == 0
                        ? "."
                        : separator + nodes.path("feasible").asInt() + " of " + examined
                                + (nodes.path("feasible").asInt() == 1 ? " nodes is feasible" : " nodes are feasible")
                                + (examined == nodes.path("total").asInt()
                                        ? "."
                                        : " (the cluster has "
                                                + nodes.path("total").asInt() + " nodes).")));
        String node = decision.path("node").asText();
        JsonNode second = decision.path("runnerUp");
        JsonNode tie = decision.path("tie");
        JsonNode rejection = decision.path("rejections").path(0);
        if (tie.isObject()) {
            answer.add(node + " is one of " + tie.path("nodes").asInt() + " nodes with the highest total; tie break: "
                    + tie.path("brokenBy").asText() + ".");
        } else if (second.isObject()) {
            answer.add(node + " beats " + second.path("node").asText() + " by "
                    + second.path("behind").asLong() + ".");
        } else if (decision.path("node").isTextual()) {
            answer.add("No scores are computed, because only one node is feasible.");
        } else if (rejection.isObject()) {
            int count = rejection.path("nodes").asInt();
            answer.add("Most common reason: " + rejection.path("reason").asText() + " (" + count
                    + (count == 1 ? " node)." : " nodes)."));
        }
        if (decision.path("message").isTextual()) {
            answer.add("Message: " + decision.path("message").asText());
        }
        return answer;
    }

    /** Prints the pods that an earlier attempt evicted for this one. */
    void earlierPreemption(JsonNode decision) {
        preemption(decision.path("preemption"), decision.path("attempt").asInt());
    }

    private static String table(JsonNode table) {
        StringBuilder text =
                new StringBuilder("Table ").append(table.path("name").asText());
        long generation = table.path("generation").asLong();
        text.append(generation == 0 ? " has no values yet" : ": update " + generation);
        if (table.hasNonNull("measured")) {
            text.append(", measured at ").append(table.path("measured").asText());
        }
        int stale = table.path("stale").asInt();
        if (stale > 0) {
            text.append(", ")
                    .append(stale)
                    .append(stale == 1 ? " value" : " values")
                    .append(stale == 1 ? " is stale" : " are stale");
        }
        if (table.hasNonNull("problem")) {
            text.append("; last error: ").append(table.path("problem").asText());
        }
        return text.toString();
    }

    private static String outcome(JsonNode decision) {
        String node = decision.path("node").asText();
        return switch (decision.path("outcome").asText()) {
            case "bound" -> "is bound to " + node;
            case "binding" -> "is being bound to " + node;
            case "bind-refused" -> "could not be bound to " + node;
            case "unschedulable" -> "is unschedulable";
            default -> "could not be scheduled because of an error";
        };
    }

    private void scores(JsonNode decision) {
        List<JsonNode> best = new ArrayList<>();
        decision.path("best").forEach(best::add);
        if (best.isEmpty()) {
            return;
        }
        ScoreTable table = new ScoreTable(
                best.stream().map(node -> node.path("node").asText()).toList(),
                best.stream().map(node -> node.path("total").asLong()).toList(),
                decision.path("nodes").path("feasible").asInt());
        JsonNode algorithms = best.get(0).path("scores");
        for (int i = 0; i < algorithms.size(); i++) {
            JsonNode score = algorithms.get(i);
            int column = i;
            table.row(
                    score.path("policyName").asText(score.path("algorithm").asText()),
                    score.path("weight").asLong(),
                    best.stream()
                            .map(node -> node.path("scores")
                                    .path(column)
                                    .path("weighted")
                                    .asLong())
                            .toList());
        }
        out.println();
        table.print(out);
    }

    private void rejections(JsonNode decision) {
        TextTable table = new TextTable().text("REASON").text("REJECTED NODES");
        for (JsonNode rejection : decision.path("rejections")) {
            List<String> names = new ArrayList<>();
            rejection.path("names").forEach(name -> names.add(name.asText()));
            int count = rejection.path("nodes").asInt();
            List<String> shown = names.subList(0, Math.min(NAMES, names.size()));
            String more = shown.isEmpty() || shown.size() == count ? "" : ", ...";
            table.row(
                    rejection.path("reason").asText(),
                    count + (shown.isEmpty() ? "" : ": " + String.join(", ", shown) + more));
        }
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
        int others = decision.path("otherReasons").asInt();
        if (others > 0) {
            out.println("(" + others + " more reasons)");
        }
    }

    /** @param attempt the earlier attempt that did it; 0 for the attempt that is shown */
    private void preemption(JsonNode preemption, int attempt) {
        if (!preemption.isObject()) {
            return;
        }
        List<String> victims = new ArrayList<>();
        preemption.path("victims").forEach(victim -> victims.add(victim.asText()));
        int more = preemption.path("victimCount").asInt() - victims.size();
        out.println(
                (attempt == 0 ? "Preemption evicts " : "Attempt " + attempt + " evicted ") + String.join(", ", victims)
                        + (more > 0 ? " and " + more + " more" : "") + " from "
                        + preemption.path("node").asText() + ".");
    }
}
