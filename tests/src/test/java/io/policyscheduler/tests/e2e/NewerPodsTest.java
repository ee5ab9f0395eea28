package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pods with fields newer than v1.17, for one node with 3 CPUs on which v1.17 would place all of them: an old policy rejects them, offline and live,
 * for the same reasons as kube-scheduler of the cluster's release.
 */
class NewerPodsTest {
    private static final Path CLUSTER = Path.of("src/test/resources/newer-pods/cluster.yaml");
    private static final Path PODS = Path.of("src/test/resources/newer-pods/pods.yaml");
    private static final String NO_CPU = "0/1 nodes are available: 1 Insufficient cpu.";
    private static final String GATED = "waiting for scheduling gates: [example.com/approved]";

    private final Path folder;

    NewerPodsTest(@TempDir Path folder) {
        this.folder = folder;
    }

    /** The reason why each pod is rejected; n1 for the one that fits. */
    private static Map<String, String> expected(String affinity) {
        Map<String, String> outcomes = new TreeMap<>();
        outcomes.put("sidecar", NO_CPU);
        outcomes.put("overhead", NO_CPU);
        outcomes.put("pod-level", NO_CPU);
        outcomes.put(
                "other-namespace",
                "0/1 nodes are available: 1 node(s) didn't match pod affinity/anti-affinity" + affinity);
        outcomes.put(
                "spread",
                "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required"
                        + " label).");
        outcomes.put("gated", GATED);
        outcomes.put(
                "claims",
                "0/1 nodes are available: 1 pod has resource claims (spec.resourceClaims), which this policy does not"
                        + " allocate.");
        outcomes.put("plain", "n1");
        return outcomes;
    }

    private static Map<String, String> simulate(String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of("simulate", "--provider", "DefaultProvider", "-o", "json"));
        args.addAll(List.of("--cluster", CLUSTER.toString(), "--pods", PODS.toString()));
        args.addAll(List.of(options));
        StringWriter out = new StringWriter();
        Main.run(args.toArray(String[]::new), new PrintWriter(out), new PrintWriter(new StringWriter()));
        Map<String, String> outcomes = new TreeMap<>();
        for (JsonNode pod : new ObjectMapper().readTree(out.toString()).path("pods")) {
            String node = pod.path("node").asText("");
            outcomes.put(
                    pod.path("pod").asText().replace("default/", ""),
                    node.equals("null") || node.isEmpty() ? pod.path("message").asText() : node);
        }
        return outcomes;
    }

    @Test
    void offlineByPlugins() throws IOException {
        assertEquals(expected("."), simulate());
    }

    /** v1.17 reported both reasons if predicates ran as functions. */
    @Test
    void offlineByFunctions() throws IOException {
        assertEquals(expected(", 1 node(s) didn't match pod anti-affinity rules."), simulate("--mode", "legacy"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--strict-v1.17", "--release=1.17"})
    void v117KnewNoneOfThis(String option) throws IOException {
        Map<String, String> outcomes = simulate(option);
        // All except the gated pod. Pods that are placed do not affect later ones.
        Map<String, String> placed = new LinkedHashMap<>(outcomes);
        placed.values().removeIf(outcome -> !outcome.equals("n1"));
        assertEquals(
                List.of("claims", "other-namespace", "overhead", "pod-level", "sidecar", "spread"),
                List.copyOf(placed.keySet()));
    }

    @Test
    void aFieldThatIsIgnoredCountsForNothing() throws IOException {
        Map<String, String> expected = expected(".");
        expected.put("spread", "n1");
        expected.put("overhead", "n1");
        assertEquals(expected, simulate("--ignore-newer-fields", "topologySpreadConstraints,overhead"));
    }

    @Test
    void live() throws IOException {
        Map<String, String> actual = new TreeMap<>();
        try (LiveCluster live = new LiveCluster(Release.V1_34)) {
            read(CLUSTER).forEach(live.cluster()::load);
            try (Program program = Program.start(
                    folder,
                    "run",
                    "--master",
                    live.cluster().url(),
                    "--algorithm-provider",
                    "DefaultProvider",
                    "--disable-preemption")) {
                program.awaitOutput("cluster release 1.34");
                program.awaitOutput("scheduling pods of " + Manifest.SCHEDULER);
                List<ObjectNode> pods = read(PODS);
                pods.forEach(live.api()::createPod);
                for (ObjectNode pod : pods) {
                    String name = pod.at("/metadata/name").asText();
                    switch (name) {
                        case "plain" -> {
                            live.awaitBound(name);
                            actual.put(name, live.nodeOf(name));
                        }
                        case "gated" -> {
                            // Nothing is written about a gated pod; that it was
                            // skipped shows when all others are decided.
                        }
                        default ->
                            actual.put(
                                    name,
                                    live.awaitUnschedulable(name)
                                            .path("message")
                                            .asText());
                    }
                }
                actual.put("gated", live.nodeOf("gated").isEmpty() ? GATED : live.nodeOf("gated"));
                live.assertSound();
            }
        }
        assertEquals(expected("."), actual);
    }

    private static List<ObjectNode> read(Path file) throws IOException {
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        List<ObjectNode> objects = new ArrayList<>();
        for (JsonNode document : yaml.readerFor(JsonNode.class)
                .<JsonNode>readValues(file.toFile())
                .readAll()) {
            objects.add((ObjectNode) document);
        }
        return objects;
    }
}
