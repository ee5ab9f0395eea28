package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A historic policy with MostRequestedPriority, labelsPresence, serviceAffinity, and an extender: {@code run} places the pods where {@code simulate}
 * does, and the other pods stay pending for the reason that simulate names.
 */
class RunAsSimulateTest {
    private static final String POLICY = """
            {"kind": "Policy", "apiVersion": "v1",
             "predicates": [
              {"name": "PodFitsResources"},
              {"name": "RackKnown", "argument": {"labelsPresence": {"labels": ["rack"], "presence": true}}},
              {"name": "OneZone", "argument": {"serviceAffinity": {"labels": ["zone"]}}}],
             "priorities": [{"name": "MostRequestedPriority", "weight": 1}],
             "extenders": [{"urlPrefix": "EXTENDER", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 2,
              "nodeCacheCapable": true}]}
            """;

    private final LiveCluster live = new LiveCluster();
    private final SmallExtender extender = new SmallExtender();
    private final ObjectMapper mapper = new ObjectMapper();

    private final Path folder;

    RunAsSimulateTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
        extender.close();
    }

    private static List<ObjectNode> nodes() {
        List<ObjectNode> nodes = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            ObjectNode node = Manifest.node("n" + i, i % 3 == 0 ? "2" : "4");
            ObjectNode labels = node.withObject("/metadata/labels").put("zone", "z" + i % 2);
            if (i != 4) {
                labels.put("rack", "r" + i);
            }
            nodes.add(node);
        }
        return nodes;
    }

    private static List<ObjectNode> pods() {
        List<ObjectNode> pods = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            ObjectNode pod = Manifest.pod("p" + i, i % 5 == 0 ? "1500m" : "700m");
            pod.withObject("/metadata/labels").put("app", "s" + i % 4);
            pods.add(pod);
        }
        return pods;
    }

    private static List<ObjectNode> services() {
        List<ObjectNode> services = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            services.add(Manifest.json("{'apiVersion':'v1','kind':'Service','metadata':{'name':'s" + i
                    + "','namespace':'default'},'spec':{'selector':{'app':'s" + i + "'},'ports':[{'port':80}]}}"));
        }
        return services;
    }

    /** Rejects n1 for pods of app s2, and prefers n5. */
    private void serve() {
        extender.on("filter", args -> {
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            ArrayNode names = answer.putArray("NodeNames");
            ObjectNode failed = answer.putObject("FailedNodes");
            boolean picky = args.at("/Pod/metadata/labels/app").asText().equals("s2");
            for (JsonNode name : args.path("NodeNames")) {
                if (picky && name.asText().equals("n1")) {
                    failed.put("n1", "not for s2");
                } else {
                    names.add(name);
                }
            }
            return answer;
        });
        extender.on("prioritize", args -> {
            ArrayNode scores = JsonNodeFactory.instance.arrayNode();
            for (JsonNode name : args.path("NodeNames")) {
                scores.addObject()
                        .put("Host", name.asText())
                        .put("Score", name.asText().equals("n5") ? 9 : 3);
            }
            return scores;
        });
    }

    private JsonNode simulate(Path policy) throws IOException {
        ObjectNode dump = Manifest.json("{'apiVersion':'v1','kind':'List','items':[]}");
        ArrayNode items = dump.withArray("items");
        nodes().forEach(items::add);
        services().forEach(items::add);
        pods().forEach(items::add);
        Path file = Files.writeString(folder.resolve("dump.json"), dump.toString());
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Main.run(
                new String[] {
                    "simulate",
                    "--policy",
                    policy.toString(),
                    "--cluster",
                    file.toString(),
                    "--call-extenders",
                    "--tie-break",
                    "first",
                    "--scheduler-name",
                    Manifest.SCHEDULER,
                    "-o",
                    "json"
                },
                new PrintWriter(out),
                new PrintWriter(err));
        return mapper.readTree(out.toString()).path("pods");
    }

    @Test
    void runPlacesWhereSimulateSays() throws IOException {
        serve();
        Path policy = Files.writeString(folder.resolve("policy.json"), POLICY.replace("EXTENDER", extender.url()));
        JsonNode predicted = simulate(policy);
        assertEquals(24, predicted.size());
        nodes().forEach(live.cluster()::load);
        services().forEach(live.cluster()::load);
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> actual = new LinkedHashMap<>();
        try (Program program = Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--policy-config-file",
                policy.toString(),
                "--tie-break",
                "first")) {
            program.awaitOutput("scheduling pods of " + Manifest.SCHEDULER);
            for (JsonNode prediction : predicted) {
                String key = prediction.path("pod").asText();
                String name = key.substring(key.indexOf('/') + 1);
                live.api().createPod(pods().get(Integer.parseInt(name.substring(1))));
                if (prediction.path("node").isTextual()) {
                    live.awaitBound(name);
                    expected.put(name, prediction.path("node").asText());
                    actual.put(name, live.nodeOf(name));
                } else {
                    expected.put(name, prediction.path("message").asText());
                    actual.put(
                            name, live.awaitUnschedulable(name).path("message").asText());
                }
            }
        }
        assertEquals(expected, actual);
        Set<String> outcomes = new LinkedHashSet<>(expected.values());
        assertTrue(outcomes.size() > 4, () -> "too few outcomes: " + outcomes);
        assertTrue(
                outcomes.stream().anyMatch(outcome -> outcome.startsWith("0/9")), () -> "nothing pending: " + outcomes);
        live.assertSound();
    }
}
