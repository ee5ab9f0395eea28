package io.policyscheduler.cmd.why;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.report.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A decision for people, in the manner of {@code explain}. */
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
        out.println("decided at " + decision.path("time").asText() + ", attempt "
                + decision.path("attempt").asInt() + ", by generation "
                + decision.path("generation").asLong() + " of the policy of "
                + decision.path("profile").asText() + ", in "
                + decision.path("micros").asLong() / MICROS_PER_MILLI
                + " ms");
        out.println(nodes.path("feasible").asInt() + " of "
                + nodes.path("examined").asInt() + " nodes looked at fit; the cluster has "
                + nodes.path("total").asInt());
        decision.path("tables").forEach(table -> out.println(table(table)));
        if (decision.hasNonNull("nominatedNode")) {
            out.println("preemption had promised it a place on "
                    + decision.path("nominatedNode").asText());
        }
        scores(decision);
        rejections(decision);
        preemption(decision.path("preemption"));
        if (decision.path("cut").asBoolean()) {
            out.println();
            out.println(
                    "not everything that was seen is remembered: the numbers count all, the names and scores do not");
        }
    }

    private static String table(JsonNode table) {
        StringBuilder text =
                new StringBuilder("table ").append(table.path("name").asText());
        long generation = table.path("generation").asLong();
        text.append(generation == 0 ? " had no values yet" : ": generation " + generation);
        if (table.hasNonNull("measured")) {
            text.append(", measured at ").append(table.path("measured").asText());
        }
        int stale = table.path("stale").asInt();
        if (stale > 0) {
            text.append(", ")
                    .append(stale)
                    .append(stale == 1 ? " value" : " values")
                    .append(" too old");
        }
        if (table.hasNonNull("problem")) {
            text.append("; nothing newer: ").append(table.path("problem").asText());
        }
        return text.toString();
    }

    private static String outcome(JsonNode decision) {
        String node = decision.path("node").asText();
        String message = decision.path("message").asText("");
        return switch (decision.path("outcome").asText()) {
            case "bound" -> "bound to " + node;
            case "binding" -> "goes to " + node + "; the bind is not answered yet";
            case "bind-refused" -> "was to go to " + node + ", but was not bound: " + message;
            case "unschedulable" -> "fits nowhere: " + message;
            default -> "could not be decided: " + message;
        };
    }

    private void scores(JsonNode decision) {
        JsonNode best = decision.path("best");
        if (best.isEmpty()) {
            if (decision.path("node").isTextual()) {
                out.println("nothing was scored");
            }
            return;
        }
        out.println();
        TextTable table = new TextTable().text("ALGORITHM").number("WEIGHT");
        List<JsonNode> shown = new ArrayList<>();
        for (int i = 0; i < Math.min(RANKS, best.size()); i++) {
            shown.add(best.get(i));
            table.number(best.get(i).path("node").asText());
        }
        for (int i = 0; i < best.get(0).path("scores").size(); i++) {
            JsonNode score = best.get(0).path("scores").get(i);
            List<Object> cells = new ArrayList<>(List.of(
                    score.path("algorithm").asText(), score.path("weight").asLong()));
            for (JsonNode node : shown) {
                cells.add(node.path("scores").path(i).path("raw").asLong());
            }
            table.row(cells.toArray());
        }
        List<Object> totals = new ArrayList<>(List.of("total", ""));
        shown.forEach(node -> totals.add(node.path("total").asLong()));
        table.row(totals.toArray());
        table.print(out);
        int others = decision.path("nodes").path("feasible").asInt() - shown.size();
        if (others > 0) {
            out.println("and " + others + " further nodes that fit");
        }
        out.println();
        verdict(decision);
    }

    private void verdict(JsonNode decision) {
        JsonNode second = decision.path("runnerUp");
        JsonNode tie = decision.path("tie");
        String node = decision.path("node").asText();
        if (tie.isObject()) {
            out.println(node + " was chosen among " + tie.path("nodes").asInt() + " nodes with the same total, by "
                    + tie.path("brokenBy").asText());
        } else if (second.isObject()) {
            out.println(node + " is ahead of " + second.path("node").asText() + " by "
                    + second.path("behind").asLong());
        }
    }

    private void rejections(JsonNode decision) {
        TextTable table = new TextTable().text("REASON AGAINST").text("NODES");
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
            out.println("and " + others + " further reasons");
        }
    }

    private void preemption(JsonNode preemption) {
        if (!preemption.isObject()) {
            return;
        }
        List<String> victims = new ArrayList<>();
        preemption.path("victims").forEach(victim -> victims.add(victim.asText()));
        int more = preemption.path("victimCount").asInt() - victims.size();
        out.println();
        out.println(
                "preemption promised it a place on " + preemption.path("node").asText() + " and evicts "
                        + String.join(", ", victims) + (more > 0 ? " and " + more + " more" : ""));
    }
}
