package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.report.CompareText;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Markdown;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.ScoreTable;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.insight.explain.Explanation.Amounts;
import io.policyscheduler.framework.insight.whatif.Simulation.FitCount;
import io.policyscheduler.framework.insight.whatif.Simulation.PodOutcome;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization.Part;
import io.policyscheduler.framework.insight.whatif.Simulation.Utilization.Use;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

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
        List<Cause> causes = causes();
        if (causes.isEmpty()) {
            return List.of(first);
        }
        int most = causes.get(0).pods().size();
        long equal =
                causes.stream().filter(cause -> cause.pods().size() == most).count();
        return equal == 1 || all == 1
                ? List.of(
                        first,
                        "Most common reason: " + causes.get(0).reason() + " (" + most
                                + (most == 1 ? " pod)." : " pods)."))
                : List.of(
                        first,
                        (equal == causes.size() ? "Reasons (" : "Most common reasons (") + most
                                + (most == 1 ? " pod" : " pods") + " each): "
                                + causes.get(0).reason() + " and " + (equal - 1)
                                + (equal == 2 ? " other." : " others."));
    }

    /**
     * Pods that are unschedulable for the same main reason.
     *
     * @param reason the message of the filter that rejects most nodes
     * @param advice the fix
     * @param pods their names, in the order of scheduling
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
            unschedulable.text("MAIN REASON").number("NODES WITH REASON");
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
                + (details.feasible().size() + details.failures().size())
                + (details.feasible().size() == 1 ? " nodes is feasible" : " nodes are feasible"));
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

    /** The report as JSON. */
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

    /**
     * Additional parts of a simulation.
     *
     * @param changes the what-if changes, one line each
     * @param before utilization of the nodes before all changes
     * @param after utilization when all pods are placed, without those of {@code fit}
     * @param fit how many more copies of a pod are schedulable; null if not requested
     */
    record SimulationExtras(
            List<String> changes,
            Utilization before,
            Utilization after,
            @Nullable FitCount fit) {
        public SimulationExtras {
            changes = List.copyOf(changes);
        }

        void printChanges(PrintWriter out) {
            changes.forEach(out::println);
            if (!changes.isEmpty()) {
                out.println();
            }
        }

        void printRest(PrintWriter out) {
            if (fit != null) {
                out.println();
                printFit(out, fit);
            }
            if (changes.isEmpty() && fit == null) {
                return;
            }
            out.println();
            Use old = before.total();
            Use now = after.total();
            TextTable table = new TextTable().text("REQUESTED").text("BEFORE").text("AFTER");
            table.row("nodes", before.nodes().size(), after.nodes().size());
            table.row("cpu", cpu(old.cpu()), cpu(now.cpu()));
            table.row("memory", memory(old.memory()), memory(now.memory()));
            table.row("pods", pods(old.pods()), pods(now.pods()));
            table.print(out);
            if (isOvercommitted(old) || isOvercommitted(now)) {
                out.println(CompareText.OVERCOMMITTED);
            }
        }

        private static boolean isOvercommitted(Use use) {
            return Stream.of(use.cpu(), use.memory(), use.pods()).anyMatch(part -> part.percent() > 100);
        }

        private static void printFit(PrintWriter out, FitCount fit) {
            out.println(fit.count()
                    + (fit.count() == 1 ? " more pod like " : " more pods like ")
                    + fit.pod()
                    + (fit.count() == 1 ? " fits" : " fit")
                    + (fit.message().isEmpty()
                            ? " (the limit of --fit-limit)."
                            : ". The next one fails with: " + fit.message()));
            TextTable table = new TextTable().text("NODE").number("MORE");
            fit.byNode().forEach(table::row);
            table.print(out);
        }

        private static String cpu(Part part) {
            return percent(Amounts.cpu(part.requested()), Amounts.cpu(part.allocatable()), part);
        }

        private static String memory(Part part) {
            return percent(Amounts.bytes(part.requested()), Amounts.bytes(part.allocatable()), part);
        }

        private static String pods(Part part) {
            return percent(Long.toString(part.requested()), Long.toString(part.allocatable()), part);
        }

        private static String percent(String requested, String allocatable, Part part) {
            return requested + " of " + allocatable + " (" + Percent.of(part.percent()) + "%)";
        }

        void addTo(ObjectNode json) {
            changes.forEach(json.putArray("changes")::add);
            ObjectNode utilisation = json.putObject("utilisation");
            use(utilisation.putObject("before"), before.total());
            use(utilisation.putObject("after"), after.total());
            ArrayNode nodes = utilisation.putArray("nodes");
            Set<String> names = new TreeSet<>(before.nodes().keySet());
            names.addAll(after.nodes().keySet());
            for (String name : names) {
                ObjectNode node = nodes.addObject().put("node", name);
                put(node, "before", before.nodes().get(name));
                put(node, "after", after.nodes().get(name));
            }
            if (fit == null) {
                json.putNull("fit");
                return;
            }
            ObjectNode counted = json.putObject("fit");
            counted.put("pod", fit.pod()).put("count", fit.count());
            counted.put("message", fit.message().isEmpty() ? null : fit.message());
            ObjectNode byNode = counted.putObject("nodes");
            fit.byNode().forEach((node, count) -> byNode.put(node, count));
        }

        private static void put(ObjectNode node, String field, @Nullable Use use) {
            if (use == null) {
                node.putNull(field);
            } else {
                use(node.putObject(field), use);
            }
        }

        private static void use(ObjectNode node, Use use) {
            part(node.putObject("cpu"), use.cpu());
            part(node.putObject("memory"), use.memory());
            part(node.putObject("pods"), use.pods());
        }

        private static void part(ObjectNode node, Part part) {
            node.put("requested", part.requested()).put("allocatable", part.allocatable());
        }
    }

    /** The data of a simulation's page: all pods, and for those with details the best nodes and the rejections of the others. */
    static final class SimulationHtml {
        /** Characters of JSON for the rows of pods. */
        private static final int POD_BUDGET = 800_000;
        /** Characters of JSON for the details. */
        private static final int DETAIL_BUDGET = 500_000;

        /** Maximum number of evaluations (pods times nodes) for the page only. */
        private static final int MOST_LOOKS = 100_000;

        private static final int NODES = 10;
        private static final int EXAMPLES = 5;
        private static final List<String> RESOURCES = List.of("cpu", "memory", "pods");
        private static final Set<String> DETAILS = Set.of("scores", "weights", "totals", "failures");

        private SimulationHtml() {}

        /** Whether the additional evaluations for the page are fast. */
        static boolean isCheap(int pods, int nodes) {
            return (long) pods * nodes <= MOST_LOOKS;
        }

        /** The page of a simulation. */
        static PageContent page(SimulationReport report) {
            return new PageContent(
                    PageContent.View.SIMULATE, "simulate", report.answer(), SimulationHtml.of(report.namedJson()));
        }

        /**
         * Makes the data of the page.
         *
         * @param report the document of {@code simulate -o json}; changed in place
         */
        static ObjectNode of(ObjectNode report) {
            List<JsonNode> pods = StreamSupport.stream(report.path("pods").spliterator(), false)
                    .sorted(Comparator.comparing(pod -> pod.path("node").isTextual()))
                    .toList();
            ArrayNode shown = report.putArray("pods");
            int rows = 0;
            int details = 0;
            for (JsonNode pod : pods) {
                ObjectNode row = pod.deepCopy();
                row.remove(DETAILS);
                rows += row.toString().length();
                if (rows > POD_BUDGET) {
                    break;
                }
                if (pod.has("totals") && details < DETAIL_BUDGET) {
                    ObjectNode sheet = sheet(row.putObject("details"), pod);
                    details += sheet.toString().length();
                }
                shown.add(row);
            }
            nodes((ObjectNode) report.path("utilisation"));
            return report.put("podsLeftOut", pods.size() - shown.size());
        }

        /** Each node with its name, allocatable resources, and requests before and after. */
        private static void nodes(ObjectNode utilisation) {
            JsonNode nodes = utilisation.path("nodes");
            ArrayNode shown = utilisation.putArray("nodes");
            for (JsonNode node : nodes) {
                JsonNode before = node.path("before");
                JsonNode after = node.path("after");
                ArrayNode one = shown.addArray().add(node.path("node"));
                one.add(amounts(before.isNull() ? after : before, "allocatable"));
                one.add(amounts(before, "requested"));
                one.add(amounts(after, "requested"));
            }
        }

        /** Null if the node does not exist. */
        private static JsonNode amounts(JsonNode use, String which) {
            ArrayNode amounts = JsonNodeFactory.instance.arrayNode();
            RESOURCES.forEach(resource -> amounts.add(use.path(resource).path(which)));
            return use.isNull() ? use : amounts;
        }

        private static ObjectNode sheet(ObjectNode sheet, JsonNode pod) {
            List<String> algorithms = new ArrayList<>();
            pod.path("scores").fieldNames().forEachRemaining(algorithms::add);
            algorithms.forEach(sheet.putArray("algorithms")::add);
            ArrayNode weights = sheet.putArray("weights");
            algorithms.forEach(
                    name -> weights.add(pod.path("weights").path(name).asLong(1)));
            List<Map.Entry<String, JsonNode>> totals =
                    new ArrayList<>(pod.path("totals").properties());
            totals.sort(Comparator.comparingLong(total -> -total.getValue().asLong()));
            ArrayNode nodes = sheet.putArray("nodes");
            String winner = pod.path("node").asText();
            for (Map.Entry<String, JsonNode> total : totals) {
                String node = total.getKey();
                if (nodes.size() < NODES || node.equals(winner)) {
                    ArrayNode one = nodes.addArray().add(node).add(total.getValue());
                    for (int i = 0; i < algorithms.size(); i++) {
                        one.add(pod.path("scores")
                                        .path(algorithms.get(i))
                                        .path(node)
                                        .asLong()
                                * weights.get(i).asLong());
                    }
                }
            }
            rejected(sheet.putArray("rejected"), pod.path("failures"));
            return sheet;
        }

        private static void rejected(ArrayNode rejected, JsonNode failures) {
            record Key(String plugin, String reason) {}
            Map<Key, List<String>> groups = new LinkedHashMap<>();
            failures.properties().forEach(failure -> {
                List<String> reasons = new ArrayList<>();
                failure.getValue().path("reasons").forEach(reason -> reasons.add(reason.asText()));
                Key key = new Key(failure.getValue().path("plugin").asText(""), String.join(", ", reasons));
                groups.computeIfAbsent(key, any -> new ArrayList<>()).add(failure.getKey());
            });
            groups.forEach((key, nodes) -> {
                ArrayNode examples = rejected.addArray()
                        .add(key.plugin())
                        .add(key.reason())
                        .add(nodes.size())
                        .addArray();
                nodes.stream().limit(EXAMPLES).forEach(examples::add);
            });
        }
    }

    /** The Markdown of a simulation, for a comment. */
    static final class SimulationMarkdown {
        private static final int CAUSES = 20;
        private static final int PODS = 60;
        private static final double ALL = 100;

        private SimulationMarkdown() {}

        /** @param json the report with the names of the policy */
        static Markdown of(List<String> answer, JsonNode json) {
            Markdown page = new Markdown().conclusion(answer);
            List<String> changes = new ArrayList<>();
            json.path("changes").forEach(change -> changes.add(Markdown.text(change.asText())));
            page.list(changes);
            List<List<String>> causes = new ArrayList<>();
            for (JsonNode cause : json.path("causes")) {
                causes.add(List.of(
                        Markdown.cell(cause.path("reason").asText()),
                        cause.path("pods").asText(),
                        Markdown.code(cause.path("example").asText()),
                        Markdown.text(cause.path("advice").asText())));
            }
            page.table(List.of("Reason", "#Pods", "For example", "What to do"), causes, CAUSES);
            List<List<String>> placed = new ArrayList<>();
            List<List<String>> unschedulable = new ArrayList<>();
            for (JsonNode pod : json.path("pods")) {
                String name = Markdown.code(pod.path("pod").asText());
                if (pod.path("node").isTextual()) {
                    placed.add(List.of(
                            name,
                            Markdown.code(pod.path("node").asText()),
                            pod.path("feasible").asText()));
                } else {
                    unschedulable.add(
                            List.of(name, Markdown.cell(pod.path("message").asText())));
                }
            }
            JsonNode fit = json.path("fit");
            if (fit.isObject()) {
                page.paragraph("Pods like " + Markdown.code(fit.path("pod").asText()) + " that fit in addition: "
                        + fit.path("count").asText() + ".");
            }
            page.details(
                    unschedulable.size()
                            + (unschedulable.size() == 1 ? " pod is unschedulable" : " pods are unschedulable"),
                    new Markdown().table(List.of("Pod", "Message"), unschedulable, PODS));
            page.details(
                    placed.size() + (placed.size() == 1 ? " pod is placed" : " pods are placed"),
                    new Markdown().table(List.of("Pod", "Node", "#Feasible nodes"), placed, PODS));
            return page.details("Load of the cluster", loads(json.path("utilisation")));
        }

        private static Markdown loads(JsonNode use) {
            List<List<String>> rows = new ArrayList<>();
            for (String resource : List.of("cpu", "memory", "pods")) {
                rows.add(List.of(
                        resource,
                        share(use.path("before").path(resource)),
                        share(use.path("after").path(resource))));
            }
            return new Markdown().table(List.of("Requested", "#Before", "#After"), rows, rows.size());
        }

        private static String share(JsonNode part) {
            double has = part.path("allocatable").asDouble();
            return Percent.of(has == 0 ? 0 : ALL * part.path("requested").asDouble() / has) + " %";
        }
    }

    /**
     * The main reason why a pod is unschedulable: the one that rejects most nodes.
     *
     * @param text the message of the filter, as in
     *     {@code 0/13 nodes are available: 12 Insufficient cpu, 1 node(s) were unschedulable.}; the whole message of the pod if
     *     it does not have this form
     * @param nodes the number of nodes that it rejects; 0 if the message does not contain it
     */
    public record UnschedulableReason(String text, int nodes) {
        private static final Pattern MESSAGE = Pattern.compile("0/\\d+ nodes are available: (.*?)\\.?"
                + "(?: (?:preemption:|no new claims to deallocate|still not schedulable).*)?");
        private static final Pattern PART = Pattern.compile("(?:^|, )(\\d+) (.+?)(?=, \\d+ |$)");

        /** The fix, by a part of the message. The messages are those of kube-scheduler of all releases. */
        private static final Map<String, String> ADVICE = ImmutableMap.<String, String>builder()
                .put("no nodes available", "add nodes")
                .put("Too many pods", "add nodes, or remove pods")
                .put("Insufficient pods", "add nodes, or remove pods")
                .put("Insufficient ", "lower the request, or add nodes with enough room")
                .put("match node selector", "label a node, or change the node selector")
                .put("node affinity/selector", "label a node, or change the node affinity")
                .put("volume node affinity", "add nodes where the volume is")
                .put("requested labels", "change the labels of the nodes")
                .put("taint", "add a toleration, or remove the taint")
                .put("were unschedulable", "uncordon the nodes")
                .put("topology spread", "add nodes, or raise maxSkew")
                .put("anti-affinity", "add nodes, or relax the anti-affinity")
                .put("pod affinity", "start the pods that it needs, or relax the affinity")
                .put("requested hostname", "change spec.nodeName, or add the node")
                .put("free ports", "add nodes, or use another host port")
                .put("max volume count", "add nodes, or use fewer volumes")
                .put("volume zone", "add nodes in the zone of the volume")
                .put("volume", "create a volume that matches the claim")
                .put("persistentvolumeclaim", "create the claim")
                .put("available disk", "remove the pod that uses the disk")
                .build();

        /** Returns the main reason in the message of a pod. */
        public static UnschedulableReason of(String message) {
            Matcher matcher = MESSAGE.matcher(message);
            if (!matcher.matches()) {
                return new UnschedulableReason(message, 0);
            }
            return PART.matcher(matcher.group(1))
                    .results()
                    .map(UnschedulableReason::part)
                    .reduce((first, second) -> second.nodes() > first.nodes() ? second : first)
                    .orElse(new UnschedulableReason(message, 0));
        }

        private static UnschedulableReason part(MatchResult part) {
            String digits = part.group(1);
            return new UnschedulableReason(
                    part.group(2), digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits));
        }

        /** Returns the fix, in a few words. */
        public String advice() {
            return ADVICE.entrySet().stream()
                    .filter(advice -> text.contains(advice.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse("see explain POD");
        }
    }
}
