package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every report fits the terminal of its reader: no row has more than two lines, on the demo and on a dump of 1,000 nodes. */
class ReportLayoutTest {
    private static final String DEMO = "../../policy-files/demo/";
    private static final String POLICY = DEMO + "policy.json";
    private static final int MOST_LINES = 60;

    @TempDir
    Path dir = Path.of("");

    static Stream<Arguments> reports() {
        List<String> commands = List.of(
                "compare POLICY modern --cluster CLUSTER",
                "compare POLICY modern provider:DefaultProvider --cluster CLUSTER --limit 5",
                "simulate --policy POLICY --cluster CLUSTER",
                "simulate --policy POLICY --cluster CLUSTER --details --selector app=cache",
                "audit --policy POLICY --cluster CLUSTER",
                "audit --profile modern --cluster CLUSTER",
                "explain POD --policy POLICY --cluster CLUSTER",
                "explain POD --profile modern --cluster CLUSTER",
                "explain OTHER --policy POLICY --cluster CLUSTER",
                "migrate POLICY",
                "migrate --provider DefaultProvider",
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
        String line = command.replace("POLICY", POLICY)
                .replace("CLUSTER", cluster)
                .replace("POD", isLarge ? "default/app-7" : "huge")
                .replace("OTHER", isLarge ? "default/app-950" : "default/web-6d4cf56db6-01");
        assertFits(run(line, columns));
    }

    /** The command why shows a decision with the nodes, scores, and reasons of explain. */
    @ParameterizedTest
    @CsvSource({
        "false, huge, 80",
        "false, huge, 100",
        "false, huge, 160",
        "false, web-6d4cf56db6-01, 80",
        "false, web-6d4cf56db6-01, 160",
        "true, default/app-950, 80",
        "true, default/app-950, 100",
        "true, default/app-950, 160"
    })
    void whyHasNoRowOfMoreThanTwoLines(boolean isLarge, String pod, int columns) throws IOException {
        String cluster = isLarge ? large().toString() : DEMO + "cluster.yaml " + DEMO + "workload.yaml";
        JsonNode explanation = new ObjectMapper()
                .readTree(run("explain " + pod + " --policy " + POLICY + " --cluster " + cluster + " -o json", 0));
        byte[] answer = ("{\"decisions\":[" + decision(explanation) + "]}").getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/debug/decisions", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            String text = run(
                    "why " + pod + " --url http://127.0.0.1:"
                            + server.getAddress().getPort(),
                    columns);
            assertTrue(text.startsWith(explanation.path("pod").asText() + " is "), text);
            assertFits(text);
        } finally {
            server.stop(0);
        }
    }

    private static ObjectNode decision(JsonNode explanation) {
        ObjectNode decision = JsonNodeFactory.instance.objectNode();
        boolean isPlaced = explanation.path("winner").isTextual();
        decision.set("pod", explanation.path("pod"));
        decision.set("node", explanation.path("winner"));
        decision.set("message", explanation.path("message"));
        decision.put("outcome", isPlaced ? "bound" : "unschedulable").put("attempt", 3);
        decision.put("time", "2026-11-27T23:14:35.226892932Z").put("profile", "default-scheduler");
        decision.put("generation", 2).put("micros", 995);
        ArrayNode best = decision.putArray("best");
        for (JsonNode ranked : explanation.path("ranking")) {
            ObjectNode node = best.addObject();
            node.set("node", ranked.path("node"));
            node.set("total", ranked.path("total"));
            ArrayNode scores = node.putArray("scores");
            ranked.path("scores").properties().forEach(score -> {
                long weight = explanation.path("weights").path(score.getKey()).asLong();
                scores.addObject()
                        .put("algorithm", score.getKey())
                        .put("weight", weight)
                        .put("weighted", weight * score.getValue().asLong());
            });
        }
        ArrayNode rejections = decision.putArray("rejections");
        explanation.path("failures").properties().forEach(failure -> {
            ObjectNode rejection = rejections.addObject().put("nodes", 1);
            rejection.set("reason", failure.getValue().at("/0/reasons/0"));
            rejection.putArray("names").add(failure.getKey());
        });
        int feasible = best.size();
        int all = feasible + rejections.size();
        decision.putObject("nodes")
                .put("feasible", feasible)
                .put("examined", all)
                .put("total", all);
        return decision;
    }

    private static void assertFits(String text) {
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
        boolean isQuoted = all.contains("nodes are available:") || all.startsWith("profiles:") || all.startsWith("- ");
        assertTrue(isQuoted || row.size() <= 2, () -> String.join("\n", row) + "\n--- in ---\n" + text);
    }

    @Test
    void compareAnswersInItsFirstTwoLines() {
        String text =
                run("compare " + POLICY + " modern --cluster " + DEMO + "cluster.yaml " + DEMO + "workload.yaml", 100);
        List<String> lines = text.lines().toList();
        assertTrue(lines.size() <= MOST_LINES, text);
        assertEquals("policy.json and modern: 29 of 41 pods get another node, 1 becomes schedulable.", lines.get(0));
        assertEquals(
                "Main cause (25 pods): PodTopologySpread score (SelectorSpreadPriority, ZoneSpread).", lines.get(1));
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
