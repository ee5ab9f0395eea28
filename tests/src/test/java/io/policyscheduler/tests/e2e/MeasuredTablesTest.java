package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example policy about measured load, with a Prometheus server whose values the test sets. */
class MeasuredTablesTest {
    private static final Path EXAMPLE = Path.of("../policy-files/rules/load-aware.yaml");
    private static final String STALE = "policy_scheduler_table_stale_values{table=\"load\"}";

    private final LiveCluster live = new LiveCluster();
    private final MeasuringServer prometheus = new MeasuringServer();
    private final Path folder;

    MeasuredTablesTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
    }

    @BeforeEach
    void cluster() {
        for (String name : new String[] {"n1", "n2"}) {
            ObjectNode node = Manifest.node(name, "8");
            node.withObject("/status/allocatable").put("pods", "1000");
            live.cluster().load(node);
        }
    }

    @AfterEach
    void close() {
        live.close();
        prometheus.close();
    }

    /** The example with this server, a query per second, and a shorter lifetime of values. */
    private Program start(String staleAfter) throws IOException {
        String policy = Files.readString(EXAMPLE)
                .replace("http://prometheus.monitoring:9090", prometheus.url())
                .replace("interval: 30s", "interval: 1s")
                .replace("staleAfter: 2m", "staleAfter: " + staleAfter);
        Path file = Files.writeString(folder.resolve("policy.yaml"), policy);
        return Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--policy-config-file",
                file.toString(),
                "--status-address",
                "0");
    }

    private String place(String pod) {
        live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, pod, "10m"));
        live.awaitBound(pod);
        return live.nodeOf(pod);
    }

    private void awaitGeneration(Program program, Runnable change) {
        double before = generation(program);
        change.run();
        Await.until(LiveCluster.PATIENCE, "other values of load", () -> generation(program) > before, program::output);
    }

    private static double generation(Program program) {
        String metric = program.metric("policy_scheduler_table_generation{table=\"load\"}");
        return metric.isEmpty() ? 0 : Double.parseDouble(metric);
    }

    @Test
    void podsFollowTheLoad() throws IOException {
        prometheus.measure(Map.of("n1", 7.0, "n2", 1.0));
        try (Program program = start("1h")) {
            Await.until(LiveCluster.PATIENCE, "values", () -> generation(program) > 0, program::output);
            assertEquals("n2", place("idle-n2"));

            awaitGeneration(program, () -> prometheus.measure(Map.of("n1", 1.0, "n2", 7.0)));
            assertEquals("n1", place("idle-n1"));

            // Both nodes are busy: the pod waits, and is tried again when the load falls.
            awaitGeneration(program, () -> prometheus.measure(Map.of("n1", 7.5, "n2", 7.5)));
            live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, "waits", "10m"));
            assertEquals(
                    "0/2 nodes are available: 2 node(s) under real load.",
                    live.awaitUnschedulable("waits").path("message").asText());
            prometheus.measure(Map.of("n1", 7.5, "n2", 2.0));
            live.awaitBound("waits");
            assertEquals("n2", live.nodeOf("waits"));

            // A node without values counts as idle.
            awaitGeneration(program, () -> prometheus.measure(Map.of("n1", 4.0)));
            assertEquals("n2", place("vanished"));
            live.assertSound();
        }
    }

    /** The server fails: values remain until they expire, then requests alone decide; one warning reports it. */
    @Test
    void valuesBecomeStaleWhileTheServerIsDown() throws IOException {
        prometheus.measure(Map.of("n1", 7.5, "n2", 7.5));
        try (Program program = start("5s")) {
            Await.until(LiveCluster.PATIENCE, "values", () -> generation(program) > 0, program::output);
            live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, "waits", "10m"));
            live.awaitUnschedulable("waits");
            prometheus.setUp(false);
            program.awaitOutput("W132 table load: no values from prometheus " + prometheus.url()
                    + ", using the previous ones until they are stale: query timed out");
            program.awaitOutput("W133 table load: 2 of 2 keys count as missing, their values are older than 5s");
            live.awaitBound("waits");
            assertEquals("2.0", program.metric(STALE));
            String ready = program.get("/readyz?verbose");
            assertTrue(ready.contains("\n[+]tables ok: 1 of 1 are not up to date\n"), ready);
            assertTrue(ready.endsWith("readyz check passed\n"), ready);
            String decided = program.get("/debug/decisions?pod=default/waits&limit=1");
            assertTrue(decided.contains("\"stale\":2,\"problem\":\"query timed out\""), decided);
            assertTrue(
                    Double.parseDouble(program.metric("policy_scheduler_table_age_seconds{table=\"load\"}")) >= 5,
                    program::metrics);

            prometheus.setUp(true);
            program.awaitOutput("table load: prometheus " + prometheus.url() + " has values again");
            program.awaitMetric(STALE, "0.0");
            live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, "waits-again", "10m"));
            live.awaitUnschedulable("waits-again");
            assertEquals(1, program.output().split("W132", -1).length - 1, program::output);
            live.assertSound();
        }
    }

    /** Ten pods of one core between two queries: the node that looked idle does not get almost all of them. */
    @Test
    void podsThatWerePlacedSinceCount() throws IOException {
        prometheus.measure(Map.of("n1", 3.0, "n2", 1.0));
        try (Program program = start("1h")) {
            Await.until(LiveCluster.PATIENCE, "values", () -> generation(program) > 0, program::output);
            // The last response before this one remains valid: from here on, the server has no new values.
            prometheus.setUp(false);
            program.awaitOutput("W132 table load");
            Map<String, Integer> placed = new TreeMap<>();
            for (int i = 0; i < 10; i++) {
                live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, "pod-" + i, "1000m"));
            }
            for (int i = 0; i < 10; i++) {
                live.awaitBound("pod-" + i);
                placed.merge(live.nodeOf("pod-" + i), 1, Integer::sum);
            }
            assertEquals(Map.of("n1", 4, "n2", 6), placed, program::output);
            live.assertSound();
        }
    }

    @Test
    void theServerNeedNotBeThereAtFirst() throws IOException {
        prometheus.setUp(false);
        try (Program program = start("1h")) {
            program.awaitOutput("W132 table load");
            assertTrue(place("first").startsWith("n"));
        }
    }
}
