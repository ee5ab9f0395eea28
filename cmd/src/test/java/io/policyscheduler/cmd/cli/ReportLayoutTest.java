package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.report.Terminal;
import io.policyscheduler.cmd.report.TerminalWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every report fits the terminal of its reader: no row has more than two lines, on the demo and on a dump of 1,000 nodes. */
class ReportLayoutTest {
    private static final String DEMO = "../policy-files/demo/";
    private static final String POLICY = DEMO + "policy.json";
    private static final int MOST_LINES = 60;

    @TempDir
    Path dir = Path.of("");

    static Stream<Arguments> reports() {
        List<String> commands = List.of(
                "compare POLICY modern --cluster CLUSTER",
                "compare POLICY modern provider:DefaultProvider --cluster CLUSTER --limit 5",
                "simulate --policy POLICY --cluster CLUSTER",
                "audit --policy POLICY --cluster CLUSTER",
                "audit --profile modern --cluster CLUSTER",
                "explain POD --policy POLICY --cluster CLUSTER",
                "explain POD --profile modern --cluster CLUSTER",
                "migrate POLICY",
                "validate --explain POLICY");
        List<Arguments> all = new ArrayList<>();
        for (String command : commands) {
            for (int columns : new int[] {80, 100, 160}) {
                all.add(Arguments.of(command, false, columns));
                if (command.contains("CLUSTER")) {
                    all.add(Arguments.of(command, true, columns));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0}, large: {1}, {2} columns")
    @MethodSource("reports")
    void noRowHasMoreThanTwoLines(String command, boolean isLarge, int columns) throws IOException {
        String cluster = isLarge ? large().toString() : DEMO + "cluster.yaml " + DEMO + "workload.yaml";
        String pod = isLarge ? "default/app-7" : "huge";
        String line =
                command.replace("POLICY", POLICY).replace("CLUSTER", cluster).replace("POD", pod);
        String text = run(line, columns);
        assertTrue(text.lines().findFirst().isPresent(), text);
        List<String> row = new ArrayList<>();
        for (String shown : text.split("\n", -1)) {
            if (!shown.startsWith(" ")) {
                assertRow(row, text);
                row.clear();
            }
            row.add(shown);
        }
        assertRow(row, text);
    }

    /** Messages of kube-scheduler are quoted as a whole, and the configuration that migrate writes is a file. */
    private static void assertRow(List<String> row, String text) {
        String all = String.join(" ", row);
        boolean isQuoted = all.contains("nodes are available") || all.startsWith("profiles:") || all.startsWith("- ");
        assertTrue(isQuoted || row.size() <= 2, () -> String.join("\n", row) + "\n--- in ---\n" + text);
    }

    @Test
    void compareAnswersInItsFirstTwoLines() {
        String text =
                run("compare " + POLICY + " modern --cluster " + DEMO + "cluster.yaml " + DEMO + "workload.yaml", 100);
        List<String> lines = text.lines().toList();
        assertTrue(lines.size() <= MOST_LINES, text);
        assertEquals("policy.json and modern: 29 of 41 pods move, 1 becomes schedulable.", lines.get(0));
        assertEquals(
                "Main cause: NodeLabel filter (InAZone, NotRetiring) rejects node-d1 and node-c4 (28 pods).",
                lines.get(1));
        assertTrue(lines.stream().allMatch(line -> line.length() <= 110), text);
    }

    private static String run(String line, int columns) {
        StringWriter text = new StringWriter();
        TerminalWriter out = new TerminalWriter(text, new Terminal(columns, false));
        Main.run(line.split(" "), out, new TerminalWriter(new StringWriter()));
        out.flush();
        return text.toString();
    }

    /** 1,000 nodes in three zones, 900 running and 100 pending pods. */
    private Path large() throws IOException {
        StringBuilder text = new StringBuilder("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n");
        for (int i = 0; i < 1000; i++) {
            text.append(
                    ("{\"kind\":\"Node\",\"metadata\":{\"name\":\"worker-%04d.example.internal\",\"labels\":{\"zone\":"
                                    + "\"zone-%d\"}},\"status\":{\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"16Gi\",\"pods\":\"110\"}}},\n")
                            .formatted(i, i % 3, 2 + i % 7));
        }
        for (int i = 0; i < 1000; i++) {
            String node = i < 900 ? "\"nodeName\":\"worker-%04d.example.internal\",".formatted(i) : "";
            text.append(("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"app-%d\",\"namespace\":\"default\"},\"spec\":{%s"
                            + "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%dm\"}}}]}}%s\n")
                    .formatted(i, node, 100 + 50 * (i % 40), i == 999 ? "" : ","));
        }
        Path file = dir.resolve("large.json");
        Files.writeString(file, text.append("]}\n"));
        return file;
    }
}
