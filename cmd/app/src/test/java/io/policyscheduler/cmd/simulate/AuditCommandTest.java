package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.engine.cluster.release.Release;
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

class AuditCommandTest {
    private static final String POLICY = """
            {"kind":"Policy","apiVersion":"v1",
             "predicates":[{"name":"PodToleratesNodeTaints"},{"name":"PodFitsResources"}],
             "priorities":[{"name":"LeastRequestedPriority","weight":2}]}
            """;

    private static final String CLUSTER = """
            apiVersion: v1
            kind: List
            items:
            - {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {selector: {matchLabels: {a: b}}}}
            - apiVersion: v1
              kind: Node
              metadata: {name: n1}
              spec: {taints: [{key: gpu, effect: NoSchedule}]}
              status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
            - {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
            - {apiVersion: v1, kind: Node, metadata: {name: n3}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
            - apiVersion: v1
              kind: Pod
              metadata: {name: web, uid: u1, ownerReferences: [{kind: ReplicaSet, name: web, uid: r, controller: true}]}
              spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 3500m}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: web2, uid: u2, ownerReferences: [{kind: ReplicaSet, name: web, uid: r, controller: true}]}
              spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 3500m}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: bare, uid: u3}
              spec: {nodeName: n1, containers: [{name: c}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: agent, uid: u4, ownerReferences: [{kind: DaemonSet, name: a, uid: d, controller: true}]}
              spec: {nodeName: n1, containers: [{name: c}]}
            - apiVersion: v1
              kind: Pod
              metadata:
                name: dns
                namespace: kube-system
                uid: u5
                ownerReferences: [{kind: ReplicaSet, name: dns, uid: e, controller: true}]
              spec: {nodeName: n1, containers: [{name: c}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: full, uid: u6, ownerReferences: [{kind: ReplicaSet, name: f, uid: f, controller: true}]}
              spec: {nodeName: n2, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
            - apiVersion: v1
              kind: Pod
              metadata: {name: side, uid: u7, ownerReferences: [{kind: ReplicaSet, name: s, uid: s, controller: true}]}
              spec: {nodeName: n2, containers: [{name: c, resources: {requests: {cpu: "2"}}}]}
            """;

    @TempDir
    Path dir = Path.of("");

    @BeforeEach
    void files() throws IOException {
        Files.writeString(dir.resolve("policy.json"), POLICY);
        Files.writeString(dir.resolve("cluster.yaml"), CLUSTER);
    }

    private CommandRun audit(String... args) {
        List<String> all = new ArrayList<>(List.of(
                "audit",
                "--policy",
                dir.resolve("policy.json").toString(),
                "--cluster",
                dir.resolve("cluster.yaml").toString()));
        all.addAll(List.of(args));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        return new CommandRun(run.code(), run.out().replace(dir + "/", ""), run.err());
    }

    @Test
    void podsThatWouldNotBePlacedWhereTheyAre() {
        assertEquals(
                new CommandRun(
                        1,
                        """
                7 running pods checked with policy.json: 5 run on nodes that are not feasible, 1 would score higher on another node

                REJECTED BY              PODS   REASON                                            FOR EXAMPLE
                PodToleratesNodeTaints      5   node(s) had taints that the pod didn't tolerate   default/web

                NOT ALLOWED       RUNS ON   REJECTED BY              REASON                                            WOULD RUN ON
                default/web       n1        PodToleratesNodeTaints   node(s) had taints that the pod didn't tolerate   n3
                default/web2      n1        PodToleratesNodeTaints   node(s) had taints that the pod didn't tolerate   n3
                default/bare      n1        PodToleratesNodeTaints   node(s) had taints that the pod didn't tolerate   n3
                default/agent     n1        PodToleratesNodeTaints   node(s) had taints that the pod didn't tolerate   -
                kube-system/dns   n1        PodToleratesNodeTaints   node(s) had taints that the pod didn't tolerate   n3

                POD WITH A BETTER NODE   RUNS ON   WOULD RUN ON    GAIN
                default/full             n2        n3             26.0%
                """,
                        "note: the dump does not contain the release of its cluster: assumed Kubernetes "
                                + Release.NEWEST_TEXT + "; set --release to change this\n"),
                audit("--threshold", "25"));
    }

    @ParameterizedTest
    @CsvSource({"0, 2", "12.9, 2", "13, 1", "26, 0", "100, 0"})
    void theThresholdIsAPercentage(String threshold, int better) throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(audit("--threshold", threshold, "-o", "json").out());
        assertEquals(better, json.path("betterElsewhere").asInt());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--max-evictions 1 | default/web",
                "--max-evictions 0 | ''",
                "--max-evictions-per-node 1 | default/web",
                "--max-evictions-per-node 0 | ''",
                "--max-evictions-per-namespace 1 | default/web",
                "--max-evictions-per-namespace 0 | ''",
                "--priority-threshold 1 | default/web",
                "--priority-threshold 0 | ''",
            })
    void noMoreIsEvictedThanTheLimitsAllow(String limits, String evicted) throws IOException {
        List<String> args = new ArrayList<>(List.of(limits.split(" ")));
        args.addAll(List.of("--evict", "--evict-better", "--threshold", "25", "-o", "json"));
        List<String> planned = new ArrayList<>();
        for (JsonNode eviction : new ObjectMapper()
                .readTree(audit(args.toArray(String[]::new)).out())
                .path("evictions")) {
            if (eviction.path("result").asText().equals("planned")) {
                planned.add(eviction.path("pod").asText());
            }
        }

        assertEquals(evicted, String.join(",", planned));
    }

    @Test
    void limitsAreForEvictions() {
        CommandRun run = audit("--max-evictions", "1");

        assertEquals(2, run.code());
        assertTrue(
                run.err().startsWith("error: --max-evictions and --priority-threshold go with --evict\n"), run.err());
    }

    @Test
    void metricsAreWritten() throws IOException {
        Path file = dir.resolve("audit.prom");
        audit("--threshold", "25", "--evict", "--metrics", file.toString());
        String text = Files.readString(file);

        for (String line : List.of(
                "policy_scheduler_audit_pods 7.0",
                "policy_scheduler_audit_findings{kind=\"violation\"} 5.0",
                "policy_scheduler_audit_findings{kind=\"better-elsewhere\"} 1.0",
                "policy_scheduler_audit_evictions{result=\"planned\"} 1.0")) {
            assertTrue(text.contains("\n" + line + "\n"), text);
        }
        CommandRun run = audit("--metrics", dir.resolve("no/audit.prom").toString());
        assertEquals(3, run.code());
        assertTrue(run.err().endsWith("no such folder: " + dir.resolve("no") + "\n"), run.err());
    }

    @Test
    void onlyWhatFindsAPlaceIsEvicted() {
        CommandRun run = audit("--evict", "--threshold", "100");
        assertTrue(run.out().contains("""
                EVICTION          FROM   TO   RESULT
                default/web       n1     n3   would be evicted
                default/web2                  stays: would be unschedulable
                default/bare                  stays: no controller
                default/agent                 stays: DaemonSet pod
                kube-system/dns               stays: namespace kube-system

                No pod was evicted. Use --dry-run=false to evict these pods.
                """), run.out());
    }

    @Test
    void betterPlacesTooWhenAskedFor() throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(audit("--evict", "--dry-run", "--evict-better", "--threshold", "25", "-o", "json")
                        .out());
        assertEquals(new ObjectMapper().readTree("""
                        {"pod": "default/full", "to": null, "result": "spared", "message": "would be placed on the same node again"}"""), json.path("evictions").path(5));
    }

    @ParameterizedTest
    @CsvSource({
        "--dry-run=false, --dry-run=false goes with --evict",
        "--evict-better, --evict-better goes with --evict",
        "--threshold=-1, --threshold: -1.0 is below 0",
        "--threshold=NaN, --threshold: NaN is below 0",
        "--attempts=0, --attempts: 0 is not above 0",
        "--rate=0/min, '--rate: \"0/min\" is not a rate such as 10/min, 2/s or 30/h'",
        "--rate=5, '--rate: \"5\" is not a rate such as 10/min, 2/s or 30/h'",
    })
    void wrongUsage(String option, String message) {
        assertWrongUsage(message, option);
    }

    @Test
    void aDumpCannotBeEvictedFrom() {
        assertWrongUsage(
                "--dry-run=false is for a running cluster (--live); without it, --evict only lists what it would evict",
                "--evict",
                "--dry-run=false");
    }

    private void assertWrongUsage(String message, String... option) {
        CommandRun run = audit(option);
        assertEquals(ExitCode.USAGE, run.code());
        assertEquals("error: " + message, run.err().lines().findFirst().orElse(""));
    }
}
