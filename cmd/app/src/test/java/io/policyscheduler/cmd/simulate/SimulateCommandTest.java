package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulateCommandTest {
    private static final String POLICY = """
            {"kind":"Policy","apiVersion":"v1",
             "predicates":[{"name":"PodFitsResources"},{"name":"MatchNodeSelector"}],
             "priorities":[{"name":"LeastRequestedPriority","weight":2}]}
            """;

    private static final String CLUSTER = """
            apiVersion: v1
            kind: List
            items:
            - {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
            - {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
            - apiVersion: v1
              kind: Node
              metadata: {name: n3, labels: {disk: ssd}}
              status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}
            - apiVersion: v1
              kind: Pod
              metadata: {name: old, namespace: a, uid: u0}
              spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "2"}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: done, namespace: a, uid: u1}
              status: {phase: Succeeded}
            - apiVersion: v1
              kind: Pod
              metadata: {name: going, namespace: a, uid: u2, deletionTimestamp: "2026-01-01T00:00:00Z"}
            """;

    private static final String PODS = """
            apiVersion: v1
            kind: Pod
            metadata: {name: low, namespace: a, uid: p1}
            spec: {containers: [{name: c, resources: {requests: {cpu: "3"}}}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: high, namespace: a, uid: p2}
            spec: {priority: 10, containers: [{name: c, resources: {requests: {cpu: "3"}}}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: fast, namespace: a, uid: p3}
            spec: {nodeSelector: {disk: ssd}, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: small, namespace: a, uid: p4}
            spec: {schedulerName: mine, containers: [{name: c, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: placed, namespace: a, uid: p5}
            spec: {nodeName: n3, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}
            """;

    private static final String TABLE = """
            3 of 4 pending pods are placed, 1 is unschedulable.
            Most common reason: Insufficient cpu (1 pod).

            REASON             PODS   WHAT TO DO
            Insufficient cpu      1   lower the request, or add nodes with enough room
            (explain POD shows the smallest change that makes a pod schedulable)

            UNSCHEDULABLE POD   MAIN REASON        NODES WITH REASON
            a/low               Insufficient cpu                   3

            POD       NODE   SCORE   FEASIBLE NODES
            a/high    n2         -                1
            a/fast    n3         -                1
            a/small   n1       122                3

            4 pods simulated, 0.0 s
            """;

    @TempDir
    Path dir = Path.of("");

    private String file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text).toString();
    }

    private CommandRun simulate(String... args) {
        InstantSource still = InstantSource.fixed(Instant.EPOCH);
        return here(CommandRun.of(new SimulateCommand(still), args));
    }

    private CommandRun here(CommandRun run) {
        String prefix = dir + "/";
        return new CommandRun(
                run.code(), run.out().replace(prefix, ""), run.err().replace(prefix, ""));
    }

    private CommandRun standard(String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "--policy",
                file("policy.json", POLICY),
                "--cluster",
                file("cluster.yaml", CLUSTER),
                "--pods",
                file("pods.yaml", PODS)));
        args.addAll(List.of(more));
        return simulate(args.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--mode=framework", "--mode=legacy", "--tie-break=first", "--tie-break=random", "--seed=7"})
    void placesPodsInQueueOrder(String option) throws IOException {
        assertEquals(
                new CommandRun(
                        1,
                        TABLE,
                        "note: the dump does not contain the release of its cluster: assumed Kubernetes "
                                + Release.NEWEST_TEXT + "; set --release to change this\n"),
                standard(option));
    }

    @ParameterizedTest
    @CsvSource({
        "direct, 100%, 12",
        "mvel, 1, 12",
        "direct, 0.0, 0",
        "mvel, 0%, 0",
    })
    void verifiesRules(String executor, String share, int evaluations) throws IOException {
        String policy = file("rules.json", """
                {"kind":"Policy","apiVersion":"v1",
                 "predicates":[{"name":"Room","argument":{"rule":{"expression":"node.freeCpu >= pod.cpu"}}}],
                 "priorities":[{"name":"LeastRequestedPriority","weight":2}]}
                """);
        List<String> args = new ArrayList<>(List.of(
                "--policy=" + policy,
                "--cluster=" + file("cluster.yaml", CLUSTER),
                "--pods=" + file("pods.yaml", PODS),
                "--rule-executor=" + executor,
                "--verify-rules=" + share));
        String line = evaluations == 0
                ? ""
                : "rules run by " + executor + ": " + evaluations + " evaluations verified, 0 differences\n";
        CommandRun text = simulate(args.toArray(String[]::new));
        assertEquals(
                line,
                text.out()
                        .lines()
                        .filter(said -> said.startsWith("rules"))
                        .map(said -> said + "\n")
                        .collect(Collectors.joining()));
        args.add("-ojson");
        JsonNode rules = new ObjectMapper()
                .readTree(simulate(args.toArray(String[]::new)).out())
                .path("rules");
        assertEquals(
                evaluations == 0
                        ? ""
                        : "{\"executor\":\"" + executor + "\",\"verified\":{\"Room\":{\"evaluations\":" + evaluations
                                + ",\"differences\":0}}}",
                rules.isMissingNode() ? "" : rules.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--verify-rules=5 | '5' is more than all; did you mean \"5%\"?",
                "--verify-rules=101% | '101%' is more than all",
                "--verify-rules=some | 'some' is not a share (such as 0.1% or 0.001)",
                "--verify-rules=-1% | '-1%' is not a share (such as 0.1% or 0.001)",
            })
    void refusesShares(String option, String message) throws IOException {
        CommandRun run = standard(option);
        assertEquals(2, run.code());
        assertTrue(run.err().startsWith("Invalid value for option '--verify-rules': " + message), run.err());
    }

    @Test
    void onlyPodsOfOneScheduler() throws IOException {
        assertEquals(
                new CommandRun(
                        0,
                        """
                        The pending pod is placed.

                        POD       NODE   SCORE   FEASIBLE NODES
                        a/small   n2       174                3

                        1 pod simulated, 0.0 s
                        """,
                        "note: the dump does not contain the release of its cluster: assumed Kubernetes "
                                + Release.NEWEST_TEXT + "; set --release to change this\n"),
                standard("--scheduler-name", "mine"));
        assertTrue(standard("--scheduler-name", "default-scheduler")
                .out()
                .startsWith("2 of 3 pending pods are placed, 1 is unschedulable.\n"));
    }

    @Test
    void detailsTellAboutEveryNode() throws IOException {
        CommandRun run = standard("--details", "--scheduler-name", "default-scheduler");

        assertTrue(run.out().contains("""

                                a/high: 1 of 3 nodes is feasible
                                ALGORITHM                WEIGHT    n2
                                LeastRequestedPriority        2   122
                                total                             122
                                (Each cell is score × weight.)
                                REASON             NODES   FOR EXAMPLE
                                Insufficient cpu       2   n1
                                """), run.out());
    }

    @Test
    void jsonWithDetails() throws IOException {
        CommandRun run = standard("--details", "--scheduler-name", "mine", "-o", "json", "--tie-break", "first");

        assertEquals("""
                {
                  "pods": [
                    {
                      "pod": "a/small",
                      "node": "n2",
                      "score": 174,
                      "feasible": 3,
                      "message": null,
                      "scores": {
                        "NodeResourcesLeastAllocated": {
                          "n1": 61,
                          "n2": 87,
                          "n3": 67
                        }
                      },
                      "weights": {
                        "NodeResourcesLeastAllocated": 2
                      },
                      "totals": {
                        "n1": 122,
                        "n2": 174,
                        "n3": 134
                      },
                      "failures": {}
                    }
                  ],
                  "placed": 1,
                  "unschedulable": 0,
                  "seconds": 0.0,
                  "warnings": [],
                  "changes": [],
                """, run.out().substring(0, run.out().indexOf("  \"utilisation\"")));
    }

    @Test
    void warnsAboutWhatItLeavesOut() throws IOException {
        String cluster = file("cluster.json", """
                {"kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"1","pods":"10"}}}
                {"kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"9","pods":"10"}}}
                {"kind":"Node","metadata":{"name":"n2"},"status":{"allocatable":{"cpu":"much"}}}
                {"kind":"Pod","metadata":{"name":"p"},"spec":{}}
                {"kind":"Pod","metadata":{"name":"p","namespace":"default"},"spec":{}}
                {"kind":"Pod","metadata":{"name":"q"},"spec":{}}
                """);
        CommandRun run =
                simulate("--provider", "DefaultProvider", "--cluster", cluster, file("other.yaml", "kind: Secret"));

        assertEquals(
                """
                warning: cluster.json: skipped: Node n1 occurs twice; the first one is used
                warning: cluster.json: skipped: Node n2: MESSAGE
                warning: cluster.json: skipped: Pod default/p occurs twice; the first one is used
                warning: other.yaml: no objects that scheduling reads
                note: 3 objects were skipped; --strict rejects such dumps
                note: the dump does not contain the release of its cluster: assumed Kubernetes NEWEST; set --release to change this
                """.replace("NEWEST", Release.NEWEST_TEXT), run.err().replaceAll("Node n2: .*", "Node n2: MESSAGE"));
        assertTrue(run.out().contains("default/p   n1"), run.out());
        assertTrue(run.out().contains("default/q   n1"), run.out());
        assertEquals(0, run.code());
    }

    @Test
    void aClusterWithoutNodes() throws IOException {
        String cluster =
                file("cluster.json", "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"spec\":{}}");

        assertEquals(
                new CommandRun(
                        1,
                        """
                        The pending pod is unschedulable.
                        Most common reason: no nodes available to schedule pods (1 pod).

                        REASON                                PODS   WHAT TO DO
                        no nodes available to schedule pods      1   add nodes
                        (explain POD shows the smallest change that makes a pod schedulable)

                        UNSCHEDULABLE POD   MAIN REASON                           NODES WITH REASON
                        default/p           no nodes available to schedule pods                   -

                        1 pod simulated, 0.0 s
                        """,
                        "note: the dump does not contain the release of its cluster: assumed Kubernetes "
                                + Release.NEWEST_TEXT + "; set --release to change this\n"),
                simulate("--provider", "DefaultProvider", "--cluster", cluster));
    }

    @Test
    void unusableInput() throws IOException {
        String policy =
                file("p.json", "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"HostNam\"}]}");
        String good = file("policy.json", POLICY);
        String broken = file("c.json", "{\"kind\":\"List\",\"items\":[{\"kind\":\"Node\"");

        assertEquals(
                new CommandRun(
                        3,
                        "",
                        "error: p.json:1:50: Invalid configuration: Predicate type not found for HostNam (did you mean"
                                + " \"HostName\"?)\n"),
                here(CommandRun.of("simulate", "--policy", policy, "--cluster", broken)));
        assertEquals(
                new CommandRun(3, "", "error: no such file: none\n"),
                here(CommandRun.of("simulate", "--policy", good, "--cluster", dir + "/none")));
        CommandRun run = here(CommandRun.of("simulate", "--policy", good, "--cluster", broken));
        assertEquals(3, run.code());
        assertTrue(run.err().startsWith("error: c.json:"), run.err());
        assertEquals(1, run.err().lines().count());
        String flow = file("c.yaml", "a: [");
        run = here(CommandRun.of("simulate", "--policy", good, "--cluster", flow));
        assertEquals(3, run.code());
        assertTrue(
                run.err().matches("error: c.yaml:1:5: invalid YAML: did not find expected node content\n"), run.err());
        assertEquals(
                3,
                CommandRun.of("simulate", "--provider", "X", "--cluster", broken)
                        .code());
    }
}
