package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules with tables whose values change while the program runs: one in a ConfigMap, one in a file. */
class TablesTest {
    private static final String MAP = "/api/v1/namespaces/default/configmaps/licences";
    private static final String GENERATION = "policy_scheduler_table_generation{table=\"free\"}";
    private static final String POLICY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: PodFitsResources
            - name: FreeLicence
              argument:
                rule:
                  expression: tables.free[node.name] or false
                  reason: no licence
            priorities:
            - name: Cheap
              weight: 1
              argument: {rule: {expression: '100 - (tables.price[node.name] or 100)'}}
            tables:
              free:
                configMap: {namespace: default, name: licences, key: free.yaml}
              price:
                file: prices.csv
            """;

    private final LiveCluster live = new LiveCluster();

    private final Path folder;

    TablesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @BeforeEach
    void cluster() throws IOException {
        for (String name : new String[] {"n1", "n2"}) {
            ObjectNode node = Manifest.node(name, "64");
            node.withObject("/status/allocatable").put("pods", "1000");
            live.cluster().load(node);
        }
        live.api()
                .post(
                        "/api/v1/namespaces/default/configmaps",
                        Manifest.json("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'licences',"
                                + "'namespace':'default'},'data':{'free.yaml':'n1: true'}}"));
        Files.writeString(folder.resolve("prices.csv"), "node,price\nn1,50\nn2,10\n");
        Files.writeString(folder.resolve("policy.yaml"), POLICY);
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Program start() {
        return Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--policy-config-file",
                folder.resolve("policy.yaml").toString(),
                "--status-address",
                "0");
    }

    private void licences(String yaml) {
        live.api().mergePatch(MAP, "{'data':{'free.yaml':'" + yaml + "'}}");
    }

    private String place(String pod) {
        live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, pod, "100m"));
        live.awaitBound(pod);
        return live.nodeOf(pod);
    }

    @Test
    void valuesChangeWhileItRuns() throws IOException {
        try (Program program = start()) {
            program.awaitMetric(GENERATION, "1.0");
            assertEquals("n1", place("first"));

            // Both nodes are free now, and n2 is cheaper; the same question about unchanged nodes gets another answer.
            licences("n1: true\\nn2: true");
            program.awaitMetric(GENERATION, "2.0");
            assertEquals("n2", place("second"));

            Files.writeString(folder.resolve("prices.csv"), "node,price\nn1,5\nn2,10\n");
            program.awaitOutput("table price is of generation 2 now, with 2 keys");
            assertEquals("n1", place("third"));

            licences("n1: perhaps");
            program.awaitOutput("W131 table free: new values are rejected, generation 2 stays in effect");
            program.awaitMetric("policy_scheduler_table_changes_total{result=\"failure\",table=\"free\"}", "1.0");
            assertEquals("n1", place("fourth"));
            assertEquals("2.0", program.metric(GENERATION));

            licences("n1: false");
            program.awaitMetric(GENERATION, "3.0");
            live.api().createPod(Manifest.podOf(Manifest.SCHEDULER, "waits", "100m"));
            assertEquals(
                    "0/2 nodes are available: 2 no licence.",
                    live.awaitUnschedulable("waits").path("message").asText());
            licences("n2: true");
            live.awaitBound("waits");
            assertEquals("n2", live.nodeOf("waits"));
            assertEquals("4.0", program.metric(GENERATION));
            assertEvent(
                    "TableChanged", "table free is of generation 4 now, with 1 key, from configmap default/licences");
            assertEvent("TableRefused", "\"n1\" is a string, declared is a bool");
            live.assertSound();
        }
    }

    private void assertEvent(String reason, String part) {
        Await.until(
                LiveCluster.PATIENCE,
                "event " + reason,
                () -> live.cluster().list("events").stream()
                        .anyMatch(event -> event.path("reason").asText().equals(reason)
                                && event.path("involvedObject")
                                        .path("kind")
                                        .asText()
                                        .equals("ConfigMap")
                                && event.path("message").asText().contains(part)),
                () -> "there are " + live.cluster().list("events"));
    }

    @Test
    void withoutValuesItDoesNotStart() throws IOException {
        Files.delete(folder.resolve("prices.csv"));
        try (Program program = start()) {
            assertTrue(program.awaitEnd() != 0, program::output);
            assertTrue(program.output().contains("R030: table price: no such file: "), program::output);
        }
    }
}
