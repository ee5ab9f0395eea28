package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulateWhatIfTest {
    private static final String CLUSTER = """
            apiVersion: v1
            kind: List
            items:
            - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
            - {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}}
            - {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-abc}, spec: {selector: {matchLabels: {a: b}}}}
            - apiVersion: v1
              kind: Pod
              metadata:
                name: web-abc-1
                uid: u1
                labels: {pod-template-hash: abc}
                ownerReferences: [{kind: ReplicaSet, name: web-abc, uid: r, controller: true}]
              spec: {nodeName: n2, containers: [{name: c, resources: {requests: {cpu: "1", memory: 1Gi}}}]}
            """;

    @TempDir
    Path dir = Path.of("");

    @BeforeEach
    void files() throws IOException {
        Files.writeString(dir.resolve("cluster.yaml"), CLUSTER);
    }

    private CommandRun simulate(String... args) {
        List<String> all =
                new ArrayList<>(List.of("--cluster", dir.resolve("cluster.yaml").toString()));
        all.addAll(List.of(args));
        return CommandRun.of(new SimulateCommand(InstantSource.fixed(Instant.EPOCH)), all.toArray(String[]::new));
    }

    @Test
    void anotherCluster() {
        CommandRun run = simulate(
                "--profile=modern",
                "--add-nodes=1:like=n2",
                "--drain=n2",
                "--scale=deploy/web=2",
                "--fit=web-abc-1",
                "--tie-break=first");
        assertEquals(
                """
                added 1 node like n2: n2-new-1
                drained node n2: 1 pod is scheduled again
                scaled default/deploy/web from 1 to 2: 1 more like default/web-abc-1

                All 2 pending pods are placed.

                POD                      NODE   SCORE   FEASIBLE NODES
                default/web-abc-1        n1       XXX                2
                default/web-abc-more-1   n1       XXX                2

                4 more pods like default/web-abc-1 fit. The next one fails with: MESSAGE
                NODE       MORE
                n1            2
                n2-new-1      2

                REQUESTED   BEFORE               AFTER
                nodes       2                    3
                cpu         1 of 6 (16.7%)       2 of 8 (25.0%)
                memory      1Gi of 16Gi (6.3%)   2Gi of 24Gi (8.3%)
                pods        1 of 20 (5.0%)       2 of 30 (6.7%)

                2 pods simulated, 0.0 s
                """,
                run.out().replaceAll("[0-9]{3}( +2\\n)", "XXX$1").replaceAll("fails with: .*", "fails with: MESSAGE"));
        assertEquals(0, run.code());
    }

    @Test
    void jsonTellsHowFullEachNodeIs() throws IOException {
        CommandRun run = simulate("--provider=DefaultProvider", "--remove-node=n2", "-o", "json");
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertEquals(new ObjectMapper().readTree("""
                        {"node": "n2", "before": {"cpu": {"requested": 1000, "allocatable": 2000},
                           "memory": {"requested": 1073741824, "allocatable": 8589934592},
                           "pods": {"requested": 1, "allocatable": 10}}, "after": null}"""), json.at("/utilisation/nodes/1"));
        assertEquals("removed node n2 with 1 pod", json.at("/changes/0").asText());
        assertEquals(true, json.path("fit").isNull());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--add-nodes=2:n1; 2; --add-nodes: \"2:n1\" is not NUMBER:like=NODE, such as 10:like=n3",
                "--scale=web=2; 2; --scale: \"web=2\" is not [NAMESPACE/]KIND/NAME=NUMBER, such as deploy/web=50",
                "--drain=n3; 3; no node n3 (did you mean n1?)",
                "--scale=deploy/wev=2; 3; no pod of default/deploy/wev waits or runs (did you mean default/web?)",
                "--fit=wbe; 3; no pod default/wbe that is pending or running",
                "--fit-limit=0; 2; --fit-limit: 0 is not above 0",
            })
    void whatCannotBe(String option, int code, String message) {
        CommandRun run = CommandRun.of(
                "simulate",
                "--provider=DefaultProvider",
                "--cluster",
                dir.resolve("cluster.yaml").toString(),
                option);
        assertEquals(code, run.code());
        assertEquals("error: " + message, run.err().lines().findFirst().orElse(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{kind: Pod, apiVersion: v1, metadata: {name: new}, spec: {containers: [{name: c, resources: {requests:"
                        + " {cpu: 1500m}}}]}} | 2 more pods like default/new fit. The next one fails with: 0/2 nodes are available: 2 Insufficient"
                        + " cpu.",
                "{kind: Pod, apiVersion: v1, metadata: {name: new, namespace: shop}, spec: {nodeName: n2, nodeSelector:"
                        + " {a: b}, containers: [{name: c}]}} | 0 more pods like shop/new fit. The next one fails with: 0/2 nodes are available: 2"
                        + " node(s) didn't match Pod's node affinity/selector.",
            })
    void aPodOfAFileIsCounted(String pod, String expected) throws IOException {
        Path file = Files.writeString(dir.resolve("pod.yaml"), "--- " + pod);
        CommandRun run = simulate("--profile=modern", "--podspec=" + file);

        assertEquals(
                expected,
                run.out()
                        .lines()
                        .filter(line -> line.contains(" like "))
                        .findFirst()
                        .orElse(run.err()));
    }

    @ParameterizedTest
    @CsvSource({
        "'{kind: Node, apiVersion: v1, metadata: {name: n}}', 'expected one Pod or workload, found 1 object with 0 pods'",
        "'{kind: Secret, apiVersion: v1, metadata: {name: n}}', 'expected one Pod or workload, found 0 objects with 0 pods'",
    })
    void aFileOfSomethingElseIsRefused(String object, String expected) throws IOException {
        Path file = Files.writeString(dir.resolve("pod.yaml"), "--- " + object);
        CommandRun run = CommandRun.of(
                "simulate",
                "--profile=modern",
                "--podspec=" + file,
                "--cluster",
                dir.resolve("cluster.yaml").toString());

        assertEquals(3, run.code());
        assertTrue(run.err().contains("error: --podspec " + file + ": " + expected), run.err());
    }

    @Test
    void useAboveAllIsExplained() throws IOException {
        Files.writeString(dir.resolve("cluster.yaml"), CLUSTER.replace("cpu: \"2\", memory", "cpu: 500m, memory"));
        CommandRun run = simulate("--profile=modern", "--remove-node=n1");

        assertTrue(run.out().contains("cpu         1 of 4.5 (22.2%)     1 of 0.5 (200.0%)\n"), run.out());
        assertTrue(run.out().contains("\n(above 100%: the requests of the pods exceed the node"), run.out());
    }
}
