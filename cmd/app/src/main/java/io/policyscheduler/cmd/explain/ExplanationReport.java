package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Markdown;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.ScoreTable;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.devices.DeviceAllocator.DeviceReport;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import io.policyscheduler.framework.insight.explain.Explanation.ScoreGap;
import io.policyscheduler.framework.insight.explain.NearestFits;
import io.policyscheduler.framework.insight.explain.Remedy;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The text of an explanation: first the answer, then the scores and the reasons of rejected nodes, then the changes that would make the
 * pod schedulable. Algorithms have the names of the user's policy, and the scores are weighted, so that a column adds up to its total.
 */
final class ExplanationReport {
    private static final int RANKS = 5;
    private static final int DEVICES = 30;

    private static final int NAMES = 3;

    private final Explanation explanation;
    private final Evaluation evaluation;
    private final String scheduler;
    private final PolicyNames policyNames;
    private final int maxRows;
    private final PrintWriter out;

    /**
     * @param scheduler the scheduler as the user wrote it
     * @param policyNames the names of its algorithms in the policy
     * @param maxRows at most so many groups of nearest fits
     */
    public ExplanationReport(
            Explanation explanation, String scheduler, PolicyNames policyNames, int maxRows, PrintWriter out) {
        this.explanation = explanation;
        this.evaluation = explanation.evaluation();
        this.scheduler = SchedulerNames.of(List.of(scheduler)).get(0);
        this.policyNames = policyNames;
        this.maxRows = maxRows;
        this.out = out;
    }

    /** Prints everything. */
    public void print() {
        List<String> answer = answer(explanation, scheduler, policyNames);
        TerminalWriter.println(out, Verdict.of(explanation.fits()), answer.get(0));
        answer.subList(1, answer.size()).forEach(out::println);
        notes();
        String asked = explanation.requestedNode();
        String winner = explanation.winner();
        if (asked != null && !evaluation.feasible().contains(asked)) {
            printFilters(asked);
        } else if (asked != null && winner != null && !winner.equals(asked)) {
            printGap(ScoreGap.of(evaluation, winner, asked));
        } else {
            printRanking();
            printFailures();
        }
        NearestFits nearest = explanation.nearest();
        if (nearest != null) {
            printNearest(nearest);
        }
        PreemptionResult preemption = explanation.preemption();
        if (preemption != null && preemption.chosen() == null) {
            out.println();
            out.println(preemption(preemption));
        }
    }

    /**
     * Returns the answer in sentences: where the pod is scheduled and why there, or the smallest change that makes it schedulable and the
     * message of kube-scheduler.
     *
     * @param scheduler the scheduler as it is shown to people
     */
    static List<String> answer(Explanation explanation, String scheduler, PolicyNames names) {
        List<String> sentences = new ArrayList<>();
        sentences.add(headline(explanation, scheduler));
        String winner = explanation.winner();
        String asked = explanation.requestedNode();
        NearestFits nearest = explanation.nearest();
        if (explanation.fits() && winner != null) {
            scores(explanation, winner, names).ifPresent(sentences::add);
        } else if (nearest != null) {
            sentences.add(smallestChange(nearest));
        }
        PreemptionResult preemption = explanation.preemption();
        if (preemption != null && preemption.chosen() != null) {
            sentences.add(preemption(preemption));
        }
        String error = explanation.evaluation().error();
        if (error != null && asked == null) {
            sentences.add("Message: " + error);
        }
        return sentences;
    }

    private static String headline(Explanation explanation, String scheduler) {
        PodInfo pod = explanation.pod();
        String winner = explanation.winner();
        String asked = explanation.requestedNode();
        Evaluation evaluation = explanation.evaluation();
        int feasible = evaluation.feasible().size();
        int nodes = feasible + evaluation.failures().size();
        if (asked != null && !explanation.fits()) {
            return asked + " is not feasible for " + pod.key() + " with " + scheduler + "; the pod "
                    + (winner == null ? "is unschedulable." : "would be placed on " + winner + ".");
        }
        if (asked != null && winner != null && !asked.equals(winner)) {
            return asked + " is feasible for " + pod.key() + " with " + scheduler + ", but has rank "
                    + (explanation.ranking().indexOf(asked) + 1) + " of " + feasible + "; the pod would be placed on "
                    + winner + ".";
        }
        String running = pod.nodeName().isEmpty() ? "" : " runs on " + pod.nodeName() + ", and";
        String place;
        if (winner == null) {
            place = " is unschedulable";
        } else if (winner.equals(pod.nodeName())) {
            place = " would be placed there again";
        } else {
            place = " would be placed on " + winner;
        }
        return pod.key() + running + place + " with " + scheduler
                + (nodes == 0
                        ? "."
                        : ": " + feasible + " of " + nodes
                                + (feasible == 1 ? " nodes is feasible." : " nodes are feasible."));
    }

    /** Why the node is chosen: by how much its score exceeds that of the next node, or of the node in question. */
    private static Optional<String> scores(Explanation explanation, String winner, PolicyNames names) {
        String asked = explanation.requestedNode();
        String other = asked == null || asked.equals(winner) ? explanation.runnerUp() : asked;
        if (other == null) {
            return Optional.of(winner + " is the only feasible node, so no scores are computed.");
        }
        ScoreGap gap = ScoreGap.of(explanation.evaluation(), winner, other);
        if (gap.gap() == 0) {
            return Optional.of(
                    winner + " and " + other + " have the same total, so the tie break selects one of them.");
        }
        String first = winner + " beats " + other + " by " + gap.gap() + ": ";
        List<ScoreGap.Part> parts =
                gap.parts().stream().filter(part -> part.difference() != 0).toList();
        return Optional.of(
                parts.size() == 1
                        ? first + "only " + names.score(parts.get(0).algorithm()) + " differs."
                        : parts.stream()
                                .map(part -> names.score(part.algorithm()) + " " + signed(part.difference()))
                                .collect(Collectors.joining(", ", first, ".")));
    }

    private static String smallestChange(NearestFits nearest) {
        Optional<NearestFits.Fit> closest = nearest.tooSmall();
        if (closest.isPresent()) {
            return "No node is large enough, even without other pods. "
                    + closest.get().node() + " comes closest: "
                    + closest.get().remedies().stream().map(Remedy::text).collect(Collectors.joining(" and ")) + ".";
        }
        return nearest.groups().entrySet().stream()
                .findFirst()
                .map(group -> "Smallest change: " + String.join(" and ", group.getKey()) + ". This makes "
                        + (group.getValue().size() == 1
                                ? group.getValue().get(0).node()
                                : group.getValue().size() + " nodes")
                        + " feasible.")
                .orElse("No change is known that makes the pod schedulable.");
    }

    private void notes() {
        List<String> gates = explanation.pod().spec().schedulingGates();
        if (!gates.isEmpty()) {
            out.println("The pod waits until its scheduling gates are removed: " + String.join(", ", gates) + ".");
        }
        String nominated = explanation.pod().nominatedNodeName();
        if (!nominated.isEmpty()) {
            out.println("Nominated node: " + nominated);
        }
    }

    private void printFilters(String asked) {
        TextTable table = new TextTable().text("REJECTED BY").message("REASON");
        for (Obstacle obstacle : explanation.obstacles().getOrDefault(asked, List.of())) {
            obstacle.reasons().forEach(reason -> table.row(filter(obstacle), reason));
        }
        print(table);
        printDevices();
    }

    /** Prints a table after an empty line, or nothing if it has no row. */
    private void print(TextTable table) {
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
    }

    private String filter(Obstacle obstacle) {
        return obstacle.filter().isEmpty() ? "-" : policyNames.filter(obstacle.filter());
    }

    private void printRanking() {
        List<String> ranking = explanation.ranking();
        if (ranking.size() < 2) {
            return;
        }
        List<String> best = ranking.subList(0, Math.min(RANKS, ranking.size()));
        ScoreTable table =
                new ScoreTable(best, best.stream().map(explanation::total).toList(), ranking.size());
        evaluation
                .weights()
                .forEach((algorithm, weight) -> table.row(
                        policyNames.score(algorithm),
                        weight,
                        best.stream()
                                .map(node -> weight * score(algorithm, node))
                                .toList()));
        out.println();
        table.print(out);
    }

    private long score(String algorithm, String node) {
        return evaluation.scores().getOrDefault(algorithm, NodeValues.NONE).getOrDefault(node, 0L);
    }

    private void printGap(ScoreGap gap) {
        TextTable table = new TextTable()
                .text("ALGORITHM")
                .number("WEIGHT")
                .number(gap.better())
                .number(gap.other())
                .number("DIFFERENCE");
        for (ScoreGap.Part part : gap.parts()) {
            table.row(
                    policyNames.score(part.algorithm()),
                    part.weight(),
                    part.weight() * part.better(),
                    part.weight() * part.other(),
                    signed(part.difference()));
        }
        table.row("total", "", explanation.total(gap.better()), explanation.total(gap.other()), signed(gap.gap()));
        print(table);
        out.println("(Each cell of a node is score × weight.)");
    }

    private static String signed(long number) {
        return number > 0 ? "+" + number : Long.toString(number);
    }

    private void printFailures() {
        Map<String, List<String>> nodes = new TreeMap<>();
        for (Map.Entry<String, NodeFailure> failure : evaluation.failures().entrySet()) {
            List<Obstacle> all = explanation.obstacles().get(failure.getKey());
            List<String> reasons = all == null
                    ? failure.getValue().reasons()
                    : all.stream()
                            .flatMap(obstacle -> obstacle.reasons().stream())
                            .distinct()
                            .toList();
            reasons.forEach(reason ->
                    nodes.computeIfAbsent(reason, key -> new ArrayList<>()).add(failure.getKey()));
        }
        TextTable table = new TextTable().text("REASON").text("REJECTED NODES");
        nodes.entrySet().stream()
                .sorted(Comparator.comparingInt(reason -> -reason.getValue().size()))
                .forEach(reason -> table.row(reason.getKey(), names(reason.getValue())));
        print(table);
        int reasons = nodes.values().stream().mapToInt(List::size).sum();
        if (!explanation.obstacles().isEmpty()
                && reasons > evaluation.failures().size()) {
            out.println("(The table lists all reasons of each node. The message counts only the reasons of the first"
                    + " filter that rejects a node.)");
        }
        printDevices();
    }

    /** The reasons why each device is not allocatable; for many devices, those of the first. */
    private void printDevices() {
        TextTable table = new TextTable()
                .text("NODE")
                .text("REQUEST")
                .text("DEVICE")
                .text("SLICE")
                .message("REASON");
        List<Map.Entry<String, DeviceReport.Verdict>> all = new ArrayList<>();
        explanation
                .devices()
                .forEach((node, verdicts) -> verdicts.forEach(verdict -> all.add(Map.entry(node, verdict))));
        all.stream().limit(DEVICES).forEach(entry -> {
            DeviceReport.Verdict verdict = entry.getValue();
            String request = verdict.claim().isEmpty() ? "" : verdict.claim() + " " + verdict.request();
            table.row(entry.getKey(), request, verdict.device(), verdict.slice(), verdict.why());
        });
        if (table.isEmpty()) {
            return;
        }
        out.println();
        table.print(out);
        if (all.size() > DEVICES) {
            out.println("(" + (all.size() - DEVICES) + " more devices; -o json shows all)");
        }
    }

    private static String names(List<String> names) {
        String shown = names.stream().limit(NAMES).collect(Collectors.joining(", "));
        return names.size() == 1 ? shown : names.size() + ": " + shown + (names.size() > NAMES ? ", ..." : "");
    }

    private void printNearest(NearestFits nearest) {
        TextTable table =
                new TextTable().text("CHANGE THAT MAKES A NODE FEASIBLE").text("NODES");
        Map<List<String>, List<NearestFits.Fit>> groups = nearest.tooSmall().isPresent()
                ? nearest.smallestShortfallFirst().groups()
                : nearest.groups();
        groups.entrySet().stream()
                .limit(maxRows)
                .forEach(group -> rows(
                        table,
                        group.getKey(),
                        group.getValue().stream().map(NearestFits.Fit::node).toList()));
        print(table);
        if (groups.size() > maxRows) {
            out.println("(" + (groups.size() - maxRows) + " more ways; --nearest shows more)");
        }
        if (nearest.notTried() > 0) {
            out.println("(" + nearest.notTried()
                    + (nearest.notTried() == 1 ? " more node was not tested; " : " more nodes were not tested; ")
                    + "--nearest tests more)");
        }
        Map<List<String>, List<String>> unknown = new LinkedHashMap<>();
        nearest.unknown()
                .forEach((node, obstacles) -> unknown.computeIfAbsent(
                                obstacles.stream()
                                        .flatMap(obstacle -> obstacle.reasons().stream())
                                        .distinct()
                                        .toList(),
                                key -> new ArrayList<>())
                        .add(node));
        TextTable rest = new TextTable().text("NO CHANGE IS KNOWN FOR").text("NODES");
        unknown.entrySet().stream()
                .sorted(Comparator.comparingInt(reasons -> -reasons.getValue().size()))
                .forEach(reasons -> rows(rest, reasons.getKey(), reasons.getValue()));
        print(rest);
    }

    /** Adds a row for each of several texts of one group; the first row has the nodes. */
    private static void rows(TextTable table, List<String> texts, List<String> nodes) {
        for (int i = 0; i < texts.size(); i++) {
            table.row(i == 0 ? texts.get(i) : "and " + texts.get(i), i == 0 ? names(nodes) : "");
        }
    }

    /** The result of preemption in a sentence. */
    private static String preemption(PreemptionResult result) {
        String chosen = result.chosen();
        if (result.error() != null) {
            return "Preemption fails: " + result.error();
        }
        if (!result.eligible()) {
            return "The pod is not allowed to preempt other pods"
                    + (result.message().isEmpty() ? "." : ": " + result.message());
        }
        if (chosen == null) {
            return "Preemption does not help" + (result.message().isEmpty() ? "." : ": " + result.message());
        }
        Victims victims = result.candidates().get(chosen);
        List<PodInfo> pods = victims == null ? List.of() : victims.pods();
        String broken = victims == null || victims.budgetViolations() == 0
                ? ""
                : String.format(
                        Locale.ROOT, ", %d of them in violation of a disruption budget", victims.budgetViolations());
        List<String> others = result.candidates().keySet().stream()
                .filter(node -> !node.equals(chosen))
                .toList();
        return "Preemption makes " + chosen + " feasible. It evicts "
                + pods.stream()
                        .map(pod -> pod.key() + " (priority " + pod.priority() + ")")
                        .collect(Collectors.joining(", "))
                + broken + "." + (others.isEmpty() ? "" : " It also helps on " + names(others) + ".");
    }

    /** The HTML page of an explanation. */
    static final class ExplanationHtml {
        /** The maximum number of feasible nodes with scores. */
        private static final int NODES = 100;

        private ExplanationHtml() {}

        /**
         * The page of an explanation.
         *
         * @param answer in sentences
         * @param json as {@code explain -o json} prints it, with the names of the policy; changed
         */
        static PageContent page(Explanation explanation, List<String> answer, ObjectNode json) {
            JsonNode ranking = json.path("ranking");
            json.put("rankingCount", ranking.size());
            ArrayNode best = json.putArray("ranking");
            for (JsonNode node : ranking) {
                if (best.size() < NODES || node.path("node").asText().equals(explanation.requestedNode())) {
                    best.add(node);
                }
            }
            return new PageContent(
                    PageContent.View.EXPLAIN, "explain: " + explanation.pod().key(), answer, json);
        }
    }

    /** The Markdown of an explanation, for a comment. */
    static final class ExplanationMarkdown {
        private static final int RANKS = 5;
        private static final int NAMES = 5;
        private static final int ROWS = 20;

        private ExplanationMarkdown() {}

        /** @param json the document of {@code explain -o json} */
        static Markdown of(List<String> conclusion, JsonNode json) {
            Markdown page = new Markdown().conclusion(conclusion);
            List<List<String>> fits = new ArrayList<>();
            for (JsonNode fit : json.path("nearest")) {
                List<String> lifts = new ArrayList<>();
                fit.path("lifts").forEach(lift -> lifts.add(lift.path("text").asText()));
                List<String> nodes = new ArrayList<>();
                fit.path("nodes").forEach(node -> nodes.add(node.asText()));
                fits.add(
                        List.of(Markdown.cell(String.join("; ", lifts)), Integer.toString(nodes.size()), names(nodes)));
            }
            page.details("Scores of the best nodes", scores(json));
            page.details("Rejected nodes by reason", against(json.path("failures")));
            return page.table(List.of("Change that makes a node feasible", "#Nodes", "For example"), fits, RANKS);
        }

        private static String names(List<String> nodes) {
            return nodes.stream().limit(NAMES).map(Markdown::code).collect(Collectors.joining(", "))
                    + (nodes.size() > NAMES ? ", ..." : "");
        }

        private static Markdown scores(JsonNode json) {
            List<JsonNode> best = new ArrayList<>();
            for (JsonNode node : json.path("ranking")) {
                if (best.size() < RANKS) {
                    best.add(node);
                }
            }
            List<String> head = new ArrayList<>(List.of("Score × weight", "#Weight"));
            best.forEach(node -> head.add("#" + node.path("node").asText()));
            List<List<String>> rows = new ArrayList<>();
            json.path("weights").properties().forEach(weight -> {
                List<String> row = new ArrayList<>(List.of(
                        Markdown.text(weight.getKey()), weight.getValue().asText()));
                best.forEach(node -> row.add(
                        Long.toString(node.path("scores").path(weight.getKey()).asLong()
                                * weight.getValue().asLong())));
                rows.add(row);
            });
            if (!rows.isEmpty()) {
                List<String> totals = new ArrayList<>(List.of("total", ""));
                best.forEach(node -> totals.add(node.path("total").asText()));
                rows.add(totals);
            }
            return new Markdown().table(head, rows, rows.size());
        }

        private static Markdown against(JsonNode failures) {
            Map<String, List<String>> nodes = new LinkedHashMap<>();
            failures.properties().forEach(failure -> {
                for (JsonNode obstacle : failure.getValue()) {
                    obstacle.path("reasons")
                            .forEach(reason -> nodes.computeIfAbsent(reason.asText(), any -> new ArrayList<>())
                                    .add(failure.getKey()));
                }
            });
            List<List<String>> rows = new ArrayList<>();
            nodes.entrySet().stream()
                    .sorted(Comparator.comparingInt(reason -> -reason.getValue().size()))
                    .forEach(reason -> rows.add(List.of(
                            Markdown.cell(reason.getKey()),
                            Integer.toString(reason.getValue().size()),
                            names(reason.getValue()))));
            return new Markdown().table(List.of("Reason", "#Nodes", "For example"), rows, ROWS);
        }
    }
}
