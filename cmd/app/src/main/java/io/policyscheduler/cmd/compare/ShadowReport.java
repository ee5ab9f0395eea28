package io.policyscheduler.cmd.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Counter;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The report of {@code shadow}: differences as text, or each placement as a line of JSON; the same lines in a log; and a summary
 * file. The summary file is replaced atomically, so a reader never reads a part of it.
 */
final class ShadowReport implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Browsers open a page of this size without delay. */
    private static final int PLACEMENTS = 5000;

    private final String decider;
    /** The name of the scheduler for people. */
    private final String name;

    private final PolicyNames names;
    private final Map<String, Integer> causes = new TreeMap<>();
    private final PrintWriter out;
    private final boolean forPeople;
    private final @Nullable Writer log;
    private final @Nullable Path summary;
    private final InstantSource clock;
    private final Instant since;
    private final Counter counter = new Counter();
    /** The last placements, for a page. */
    private final Deque<ObjectNode> placements = new ArrayDeque<>();

    /**
     * Opens the files.
     *
     * @param forPeople false prints lines of JSON
     * @param log file that lines are appended to; null for none
     * @param summary file that is kept up to date; null for none
     * @throws IOException if a file cannot be written, with its name
     */
    public ShadowReport(
            String decider,
            PolicyNames names,
            PrintWriter out,
            boolean forPeople,
            @Nullable Path log,
            @Nullable Path summary,
            InstantSource clock)
            throws IOException {
        this.decider = decider;
        this.names = names;
        this.name = SchedulerNames.of(List.of(decider)).get(0);
        this.out = out;
        this.forPeople = forPeople;
        this.clock = clock;
        this.since = clock.instant();
        this.log = log == null
                ? null
                : Files.newBufferedWriter(
                        log, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        this.summary = summary;
        writeSummary();
    }

    /**
     * Adds one finding.
     *
     * @throws IOException if a file cannot be written
     */
    public void add(Finding finding) throws IOException {
        counter.add(finding);
        if (!finding.algorithms().isEmpty()) {
            causes.merge(named(finding, finding.algorithms().get(0)), 1, Integer::sum);
        }
        ObjectNode placement = json(finding);
        placements.add(named(placement, finding));
        if (placements.size() > PLACEMENTS) {
            placements.remove();
        }
        String line = text(placement);
        if (!forPeople) {
            out.println(line);
        } else if (!finding.agrees()) {
            out.print(finding.pod() + " is on " + finding.node() + ": ");
            TerminalWriter.println(out, Verdict.DOUBTFUL, difference(finding));
        }
        out.flush();
        if (log != null) {
            log.write(line);
            log.write("\n");
            log.flush();
        }
        writeSummary();
    }

    private String difference(Finding finding) {
        String cause = cause(finding);
        return switch (finding.kind()) {
            case SAME -> "agrees";
            case OTHER_NODE -> "differs: with " + name + ", " + cause;
            case NOT_THERE ->
                "differs: " + name + " would choose " + choice(finding) + " because it rejects " + finding.node() + ": "
                        + cause;
            case NOWHERE -> "differs: " + name + " finds no feasible node: " + cause;
            case UNDECIDED -> "not decided: " + cause;
        };
    }

    /** Returns the cause with the names that algorithms have in the policy. */
    private String cause(Finding finding) {
        String cause = finding.cause();
        for (String algorithm : finding.algorithms()) {
            String end = isByScore(finding) ? " +" : ": ";
            cause = cause.replace(algorithm + end, named(finding, algorithm) + end);
        }
        return cause;
    }

    /** Returns a copy for a page, with the names that algorithms have in the policy. */
    private ObjectNode named(ObjectNode placement, Finding finding) {
        ObjectNode shown = placement.deepCopy().put("cause", cause(finding));
        ArrayNode algorithms = shown.putArray("algorithms");
        finding.algorithms().forEach(algorithm -> algorithms.add(named(finding, algorithm)));
        return shown;
    }

    private static boolean isByScore(Finding finding) {
        return finding.kind() == Finding.Kind.OTHER_NODE;
    }

    private String named(Finding finding, String algorithm) {
        return isByScore(finding) ? names.score(algorithm) : names.filter(algorithm);
    }

    private static String choice(Finding finding) {
        return finding.best().isEmpty() ? "another node" : finding.best().get(0);
    }

    private static String result(Finding.Kind kind) {
        return switch (kind) {
            case SAME -> "agrees";
            case OTHER_NODE -> "prefers another node";
            case NOT_THERE -> "rejects the node";
            case NOWHERE -> "finds no feasible node";
            case UNDECIDED -> "not decided";
        };
    }

    /** Returns the number of placements that differ. */
    public int differences() {
        return counter.evaluated() - counter.of(Finding.Kind.SAME) - counter.of(Finding.Kind.UNDECIDED);
    }

    /** Returns the answer so far, in one line. */
    public String status() {
        if (counter.evaluated() == 0) {
            return "no placements yet";
        }
        int undecided = counter.of(Finding.Kind.UNDECIDED);
        String compared = placements() + " compared with " + name + ": ";
        if (counter.evaluated() == undecided) {
            return compared + "none could be decided";
        }
        int agree = counter.of(Finding.Kind.SAME);
        return compared + agree + (agree == 1 ? " agrees (" : " agree (") + Percent.of(counter.agreement()) + " %), "
                + differences() + (differences() == 1 ? " differs" : " differ")
                + (undecided == 0 ? "" : ", " + undecided + " not decided");
    }

    private String placements() {
        return counter.evaluated() + (counter.evaluated() == 1 ? " placement" : " placements");
    }

    /** Prints the answer, and the number of pods by result and by cause. */
    public void finish() {
        if (forPeople) {
            TextTable kinds = new TextTable().text("RESULT").number("PODS");
            for (Finding.Kind kind : Finding.Kind.values()) {
                if (counter.of(kind) > 0) {
                    kinds.row(result(kind), counter.of(kind));
                }
            }
            TextTable byCause = new TextTable().text("CAUSE").number("PODS");
            causes.entrySet().stream()
                    .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                    .forEach(cause -> byCause.row(cause.getKey(), cause.getValue()));
            out.println();
            TerminalWriter.println(out, differences() == 0 ? Verdict.GOOD : Verdict.DOUBTFUL, status());
            for (TextTable table : List.of(kinds, byCause)) {
                if (!table.isEmpty()) {
                    out.println();
                    table.print(out);
                }
            }
        }
        out.flush();
    }

    private ObjectNode json(Finding finding) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("time", clock.instant().toString());
        node.put("pod", finding.pod()).put("node", finding.node()).put("agrees", finding.agrees());
        node.put("kind", finding.kind().text());
        finding.best().forEach(node.putArray("best")::add);
        node.put("cause", finding.cause());
        finding.algorithms().forEach(node.putArray("algorithms")::add);
        return node;
    }

    private void writeSummary() throws IOException {
        if (summary == null) {
            return;
        }
        Path next = summary.resolveSibling(summary.getFileName() + ".new");
        Files.writeString(next, text(summaryJson()) + "\n");
        Files.move(next, summary, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private ObjectNode summaryJson() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("decider", decider).put("since", since.toString());
        node.put("until", clock.instant().toString()).put("judged", counter.evaluated());
        boolean isKnown = counter.evaluated() > counter.of(Finding.Kind.UNDECIDED);
        node.put("agreement", isKnown ? Double.valueOf(Percent.of(counter.agreement())) : null);
        ObjectNode kinds = node.putObject("kinds");
        for (Finding.Kind kind : Finding.Kind.values()) {
            if (counter.of(kind) > 0) {
                kinds.put(kind.text(), counter.of(kind));
            }
        }
        ObjectNode byAlgorithm = node.putObject("causes");
        for (Map.Entry<String, Integer> cause : counter.causes().entrySet()) {
            byAlgorithm.put(cause.getKey(), cause.getValue());
        }
        return node;
    }

    /** The report as a page. */
    PageContent page() {
        ObjectNode data = summaryJson().put("decider", name);
        ObjectNode byCause = data.putObject("causes");
        causes.forEach(byCause::put);
        data.put("placementsLeftOut", counter.evaluated() - placements.size());
        placements.forEach(data.putArray("placements")::add);
        String conclusion = counter.evaluated() == 0 ? "No pod was placed while shadow ran." : status() + ".";
        return new PageContent(PageContent.View.SHADOW, "shadow: " + name, List.of(conclusion), data);
    }

    private static String text(ObjectNode node) {
        try {
            return JSON.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a tree", e);
        }
    }

    @Override
    public void close() throws IOException {
        if (log != null) {
            log.close();
        }
    }
}
