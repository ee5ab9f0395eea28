package io.policyscheduler.cmd.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShadowReportTest {
    private static final Finding SAME =
            new Finding("ns/a", "n1", Finding.Kind.SAME, List.of("n1", "n2"), "", List.of());
    private static final Finding OTHER =
            new Finding("ns/b", "n1", Finding.Kind.OTHER_NODE, List.of("n2"), "n2 scores 7 more: A +7", List.of("A"));
    private static final Finding NOWHERE =
            new Finding("ns/c", "n1", Finding.Kind.NOWHERE, List.of(), "F: no room", List.of("F"));

    private final StringWriter out = new StringWriter();
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    @Test
    void peopleSeeDifferencesAndASummary() throws IOException {
        try (ShadowReport report =
                new ShadowReport("modern", PolicyNames.NONE, new PrintWriter(out), true, null, null, clock)) {
            assertEquals("no placements yet", report.status());
            report.add(SAME);
            report.add(OTHER);
            report.add(NOWHERE);
            report.finish();
            assertEquals(2, report.differences());
        }
        assertEquals("""
                ns/b is on n1: differs: with modern, n2 scores 7 more: A +7
                ns/c is on n1: differs: modern finds no feasible node: F: no room

                3 placements compared with modern: 1 agrees (33.3 %), 2 differ

                RESULT                   PODS
                agrees                      1
                prefers another node        1
                finds no feasible node      1

                CAUSE   PODS
                A          1
                F          1
                """, out.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 100, 160})
    void noRowHasMoreThanTwoLines(int columns) throws IOException {
        TerminalWriter terminal = new TerminalWriter(out, new Terminal(columns, false));
        try (ShadowReport report = new ShadowReport("modern", PolicyNames.NONE, terminal, true, null, null, clock)) {
            for (int i = 0; i < 1000; i++) {
                String node = "worker-%04d.example.internal".formatted(i);
                String algorithm = i % 2 == 0 ? "NodeResourcesBalancedAllocation" : "NodePreferAvoidPodsPriority";
                report.add(new Finding(
                        "production/web-6d4cf56db6-" + i,
                        "n1",
                        Finding.Kind.OTHER_NODE,
                        List.of(node),
                        node + " scores 7 more: " + algorithm + " +7",
                        List.of(algorithm)));
            }
            report.finish();
        }
        terminal.flush();
        out.toString().lines().forEach(line -> assertTrue(line.length() <= Math.max(160, columns * 2), line));
        assertTrue(out.toString().contains("\n1000 placements compared with modern: 0 agree (0.0 %), 1000 differ\n"));
    }

    @Test
    void aTerminalShowsDifferencesInColour() throws IOException {
        TerminalWriter terminal = new TerminalWriter(out, new Terminal(0, true));
        try (ShadowReport report = new ShadowReport("modern", PolicyNames.NONE, terminal, true, null, null, clock)) {
            report.add(OTHER);
            report.finish();
        }
        terminal.flush();
        assertTrue(
                out.toString()
                        .startsWith("ns/b is on n1: \u001b[33mdiffers: with modern, n2 scores 7 more: A +7"
                                + "\u001b[0m\n"),
                out::toString);
        assertTrue(
                out.toString()
                        .contains("\u001b[33m1 placement compared with modern: 0 agree (0.0 %), 1 differs\u001b[0m\n"),
                out::toString);
    }

    @Test
    void thePageHasTheLastPlacements() throws IOException {
        try (ShadowReport report =
                new ShadowReport("modern", PolicyNames.NONE, new PrintWriter(out), true, null, null, clock)) {
            assertEquals(
                    List.of("No pod was placed while shadow ran."),
                    report.page().conclusion());
            for (int i = 0; i < 5000; i++) {
                report.add(SAME);
            }
            report.add(OTHER);
            PageContent page = report.page();
            assertEquals("shadow: modern", page.title());
            assertEquals(
                    List.of("5001 placements compared with modern: 5000 agree (99.9 %), 1 differs."),
                    page.conclusion());
            assertEquals(5000, page.data().path("placements").size());
            assertEquals(1, page.data().path("placementsLeftOut").asInt());
            assertEquals("ns/b", page.data().at("/placements/4999/pod").asText());
            assertEquals(1, page.data().at("/causes/A").asInt());
        }
    }

    @Test
    void programsGetLinesALogAndASummary(@TempDir Path folder) throws IOException {
        Path log = Files.writeString(folder.resolve("log"), "before\n");
        Path summary = folder.resolve("summary.json");
        try (ShadowReport report =
                new ShadowReport("modern", PolicyNames.NONE, new PrintWriter(out), false, log, summary, clock)) {
            assertEquals(
                    0,
                    new ObjectMapper().readTree(summary.toFile()).path("judged").asInt());
            report.add(SAME);
            report.add(OTHER);
            report.finish();
        }
        String lines = """
                {"time":"2026-01-02T03:04:05Z","pod":"ns/a","node":"n1","agrees":true,"kind":"same node","best":["n1","n2"],"cause":"","algorithms":[]}
                {"time":"2026-01-02T03:04:05Z","pod":"ns/b","node":"n1","agrees":false,"kind":"another node","best":["n2"],"cause":"n2 scores 7 more: A +7","algorithms":["A"]}
                """;
        assertEquals(lines, out.toString());
        assertEquals("before\n" + lines, Files.readString(log));
        JsonNode expected = new ObjectMapper()
                .readTree(
                        "{\"decider\":\"modern\",\"since\":\"2026-01-02T03:04:05Z\",\"until\":\"2026-01-02T03:04:05Z\","
                                + "\"judged\":2,\"agreement\":50.0,\"kinds\":{\"same node\":1,\"another node\":1},"
                                + "\"causes\":{\"A\":1}}");
        assertEquals(expected, new ObjectMapper().readTree(summary.toFile()));
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed(@TempDir Path folder) {
        Path log = folder.resolve("none").resolve("log");
        IOException e = assertThrows(
                IOException.class,
                () -> new ShadowReport("m", PolicyNames.NONE, new PrintWriter(out), true, log, null, clock).close());
        assertEquals(log.toString(), e.getMessage());
    }
}
