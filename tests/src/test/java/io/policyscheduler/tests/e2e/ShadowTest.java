package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.ResultSchemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code shadow} next to another scheduler: it reports for each placement whether it agrees, and writes nothing. */
class ShadowTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final LiveCluster live = new LiveCluster();

    @AfterEach
    void close() {
        live.close();
    }

    @Test
    void placementsOfAnotherSchedulerAreJudged(@TempDir Path folder) throws IOException {
        for (String name : List.of("small", "big")) {
            live.cluster().load(Manifest.node(name, name.equals("big") ? "16" : "4"));
        }
        ObjectNode special = Manifest.node("special", "4");
        special.withObject("/metadata/labels").put("special", "true");
        live.cluster().load(special);
        Path policy = Files.writeString(folder.resolve("policy.json"), """
                {"kind":"Policy","apiVersion":"v1",
                 "predicates":[{"name":"PodFitsResources"},
                   {"name":"NotSpecial","argument":{"labelsPresence":{"labels":["special"],"presence":false}}}],
                 "priorities":[{"name":"LeastRequestedPriority","weight":1}]}
                """);
        Path log = folder.resolve("shadow.jsonl");
        Path report = folder.resolve("shadow.json");
        Path page = folder.resolve("shadow.html");
        try (Program program = Program.start(
                folder,
                "shadow",
                "framework:" + policy,
                "--master",
                live.cluster().url(),
                "--log",
                log.toString(),
                "--report",
                report.toString(),
                "--html",
                page.toString())) {
            program.awaitOutput("watching");
            place("best", "big");
            place("worse", "small");
            place("against", "special");
            place("mirrored", "small");
            Await.until(LiveCluster.PATIENCE, "three placements are judged", () -> count(log) == 3, program::output);
            Map<String, String> causes = new TreeMap<>();
            for (String line : Files.readAllLines(log)) {
                ResultSchemas.assertValid("shadow", line);
                JsonNode finding = JSON.readTree(line);
                causes.put(
                        finding.path("pod").asText() + " on "
                                + finding.path("node").asText(),
                        finding.path("kind").asText() + "|"
                                + finding.path("cause").asText());
            }
            assertEquals(
                    Map.of(
                            "default/best on big",
                            "same node|",
                            "default/worse on small",
                            "another node|big scores 13 more in total (NodeResourcesLeastAllocated +13)",
                            "default/against on special",
                            "not on that node|NodeLabel: node(s) didn't have the requested labels"),
                    causes);
            program.signal("TERM");
            program.awaitOutput("3 placements compared with policy.json: 1 agrees (33.3 %), 2 differ");
            Await.until(
                    LiveCluster.PATIENCE,
                    "the page is written",
                    () -> text(page).endsWith("</html>\n"),
                    () -> text(page));
            assertTrue(
                    program.output()
                            .contains(
                                    "default/worse is on small: differs: with policy.json, big scores 13 more in total (LeastRequestedPriority +13)"),
                    program.output());
        }
        ResultSchemas.assertValid("shadow-report", Files.readString(report));
        assertTrue(
                text(page).contains("<p>3 placements compared with policy.json: 1 agrees (33.3 %), 2 differ.</p>"),
                () -> text(page));
        JsonNode summary = JSON.readTree(report.toFile());
        assertEquals(3, summary.path("judged").asInt());
        assertEquals(33.3, summary.path("agreement").asDouble());
        assertEquals(
                JSON.readTree("{'same node':1,'another node':1,'not on that node':1}".replace('\'', '"')),
                summary.path("kinds"));
    }

    /** The large node is reserved for a pod that is nominated to it, until this pod is deleted. */
    @Test
    void nominatedPodsOfAnotherSchedulerCount(@TempDir Path folder) throws IOException {
        for (String name : List.of("small", "big")) {
            live.cluster().load(Manifest.node(name, name.equals("big") ? "16" : "4"));
        }
        Path log = folder.resolve("shadow.jsonl");
        try (Program program = Program.start(
                folder, "shadow", "modern", "--master", live.cluster().url(), "--log", log.toString())) {
            program.awaitOutput("watching");
            ObjectNode large = Manifest.podOf("another-scheduler", "large", "16");
            large.withObject("/spec").put("priority", 10);
            large.withObject("/status").put("nominatedNodeName", "big");
            live.cluster().load(large);
            place("reserved", "small");
            Await.until(LiveCluster.PATIENCE, "a placement is judged", () -> count(log) == 1, program::output);
            live.api().deletePod("large");
            place("free", "small");
            Await.until(LiveCluster.PATIENCE, "two placements are judged", () -> count(log) == 2, program::output);
        }
        Map<String, String> kinds = new TreeMap<>();
        for (String line : Files.readAllLines(log)) {
            JsonNode finding = JSON.readTree(line);
            kinds.put(finding.path("pod").asText(), finding.path("kind").asText());
        }
        assertEquals(Map.of("default/reserved", "same node", "default/free", "another node"), kinds);
    }

    private static long count(Path log) {
        return text(log).lines().count();
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** Places a pod as another scheduler does: it is pending, then bound. A mirror pod is never pending. */
    private void place(String pod, String node) {
        ObjectNode manifest = Manifest.podOf("another-scheduler", pod, "2");
        if (pod.equals("mirrored")) {
            manifest.withObject("/metadata/annotations").put("kubernetes.io/config.mirror", "x");
            manifest.withObject("/spec").put("nodeName", node);
            live.api().createPod(manifest);
            return;
        }
        live.api().createPod(manifest);
        live.api().bind(pod, node);
    }
}
