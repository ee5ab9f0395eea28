package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceReader.Line;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code lab record} is killed, and started again into the same folder. */
class RestartedRecorderTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The longest time until a line is readable. */
    private static final Duration FLUSHED = Duration.ofMillis(500);

    private static final int PODS = 5;

    private final LiveCluster live = new LiveCluster();
    private final Path folder;

    RestartedRecorderTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Path trace() {
        return folder.resolve("trace");
    }

    private Program start() {
        return Program.start(folder, "lab", "record", "--master", live.cluster().url(), "--out", trace().toString());
    }

    private List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        try {
            for (TraceFile file : TraceFiles.of(trace()).list()) {
                TraceReader.read(file, text -> true, lines::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }

    /** Waits until a line of a kind contains a text. Returns how long that took. */
    private Duration awaitLine(Program program, String kind, String text) {
        return Await.until(
                LiveCluster.PATIENCE,
                "the trace has a line " + kind + " with " + text,
                () -> lines().stream()
                        .anyMatch(line -> line.kind().equals(kind)
                                && line.fields().toString().contains(text)),
                program::output);
    }

    private static JsonNode json(String... command) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertEquals(0, Main.run(command, new PrintWriter(out), new PrintWriter(err)), err::toString);
        return JSON.readTree(out.toString());
    }

    @Test
    void continuesWithAGapAfterAKill() throws IOException {
        live.addNodes(2, "8");
        List<Line> before;
        Duration fastest = LiveCluster.PATIENCE;
        try (Program program = start()) {
            awaitLine(program, "snap", "\"n1\"");
            for (int i = 0; i < PODS; i++) {
                live.api().createPod(Manifest.pod("early" + i, "1"));
                live.api().bind("early" + i, "n0");
                // The line of the pod before has just become readable, so that this one waits for a whole period.
                Duration took = awaitLine(program, "bind", uid("early" + i));
                fastest = took.compareTo(fastest) < 0 ? took : fastest;
            }
            program.kill();
            program.awaitEnd();
            before = lines();
        }
        assertTrue(fastest.compareTo(FLUSHED) < 0, "a line is readable after " + fastest);
        live.api().deletePod("early0");
        live.api().createPod(Manifest.pod("between", "1"));
        live.api().bind("between", "n1");
        try (Program program = start()) {
            awaitLine(program, "snap", "\"between\"");
            live.api().createPod(Manifest.pod("late", "1"));
            live.api().bind("late", "n1");
            awaitLine(program, "bind", uid("late"));
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
        }
        List<Line> all = lines();
        assertEquals(before, all.subList(0, before.size()));
        List<Line> after = all.subList(before.size(), all.size());
        assertEquals(
                List.of("begin", "gap"), after.stream().limit(2).map(Line::kind).toList());
        Instant start = start(before.get(0));
        Instant last = before.get(before.size() - 1).time();
        JsonNode gap = after.get(1).fields();
        assertEquals(seconds(start, last), gap.path("from").asDouble(), 0.001);
        assertEquals(seconds(start, after.get(1).time()), gap.path("to").asDouble(), 0.001);

        JsonNode parts = json("lab", "show", trace().toString(), "-o", "json").path("parts");
        assertEquals(2, parts.size());
        assertEquals(PODS, parts.at("/0/arrivals").asInt());
        assertEquals(0, parts.at("/0/gaps").asInt());
        assertEquals(1, parts.at("/1/gaps").asInt());
        assertEquals(
                gap.path("to").asDouble() - gap.path("from").asDouble(),
                parts.at("/1/gapSeconds").asDouble(),
                1e-9);
        assertEquals(PODS, parts.at("/1/snapshot/Pod").asInt(), "one is deleted, and one is new");

        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] run = {"lab", "run", "modern", "--trace", trace().toString(), "--warm-up", "0s", "-o", "json"};
        assertEquals(0, Main.run(run, new PrintWriter(out), new PrintWriter(err)), err::toString);
        int longest = length(parts.path(0)).compareTo(length(parts.path(1))) < 0 ? 1 : 0;
        assertEquals(
                "warning: " + trace()
                        + " has 2 parts, because the recorder was restarted; the longest one is used, from "
                        + parts.path(longest).path("from").asText() + " to "
                        + parts.path(longest).path("to").asText() + "\n",
                err.toString());
        assertEquals(
                longest == 0 ? PODS : 1,
                JSON.readTree(out.toString()).at("/metrics/pods.arrived").asInt());
    }

    private String uid(String pod) {
        return live.cluster()
                .get("pods", "default", pod)
                .orElseThrow()
                .at("/metadata/uid")
                .asText();
    }

    private static Instant start(Line line) {
        return line.time()
                .minusNanos(
                        line.fields().path("t").decimalValue().movePointRight(9).longValueExact());
    }

    private static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e9;
    }

    private static Duration length(JsonNode part) {
        return Duration.between(
                Instant.parse(part.path("from").asText()),
                Instant.parse(part.path("to").asText()));
    }
}
