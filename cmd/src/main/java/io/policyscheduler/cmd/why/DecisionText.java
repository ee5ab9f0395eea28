package io.policyscheduler.cmd.why;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The text of a recorded decision: first the answer, then the scores and the rejections. */
final class DecisionText {
    private static final int RANKS = 5;
    private static final int NAMES = 5;
    private static final double MICROS_PER_MILLI = 1000;

    private final PrintWriter out;
    private boolean first = true;

    DecisionText(PrintWriter out) {
        this.out = out;
    }

    /** Prints one; an empty line comes between two. */
    void print(JsonNode decision) {
        if (!first) {
            out.println();
        }
        first = false;
        out.println(decision.path("pod").asText() + ": " + outcome(decision));
        JsonNode nodes = decision.path("nodes");
        out.println(
                nodes.path("feasible").asInt() + " of " + nodes.path("examined").asInt() + " nodes are feasible"
                        + (nodes.path("examined").asInt() == nodes.path("total").asInt()
                                ? ""
                                : " (the cluster has " + nodes.path("total").asInt() + " nodes)"));
        if (decision.hasNonNull("nominatedNode")) {
            out.println("nominated node: " + decision.path("nominatedNode").asText());
        }
        preemption(decision.path("preemption"), 0);
        decision.path("tables").forEach(table -> out.println(table(table)));
        scores(decision);
        rejections(decision);
        out.println();
        out.println("attempt " + decision.path("attempt").asInt() + " at "
                + decision.path("time").asText() + ", profile "
                + decision.path("profile").asText() + ", policy generation "
                + decision.path("generation").asLong() + ", "
                + decision.path("micros").asLong() / MICROS_PER_MILLI + " ms");
        if (decision.path("cut").asBoolean()) {
            out.println("note: the counts are complete; the scheduler keeps only some of the node names and scores");
        }
    }

    /** Prints the pods that an earlier attempt evicted for this one. */
    void earlierPreemption(JsonNode decision) {
        preemption(decision.path("preemption"), decision.path("attempt").asInt());
    }

    private static String table(JsonNode table) {
        StringBuilder text =
                new StringBuilder("table ").append(table.path("name").asText());
        long generation = table.path("generation").asLong();
        text.append(generation == 0 ? " has no values yet" : ": generation " + generation);
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
        String message = decision.path("message").asText("");
        return switch (decision.path("outcome").asText()) {
            case "bound" -> "bound to " + node;
            case "binding" -> "is being bound to " + node;
            case "bind-refused" -> "could not be bound to " + node + ": " + message;
            case "unschedulable" -> "is unschedulable: " + message;
            default -> "failed: " + message;
        };
    }

    private void scores(JsonNode decision) {
        JsonNode best = decision.path("best");
        if (best.isEmpty()) {
            if (decision.path("node").isTextual()) {
                out.println("no scores: only one node is feasible");
            }
            return;
        }
        out.println();
        TextTable table = new TextTable().text("SCORE × WEIGHT").number("WEIGHT");
        List<JsonNode> shown = new ArrayList<>();
        for (int i = 0; i < Math.min(RANKS, best.size()); i++) {
            shown.add(best.get(i));
            table.number(best.get(i).path("node").asText());
        }
        for (int i = 0; i < best.get(0).path("scores").size(); i++) {
            JsonNode score = best.get(0).path("scores").get(i);
            List<Object> cells = new ArrayList<>(List.of(
                    score.path("policyName").asText(score.path("algorithm").asText()),
                    score.path("weight").asLong()));
            for (JsonNode node : shown) {
                cells.add(node.path("scores").path(i).path("weighted").asLong());
            }
            table.row(cells.toArray());
        }
        List<Object> totals = new ArrayList<>(List.of("total", ""));
        shown.forEach(node -> totals.add(node.path("total").asLong()));
        table.row(totals.toArray());
        table.print(out);
        int others = decision.path("nodes").path("feasible").asInt() - shown.size();
        if (others > 0) {
            out.println("and " + others + " more feasible nodes");
        }
        out.println();
        verdict(decision);
    }

    private void verdict(JsonNode decision) {
        JsonNode second = decision.path("runnerUp");
        JsonNode tie = decision.path("tie");
        String node = decision.path("node").asText();
        if (tie.isObject()) {
            out.println(node + " is one of " + tie.path("nodes").asInt() + " nodes with the highest total; tie break: "
                    + tie.path("brokenBy").asText());
        } else if (second.isObject()) {
            out.println(node + " beats " + second.path("node").asText() + " by "
                    + second.path("behind").asLong());
        }
    }

    private void rejections(JsonNode decision) {
        TextTable table = new TextTable().message("REASON").text("REJECTED NODES");
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
            out.println("and " + others + " more reasons");
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
        out.println((attempt == 0 ? "preemption" : "attempt " + attempt) + " evicts " + String.join(", ", victims)
                + (more > 0 ? " and " + more + " more" : "") + " from "
                + preemption.path("node").asText());
    }
}
