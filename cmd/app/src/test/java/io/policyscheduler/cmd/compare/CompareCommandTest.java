package io.policyscheduler.cmd.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareCommandTest {
    private static final String POLICY = """
            {"kind":"Policy","apiVersion":"v1",
             "predicates":[{"name":"PodFitsResources"},{"name":"PodToleratesNodeTaints"}],
             "priorities":[{"name":"MostRequestedPriority","weight":2}]}
            """;

    private static final String CLUSTER = """
            apiVersion: v1
            kind: List
            items:
            - apiVersion: v1
              kind: Node
              metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1}}
              status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
            - apiVersion: v1
              kind: Node
              metadata: {name: n2, labels: {topology.kubernetes.io/zone: z2}}
              status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
            - apiVersion: v1
              kind: Pod
              metadata: {name: old, namespace: a, uid: u0}
              spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "1", memory: 2Gi}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: free, namespace: a, uid: p1}
              spec: {containers: [{name: c, resources: {requests: {cpu: "1", memory: 2Gi}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: picky, namespace: a, uid: p2}
              spec: {nodeSelector: {disk: ssd}, containers: [{name: c, resources: {requests: {cpu: "1", memory: 2Gi}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: large, namespace: a, uid: p3}
              spec: {containers: [{name: c, resources: {requests: {cpu: "3", memory: 1Gi}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: huge, namespace: a, uid: p4}
              spec: {containers: [{name: c, resources: {requests: {cpu: "9"}}}]}
            """;

    private static final String TABLE = """
            legacy:policy.json and modern: 1 of 4 pods gets another node, 1 becomes unschedulable.
            Main cause (2 pods): NodeResourcesFit score (MostRequestedPriority).
            1 gets the same node, 1 is unschedulable with both.

            CAUSE                                            PODS   WHAT TO DO
            NodeResourcesFit score (MostRequestedPriority)      2   see both formulas with --details
            NodeAffinity filter                                 1   not in legacy:policy.json: add a filter, or accept \
            the other node
            (A pod with several causes counts for each of them.)

            POD       LEGACY:POLICY.JSON   MODERN   CAUSE
            a/free    n1                   n2       MostRequestedPriority
            a/picky   n1                   -        NodeAffinity and 1 more cause

            CLUSTER                    PLACED   UNSCHEDULABLE   AVG CPU %   MAX CPU %   AVG MEM %   AVG PODS   MAX PODS   \
            EMPTIED NODES
            before                          -               -        12.5        25.0        12.5        0.5          1   \
                        -
            after legacy:policy.json        3               1        75.0        75.0        43.8        2.0          3   \
                        0
            (CPU and MEM are requests. EMPTIED NODES had other pods before, and now have only DaemonSet pods.)
            (To see the cluster after the placements of modern, use --mode run.)

            4 pods compared, 0.0 s
            """;

    private static final String NOTE = "note: the dump does not contain the release of its cluster: assumed Kubernetes "
            + Release.NEWEST_TEXT + "; set --release to change this\n";

    @TempDir
    Path dir = Path.of("");

    private CommandRun compare(String... args) throws IOException {
        Files.writeString(dir.resolve("policy.json"), POLICY);
        Files.writeString(dir.resolve("cluster.yaml"), CLUSTER);
        List<String> all = new ArrayList<>();
        for (String arg : args) {
            all.add(arg.replace("@", dir + "/"));
        }
        CommandRun run =
                CommandRun.of(new CompareCommand(InstantSource.fixed(Instant.EPOCH)), all.toArray(String[]::new));
        String prefix = dir + "/";
        // Columns are as wide as the longest name.
        return new CommandRun(
                run.code(),
                run.out().replace(prefix, "").replaceAll("(?<=\\S) {3,}", "   "),
                run.err().replace(prefix, ""));
    }

    /** Two empty nodes are equally good for one policy, and the used node is the best one for the other. */
    @Test
    void onePodIsSingular(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("one.yaml"), """
                {apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: "1", pods: "9"}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}
                """);
        CommandRun run = CommandRun.of("compare", "provider:DefaultProvider", "modern", "--cluster", file.toString());
        assertTrue(run.out().contains("\n1 pod compared, "), run.out());
    }

    @Test
    void nodesThatAreEquallyGoodAreCounted() throws IOException {
        List<String> policies = new ArrayList<>();
        for (String priority : List.of("MostRequestedPriority", "LeastRequestedPriority")) {
            String text = "{\"predicates\": [{\"name\": \"GeneralPredicates\"}], \"priorities\": [{\"name\": \""
                    + priority + "\", \"weight\": 1}]}";
            policies.add("policy:" + Files.writeString(dir.resolve(priority + ".json"), text));
        }
        String node = "{apiVersion: v1, kind: Node, metadata: {name: n%d}, status: {allocatable:"
                + " {cpu: 4, memory: 8Gi, pods: 9}}}\n---\n";
        String pods = """
                {apiVersion: v1, kind: Pod, metadata: {name: old, namespace: a, uid: u0}, spec: {nodeName: n2,
                 containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 4Gi}}}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, uid: u1}, spec:
                 {containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 2Gi}}}]}}
                """;
        Path cluster = Files.writeString(
                dir.resolve("three.yaml"), node.formatted(1) + node.formatted(2) + node.formatted(3) + pods);
        CommandRun run = CommandRun.of("compare", policies.get(0), policies.get(1), "--cluster", cluster.toString());
        assertTrue(run.out().contains("n1 or 1 other"), run.out() + run.err());
    }

    @Test
    void tellsEachDifferenceWithItsCause() throws IOException {
        CommandRun run = compare("legacy:@policy.json", "modern", "--cluster", "@cluster.yaml");

        assertEquals(new CommandRun(1, TABLE.replaceAll("(?<=\\S) {3,}", "   "), NOTE), run);
    }

    @Test
    void executorsOfOnePolicyAgree() throws IOException {
        CommandRun run = compare(
                "legacy:@policy.json", "framework:@policy.json", "strict:@policy.json", "--cluster", "@cluster.yaml");

        assertEquals(0, run.code());
        assertTrue(run.out().startsWith("""
                                legacy:policy.json and policy.json: the decisions agree for all 4 pods.
                                3 get the same node, 1 is unschedulable with both.

                                legacy:policy.json and strict:policy.json: the decisions agree for all 4 pods.
                                3 get the same node, 1 is unschedulable with both.
                                """), run.out());
    }

    @Test
    void runsOnWithTheirOwnPlacements() throws IOException {
        CommandRun run = compare(
                "legacy:@policy.json", "modern", "--cluster", "@cluster.yaml", "--mode", "run", "--replay-bound");

        assertEquals(1, run.code());
        assertTrue(
                run.out()
                        .startsWith(
                                "legacy:policy.json and modern: 1 of 5 pods gets another node, 1 becomes unschedulable.\n"
                                        + "Main cause (2 pods): NodeResourcesFit score (MostRequestedPriority).\n"
                                        + "1 gets the same node, 1 may get another node (tie), 1 is unschedulable with both.\n"),
                run.out());
        assertTrue(run.out().contains("\n5 pods compared, 0.0 s\n"), run.out());
    }

    @Test
    void limitAndDetails() throws IOException {
        CommandRun run =
                compare("legacy:@policy.json", "modern", "--cluster", "@cluster.yaml", "--limit", "1", "--details");

        assertTrue(run.out().contains("(1 more; --limit 0 shows all)\n"), run.out());
        assertFalse(run.out().contains("\na/picky   n1"), run.out());
        assertTrue(run.out().contains("""

                                a/large with modern: 1 feasible node
                                ALGORITHM   WEIGHT   n2
                                TaintToleration   3   300
                                NodeResourcesFit   1   56
                                DynamicResources   2   0
                                NodeResourcesBalancedAllocation   1   59
                                ImageLocality   1   0
                                total   415
                                (Each cell is score × weight.)
                                REJECTED BY   REASON   NODES   FOR EXAMPLE
                                NodeResourcesFit   Insufficient cpu   1   n1
                                """), run.out());
    }

    @Test
    void forPrograms() throws IOException {
        CommandRun run = compare("legacy:@policy.json", "modern", "--cluster", "@cluster.yaml", "-o", "json");
        JsonNode report = new ObjectMapper().readTree(run.out());

        assertEquals(1, run.code());
        assertEquals(4, report.path("pods").size());
        JsonNode pod = report.path("pods").get(1);
        assertEquals("a/picky", pod.path("pod").asText());
        JsonNode difference = pod.path("differences").get(0);
        assertEquals("only-reference", difference.path("agreement").asText());
        assertEquals("NodeAffinity filter", difference.path("cause").asText());
        assertEquals("n1", difference.path("agreeOn").asText());
        assertEquals(
                new ObjectMapper().readTree("{\"filters\": [\"NodeAffinity\"], \"scores\": []}"),
                difference.path("causes").get(0).path("leaveOutOfDecider"));
        JsonNode scores = difference.path("causes").get(1).path("scores").get(0);
        assertEquals(
                new ObjectMapper()
                        .readTree("{\"ofReference\": true, \"algorithm\": \"MostRequestedPriority\", \"weight\": 2,"
                                + " \"onReferenceNode\": 75, \"onOtherNode\": 25}"),
                scores);
        JsonNode details = pod.path("results").get(0).path("details");
        assertEquals(
                new ObjectMapper()
                        .readTree("{\"node\": \"n1\", \"total\": 150, \"scores\": [75], \"weighted\": [150]}"),
                details.path("nodes").get(0));
        assertEquals(
                0.5, report.path("comparisons").get(0).path("agreementRate").asDouble());
        assertEquals("before", report.path("summaries").get(0).path("name").asText());
        assertEquals(
                new ObjectMapper().readTree("[1000, 0]"),
                report.path("loads").path("before").path("cpu"));
        assertEquals("a/large", report.path("pods").get(2).path("pod").asText());
        assertTrue(report.path("pods")
                .get(2)
                .path("results")
                .get(0)
                .path("details")
                .isMissingNode());

        JsonNode yaml = new YAMLMapper()
                .readTree(compare("legacy:@policy.json", "modern", "--cluster", "@cluster.yaml", "-o", "yaml")
                        .out());
        assertEquals(report.path("comparisons"), yaml.path("comparisons"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2 | modern",
                "2 | modern modern",
                "2 | modern modern --live --cluster @cluster.yaml",
                "2 | modern modern --cluster @cluster.yaml --mode walk",
                "2 | modern modern --cluster @cluster.yaml --limit -1",
                "3 | modern moden --cluster @cluster.yaml",
                "3 | modern legacy:@none --cluster @cluster.yaml",
                "3 | modern modern --cluster @none",
                "3 | modern provider:Default --cluster @cluster.yaml",
                "0 | modern provider:DefaultProvider --limit 0 --cluster @nodes.json",
            })
    void exitCodes(int code, String args) throws IOException {
        Files.writeString(dir.resolve("policy.json"), POLICY);
        Files.writeString(dir.resolve("cluster.yaml"), CLUSTER);
        Files.writeString(dir.resolve("nodes.json"), "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}");
        String[] all = ("compare " + args.replace("@", dir + "/")).split(" ");
        CommandRun run = CommandRun.of(all);
        assertEquals(code, run.code(), run.err());
        assertEquals(code == 0, !run.out().isEmpty());
    }
}
