package io.policyscheduler.cmd.shadow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.cmd.report.html.PageContent;
import io.policyscheduler.framework.insight.compare.ShadowFinding;
import io.policyscheduler.framework.insight.compare.ShadowTally;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What was found out beside another scheduler: differences as they come for people, or every placement as a line of JSON; the
 * same lines in a log; and a summary in a file that is replaced as a whole, so that a reader never sees half of it.
 */
final class ShadowReport implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What a browser opens with ease. */
    private static final int PLACEMENTS = 5000;

    private final String decider;
    private final PrintWriter out;
    private final boolean forPeople;
    private final @Nullable Writer log;
    private final @Nullable Path summary;
    private final InstantSource clock;
    private final Instant since;
    private final ShadowTally tally = new ShadowTally();
    /** The last placements, for a page. */
    private final Deque<ObjectNode> placements = new ArrayDeque<>();

    /**
     * Opens the files.
     *
     * @param forPeople false prints lines of JSON
     * @param log lines are appended to it; null for none
     * @param summary kept up to date; null for none
     * @throws IOException when a file cannot be written; names it
     */
    public ShadowReport(
            String decider,
            PrintWriter out,
            boolean forPeople,
            @Nullable Path log,
            @Nullable Path summary,
            InstantSource clock)
            throws IOException {
        this.decider = decider;
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
     * Takes one more finding.
     *
     * @throws IOException when a file cannot be written
     */
    public void add(ShadowFinding finding) throws IOException {
        tally.add(finding);
        ObjectNode placement = json(finding);
        placements.add(placement);
        if (placements.size() > PLACEMENTS) {
            placements.remove();
        }
        String line = text(placement);
        if (!forPeople) {
            out.println(line);
        } else if (!finding.agrees()) {
            out.print(finding.pod() + " is on " + finding.node() + "; " + decider + ": ");
            TerminalWriter.println(out, Verdict.DOUBTFUL, opinion(finding));
        }
        out.flush();
        if (log != null) {
            log.write(line);
            log.write("\n");
            log.flush();
        }
        writeSummary();
    }

    private static String opinion(ShadowFinding finding) {
        String where = finding.kind() == ShadowFinding.Kind.OTHER_NODE
                ? "rather " + finding.best().get(0)
                : finding.kind().text();
        return where + " (" + finding.cause() + ")";
    }

    /** How many placements the decider would not have made. */
    public int differences() {
        return tally.judged() - tally.of(ShadowFinding.Kind.SAME) - tally.of(ShadowFinding.Kind.UNDECIDED);
    }

    /** Where things stand, in one line. */
    public String status() {
        if (tally.judged() == 0) {
            return "no placement seen";
        }
        int decided = tally.judged() - tally.of(ShadowFinding.Kind.UNDECIDED);
        if (decided == 0) {
            return placements() + ", none of which could be decided";
        }
        String causes = tally.causes().entrySet().stream()
                .map(cause -> cause.getKey() + " " + cause.getValue())
                .collect(Collectors.joining(", "));
        return placements() + ", " + Percent.of(tally.agreement()) + " % agreed with"
                + (causes.isEmpty() ? "" : "; differences: " + causes);
    }

    private String placements() {
        return tally.judged() + (tally.judged() == 1 ? " placement" : " placements");
    }

    /** Prints what came of it all. */
    public void finish() {
        if (forPeople) {
            TextTable kinds = new TextTable().text("PLACED ON").number("PODS");
            for (ShadowFinding.Kind kind : ShadowFinding.Kind.values()) {
                if (tally.of(kind) > 0) {
                    kinds.row(kind.text(), tally.of(kind));
                }
            }
            TextTable causes = new TextTable().text("DIFFERENCE BY").number("PODS");
            tally.causes().forEach(causes::row);
            out.println();
            kinds.print(out);
            if (!causes.isEmpty()) {
                out.println();
                causes.print(out);
            }
            out.println();
            TerminalWriter.println(out, differences() == 0 ? Verdict.GOOD : Verdict.DOUBTFUL, status());
        }
        out.flush();
    }

    private ObjectNode json(ShadowFinding finding) {
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
        node.put("until", clock.instant().toString()).put("judged", tally.judged());
        boolean isKnown = tally.judged() > tally.of(ShadowFinding.Kind.UNDECIDED);
        node.put("agreement", isKnown ? Double.valueOf(Percent.of(tally.agreement())) : null);
        ObjectNode kinds = node.putObject("kinds");
        for (ShadowFinding.Kind kind : ShadowFinding.Kind.values()) {
            if (tally.of(kind) > 0) {
                kinds.put(kind.text(), tally.of(kind));
            }
        }
        ObjectNode causes = node.putObject("causes");
        for (Map.Entry<String, Integer> cause : tally.causes().entrySet()) {
            causes.put(cause.getKey(), cause.getValue());
        }
        return node;
    }

    /** All of it as a page. */
    PageContent page() {
        ObjectNode data = summaryJson();
        data.put("placementsLeftOut", tally.judged() - placements.size());
        placements.forEach(data.putArray("placements")::add);
        String differing =
                differences() == 0 ? "it would have made all of them" : "it would not have made " + differences();
        String conclusion = tally.judged() == 0
                ? "No placement was seen."
                : "Of " + placements() + " by other schedulers " + decider + " agrees with "
                        + tally.of(ShadowFinding.Kind.SAME) + "; " + differing + ".";
        return new PageContent(PageContent.View.SHADOW, "shadow: " + decider, List.of(conclusion), data);
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
