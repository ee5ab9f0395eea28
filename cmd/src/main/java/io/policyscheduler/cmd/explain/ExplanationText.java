package io.policyscheduler.cmd.explain;

import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.engine.preemption.PreemptionResult.Victims;
import io.policyscheduler.framework.devices.DeviceReport;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.explain.Lift;
import io.policyscheduler.framework.insight.explain.NearestFits;
import io.policyscheduler.framework.insight.explain.Obstacle;
import io.policyscheduler.framework.insight.explain.ScoreGap;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The text of an explanation: first the answer, then the scores or the rejections, then what would make the pod schedulable. Algorithms
 * have the names of the user's policy, and the scores are weighted, so that a column adds up to its total.
 */
final class ExplanationText {
    private static final int RANKS = 5;
    private static final int DEVICES = 30;

    private static final int NAMES = 5;

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
    public ExplanationText(
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
        headline();
        notes();
        String asked = explanation.askedNode();
        if (asked != null) {
            printAsked(asked);
        } else if (explanation.winner() != null) {
            printRanking();
            printFailures();
        } else {
            printFailures();
        }
        NearestFits nearest = explanation.nearest();
        if (nearest != null) {
            printNearest(nearest);
        }
        if (explanation.preemption() != null) {
            printPreemption(explanation.preemption());
        }
    }

    private void headline() {
        PodInfo pod = explanation.pod();
        String winner = explanation.winner();
        String running = pod.nodeName().isEmpty() ? "" : "runs on " + pod.nodeName() + "; ";
        String where;
        if (winner == null) {
            where = "is unschedulable: " + evaluation.error();
        } else if (winner.equals(pod.nodeName())) {
            where = "would be placed on the same node again";
        } else {
            where = "would be placed on " + winner;
        }
        out.print(pod.key() + ": " + running);
        TerminalWriter.println(out, Verdict.of(winner != null), where);
        int nodes = evaluation.feasible().size() + evaluation.failures().size();
        out.println("scheduler: " + scheduler
                + (nodes == 0 ? "" : "; " + evaluation.feasible().size() + " of " + nodes + " nodes are feasible"));
    }

    private void notes() {
        List<String> gates = explanation.pod().spec().schedulingGates();
        if (!gates.isEmpty()) {
            out.println("the pod waits until its scheduling gates are removed: " + String.join(", ", gates));
        }
        String nominated = explanation.pod().nominatedNodeName();
        if (!nominated.isEmpty()) {
            out.println("nominated node: " + nominated);
        }
    }

    private void printAsked(String asked) {
        out.println();
        if (!evaluation.feasible().contains(asked)) {
            out.println(asked + " is not feasible:");
            TextTable table = new TextTable().text("REJECTED BY").message("REASON");
            for (Obstacle obstacle : explanation.obstacles().getOrDefault(asked, List.of())) {
                obstacle.reasons().forEach(reason -> table.row(filter(obstacle), reason));
            }
            table.print(out);
            printDevices();
            return;
        }
        String winner = explanation.winner();
        if (winner == null || winner.equals(asked)) {
            out.println(asked + " is feasible and is selected");
            printRanking();
        } else {
            out.println(asked + " is feasible, rank " + (explanation.ranking().indexOf(asked) + 1) + " of "
                    + evaluation.feasible().size());
            printGap(ScoreGap.of(evaluation, winner, asked));
        }
    }

    private String filter(Obstacle obstacle) {
        return obstacle.filter().isEmpty() ? "-" : policyNames.filter(obstacle.filter());
    }

    private void printRanking() {
        List<String> ranking = explanation.ranking();
        out.println();
        if (ranking.size() == 1) {
            out.println(ranking.get(0) + " is the only feasible node, so no scores are computed");
            return;
        }
        List<String> shown = ranking.subList(0, Math.min(RANKS, ranking.size()));
        TextTable table = new TextTable().text("SCORE × WEIGHT").number("WEIGHT");
        shown.forEach(table::number);
        evaluation.weights().forEach((algorithm, weight) -> {
            List<Object> cells = new ArrayList<>(List.of(policyNames.score(algorithm), weight));
            shown.forEach(node -> cells.add(weight * score(algorithm, node)));
            table.row(cells.toArray());
        });
        List<Object> totals = new ArrayList<>(List.of("total", ""));
        shown.forEach(node -> totals.add(explanation.total(node)));
        table.row(totals.toArray());
        table.print(out);
        if (ranking.size() > RANKS) {
            out.println("and " + (ranking.size() - RANKS) + " more feasible nodes");
        }
        out.println();
        out.println(verdict(ScoreGap.of(evaluation, ranking.get(0), ranking.get(1))));
    }

    private long score(String algorithm, String node) {
        return evaluation.scores().getOrDefault(algorithm, NodeValues.NONE).getOrDefault(node, 0L);
    }

    private void printGap(ScoreGap gap) {
        TextTable table = new TextTable()
                .text("SCORE × WEIGHT")
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
        table.print(out);
        out.println();
        out.println(verdict(gap));
    }

    private static String signed(long number) {
        return number > 0 ? "+" + number : Long.toString(number);
    }

    private String verdict(ScoreGap gap) {
        if (gap.gap() == 0) {
            return gap.better() + " and " + gap.other() + " have the same total: the tie break selects one of them";
        }
        String first = gap.better() + " beats " + gap.other() + " by " + gap.gap() + ": ";
        List<ScoreGap.Part> parts =
                gap.parts().stream().filter(part -> part.difference() != 0).toList();
        if (parts.size() == 1) {
            return first + "only " + policyNames.score(parts.get(0).algorithm()) + " differs";
        }
        String tipped = gap.tippedBy();
        return first
                + (tipped == null ? "" : "mainly by " + policyNames.score(tipped) + "; ")
                + parts.stream()
                        .map(part -> policyNames.score(part.algorithm()) + " " + signed(part.difference()))
                        .collect(Collectors.joining(", "));
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
        TextTable table = new TextTable().message("REASON").text("REJECTED NODES");
        nodes.forEach((reason, names) -> table.row(reason, names(names)));
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
            int reasons = nodes.values().stream().mapToInt(List::size).sum();
            if (!explanation.obstacles().isEmpty()
                    && reasons > evaluation.failures().size()) {
                out.println(
                        "(a node can have several reasons; the message above counts only those of the first filter that rejects it)");
            }
        }
        printDevices();
    }

    /** Where claims cannot be allocated, what speaks against each device; of many, the first. */
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
            out.println("and " + (all.size() - DEVICES) + " more devices; -o json shows all");
        }
    }

    private static String names(List<String> names) {
        String shown = names.stream().limit(NAMES).collect(Collectors.joining(", "));
        return names.size() + ": " + shown + (names.size() > NAMES ? ", ..." : "");
    }

    private void printNearest(NearestFits nearest) {
        out.println();
        nearest.tooSmall()
                .ifPresent(closest -> out.println("no node is large enough, even without other pods; " + closest.node()
                        + " comes closest: "
                        + closest.lifts().stream()
                                .filter(Lift::exceedsNode)
                                .map(Lift::text)
                                .collect(Collectors.joining(", "))));
        TextTable table =
                new TextTable().message("CHANGE THAT MAKES A NODE FEASIBLE").text("NODES");
        Map<List<String>, List<NearestFits.Fit>> groups = nearest.groups();
        groups.entrySet().stream()
                .limit(maxRows)
                .forEach(group -> table.row(
                        String.join("; ", group.getKey()),
                        names(group.getValue().stream()
                                .map(NearestFits.Fit::node)
                                .toList())));
        table.print(out);
        if (groups.size() > maxRows) {
            out.println("and " + (groups.size() - maxRows) + " more ways");
        }
        if (nearest.notTried() > 0) {
            out.println(nearest.notTried() + " more nodes need at least as much");
        }
        Map<String, List<String>> unknown = new TreeMap<>();
        nearest.unknown()
                .forEach((node, obstacles) -> unknown.computeIfAbsent(
                                obstacles.stream()
                                        .flatMap(obstacle -> obstacle.reasons().stream())
                                        .distinct()
                                        .collect(Collectors.joining(", ")),
                                key -> new ArrayList<>())
                        .add(node));
        TextTable rest = new TextTable().message("NO KNOWN REMEDY FOR").text("NODES");
        unknown.forEach((reasons, nodes) -> rest.row(reasons, names(nodes)));
        if (!rest.isEmpty() && !table.isEmpty()) {
            out.println();
        }
        rest.print(out);
    }

    private void printPreemption(PreemptionResult result) {
        out.println();
        String chosen = result.chosen();
        if (result.error() != null) {
            out.println("preemption fails: " + result.error());
        } else if (!result.eligible()) {
            out.println("preemption: the pod must not preempt"
                    + (result.message().isEmpty() ? "" : ": " + result.message()));
        } else if (chosen == null) {
            out.println("preemption does not help" + (result.message().isEmpty() ? "" : ": " + result.message()));
        } else {
            Victims victims = result.candidates().get(chosen);
            List<PodInfo> pods = victims == null ? List.of() : victims.pods();
            String broken = victims == null || victims.budgetViolations() == 0
                    ? ""
                    : String.format(
                            Locale.ROOT, ", %d of them against a disruption budget", victims.budgetViolations());
            List<String> others = result.candidates().keySet().stream()
                    .filter(node -> !node.equals(chosen))
                    .toList();
            out.println("preemption evicts from " + chosen + ": "
                    + pods.stream()
                            .map(pod -> pod.key() + " (priority " + pod.priority() + ")")
                            .collect(Collectors.joining(", "))
                    + broken + (others.isEmpty() ? "" : "; it also helps on " + names(others)));
        }
    }
}
