package io.policyscheduler.cmd.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.options.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplainCommandTest {
    private static final String POLICY = """
            {"kind":"Policy","apiVersion":"v1",
             "predicates":[{"name":"PodFitsResources"},{"name":"MatchNodeSelector"},
               {"name":"Rack","argument":{"labelsPresence":{"labels":["rack"],"presence":true}}}],
             "priorities":[{"name":"LeastRequestedPriority","weight":2}]}
            """;

    private static final String CLUSTER = """
            apiVersion: v1
            kind: List
            items:
            - apiVersion: v1
              kind: Node
              metadata: {name: n1, labels: {rack: a, disk: ssd}}
              status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
            - apiVersion: v1
              kind: Node
              metadata: {name: n2, labels: {rack: a}}
              status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
            - apiVersion: v1
              kind: Node
              metadata: {name: n3}
              status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
            - apiVersion: v1
              kind: Pod
              metadata: {name: old, namespace: a, uid: u0}
              spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "3"}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: big, namespace: a, uid: u1}
              spec:
                nodeSelector: {disk: ssd}
                priority: 5
                containers: [{name: c, resources: {requests: {cpu: "1500m"}}}]
            - apiVersion: v1
              kind: Pod
              metadata: {name: small, uid: u2}
              spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}]}
            """;

    @TempDir
    Path dir = Path.of("");

    @BeforeEach
    void files() throws IOException {
        Files.writeString(dir.resolve("policy.json"), POLICY);
        Files.writeString(dir.resolve("cluster.yaml"), CLUSTER);
    }

    private CommandRun explain(String... args) {
        List<String> all = new ArrayList<>(List.of("explain"));
        all.addAll(List.of(args));
        all.addAll(List.of("--cluster", dir.resolve("cluster.yaml").toString()));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private String policy() {
        return dir.resolve("policy.json").toString();
    }

    @Test
    void aPodThatFitsNowhere() {
        CommandRun run = explain("a/big", "--policy", policy());
        assertEquals(
                """
                a/big is unschedulable with policy.json: 0 of 3 nodes are feasible.
                Smallest change: free up 0.5 CPU (pod requests 1.5, node has 1 of 4 free). This makes n1 feasible.
                Preemption makes n1 feasible. It evicts a/old (priority 0).
                Message: 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match node selector.

                REASON                                          REJECTED NODES
                node(s) didn't match node selector              2: n2, n3
                Insufficient cpu                                n1
                node(s) didn't have the requested labels        n3
                (The table lists all reasons of each node. The message counts only the reasons of the first filter that rejects a node.)

                CHANGE THAT MAKES A NODE FEASIBLE        NODES
                free up 0.5 CPU (pod requests 1.5, node has 1 of 4 free) n1
                add the label disk=ssd                   n2
                add the label disk=ssd                   n3
                and add the label rack
                """.replaceAll(" +", " "), run.out().replace(policy(), "FILE").replaceAll(" +", " "));
        assertEquals(ExitCode.NEGATIVE, run.code());
    }

    /** Only --strict-v1.17 lets one budget with one disruption cover two victims, as 1.17 does. */
    @ParameterizedTest
    @CsvSource({"--strict-v1.17, n1 feasible. It evicts default/a2", "--debug, n2 feasible. It evicts default/c1"})
    void victimsOfOneBudget(String flag, String preemption) throws IOException {
        Files.writeString(dir.resolve("cluster.yaml"), """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "2", memory: 4Gi, pods: "9"}}}
                - {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "2", memory: 4Gi, pods: "9"}}}
                - {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a, namespace: default}, spec: {minAvailable: 1, selector: {matchLabels: {b: a}}}, status: {disruptionsAllowed: 1}}
                - {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: c, namespace: default}, spec: {minAvailable: 1, selector: {matchLabels: {b: c}}}, status: {disruptionsAllowed: 0}}
                - {apiVersion: v1, kind: Pod, metadata: {name: a1, namespace: default, labels: {b: a}}, spec: {nodeName: n1, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}, status: {phase: Running}}
                - {apiVersion: v1, kind: Pod, metadata: {name: a2, namespace: default, labels: {b: a}}, spec: {nodeName: n1, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}, status: {phase: Running}}
                - {apiVersion: v1, kind: Pod, metadata: {name: c1, namespace: default, labels: {b: c}}, spec: {nodeName: n2, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}, status: {phase: Running}}
                - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {priority: 100, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}}
                """);
        CommandRun run = explain("p", "--provider", "DefaultProvider", flag);
        assertTrue(run.out().contains("Preemption makes " + preemption), run::toString);
    }

    @Test
    void whyHere() {
        CommandRun run = explain("small", "--policy", policy());
        assertEquals(
                """
                default/small would be placed on n2 with policy.json: 2 of 3 nodes are feasible.
                n2 beats n1 by 78: only LeastRequestedPriority differs.

                ALGORITHM                  WEIGHT    n2   n1
                LeastRequestedPriority          2   184  106
                total                                  184  106
                (Each cell is score × weight.)

                REASON                                     REJECTED NODES
                node(s) didn't have the requested labels   n3
                """.replaceAll(" +", " "), run.out().replace(policy(), "FILE").replaceAll(" +", " "));
        assertEquals(ExitCode.OK, run.code());
    }

    @Test
    void aRunningPodIsTakenFromItsNodeFirst() {
        assertEquals(
                "a/old runs on n1, and would be placed there again with policy.json: 2 of 3 nodes are feasible.",
                explain("a/old", "--policy", policy()).out().lines().findFirst().orElse(""));
    }

    @Test
    void whyNotThere() {
        CommandRun there = explain("a/big", "--policy", policy(), "--node", "n3");
        assertEquals("""
                n3 is not feasible for a/big with policy.json; the pod is unschedulable.
                Smallest change: add the label disk=ssd and add the label rack. This makes n3 feasible.
                Preemption makes n1 feasible. It evicts a/old (priority 0).

                REJECTED BY         REASON
                MatchNodeSelector   node(s) didn't match node selector
                Rack                node(s) didn't have the requested labels

                CHANGE THAT MAKES A NODE FEASIBLE   NODES
                add the label disk=ssd              n3
                and add the label rack
                """, there.out());
        assertEquals(ExitCode.NEGATIVE, there.code());
        CommandRun second = explain("small", "--policy", policy(), "--node", "n1");
        assertTrue(
                second.out().startsWith("n1 is feasible for default/small with policy.json, but has rank 2 of 2;"),
                second.out());
        assertEquals(ExitCode.OK, second.code());
    }

    @Test
    void json() throws IOException {
        CommandRun run = explain("a/big", "--profile", "modern", "-o", "json");
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertEquals("modern", json.path("decider").asText());
        assertEquals(new ObjectMapper().readTree("""
                        [{"lifts": [{"kind": "resource", "text": "free up 0.5 CPU (pod requests 1.5, node has 1 of 4 free)"}], "nodes": ["n1"]},
                         {"lifts": [{"kind": "label", "text": "add the label disk=ssd"}], "nodes": ["n2", "n3"]}]"""), json.path("nearest"));
        assertEquals("n1", json.at("/preemption/node").asText());
        assertEquals("a/old", json.at("/preemption/candidates/n1/victims/0/pod").asText());
    }

    /** The pod before it takes the room of n1, as in a simulation. */
    @ParameterizedTest
    @CsvSource({"small, 0, 1", "a/big, 0, 0"})
    void inOrderItAgreesWithASimulation(String pod, int placed, int unplaced) throws IOException {
        CommandRun explained = explain(pod, "--in-order", "--policy", policy(), "-o", "json");
        CommandRun simulated = CommandRun.of(
                "simulate",
                "--policy",
                policy(),
                "--cluster",
                dir.resolve("cluster.yaml").toString(),
                "-o",
                "json");
        JsonNode explanation = new ObjectMapper().readTree(explained.out());
        for (JsonNode outcome : new ObjectMapper().readTree(simulated.out()).path("pods")) {
            if (outcome.path("pod").equals(explanation.path("pod"))) {
                assertEquals(outcome.path("node"), explanation.path("winner"));
                assertEquals(outcome.path("message"), explanation.path("message"));
            }
        }
        assertEquals(
                "{\"placed\":" + placed + ",\"unplaced\":" + unplaced + "}",
                explanation.path("inOrder").toString());
    }

    @Test
    void aRunningPodHasNoTurn() {
        CommandRun run = explain("a/old", "--in-order");

        assertEquals(ExitCode.USAGE, run.code());
        assertTrue(run.err().startsWith("error: --in-order is for a pending pod; a/old runs on n1\n"), run.err());
    }

    @Test
    void namesThatAreNotThere() {
        CommandRun pod = explain("odl");
        assertEquals(
                "error: no pod default/odl that is pending or running (did you mean a/old?)",
                pod.err().strip());
        assertEquals(ExitCode.BAD_INPUT, pod.code());
        CommandRun node = explain("small", "--node", "n33");
        assertEquals("error: no node n33 (did you mean n3?)", node.err().strip());
        CommandRun both = explain("small", "--live");
        assertEquals(ExitCode.USAGE, both.code());
    }
}
