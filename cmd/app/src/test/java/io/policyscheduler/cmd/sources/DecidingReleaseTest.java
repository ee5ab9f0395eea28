package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that decide as another release of kube-scheduler. */
class DecidingReleaseTest {
    /** A pod that does not tolerate the only node. */
    private static final String DUMP = """
            apiVersion: v1
            kind: List
            items:
            - apiVersion: v1
              kind: Node
              metadata: {name: a}
              spec: {taints: [{key: k, value: v, effect: NoSchedule}]}
              status: {allocatable: {cpu: "1", memory: 1Gi, pods: "10"}}
            - apiVersion: v1
              kind: Pod
              metadata: {name: p, namespace: default, uid: u1}
              spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}
            """;

    private static final String TAINT = "untolerated taint {k: v}.";
    private static final String EARLIER_TAINT = "taint {k: v}, that the pod didn't tolerate.";

    private static final String POLICY = """
            {"kind": "Policy", "apiVersion": "v1", "alwaysCheckAllPredicates": true,
             "predicates": [{"name": "PodFitsResources"},
               {"name": "Rack", "argument": {"labelsPresence": {"labels": ["rack"], "presence": true}}}],
             "priorities": [{"name": "MostRequestedPriority", "weight": 2}, {"name": "SelectorSpreadPriority", "weight": 1},
               {"name": "Zone", "weight": 1, "argument": {"serviceAntiAffinity": {"label": "zone"}}}]}
            """;

    @TempDir
    private static Path folder = Path.of("");

    @BeforeAll
    static void write() throws IOException {
        Files.writeString(folder.resolve("world.yaml"), DUMP);
        Files.writeString(folder.resolve("policy.json"), POLICY);
        for (String version : List.of("v1", "v1beta3")) {
            Files.writeString(
                    folder.resolve(version + ".yaml"),
                    "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n");
        }
    }

    private static CommandRun simulate(String... more) {
        List<String> args = new ArrayList<>(List.of("simulate", "--output=json"));
        args.addAll(List.of(more));
        args.add("--cluster=" + folder.resolve("world.yaml"));
        return CommandRun.of(args.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "modern|untolerated taint(s).",
                "modern@1.36|untolerated taint(s).",
                "modern@1.35|untolerated taint(s).",
                "modern@1.34|" + TAINT,
                "modern@1.24|" + TAINT,
                "modern@1.23|" + EARLIER_TAINT,
                "modern@1.19|" + EARLIER_TAINT,
                "provider:DefaultProvider@1.22|" + EARLIER_TAINT,
                "provider:DefaultProvider@1.18|" + EARLIER_TAINT,
                "provider:ClusterAutoscalerProvider@1.18|" + EARLIER_TAINT,
                "policy:FOLDER/policy.json@1.18|" + EARLIER_TAINT,
                "policy:FOLDER/policy.json@1.21|" + EARLIER_TAINT,
                "config:FOLDER/v1beta3.yaml@1.23|" + EARLIER_TAINT,
                "config:FOLDER/v1.yaml@1.25|" + TAINT,
            })
    void decidesAsTheRelease(String decider, String text) {
        CommandRun run = simulate("--decider=" + decider.replace("FOLDER", folder.toString()));
        assertTrue(run.out().contains("1 node(s) had " + text), run.toString());
    }

    @Test
    void theReleaseOfTheClusterIsThatOfProfilesFrom125On() {
        String reason = "1 Preemption is not helpful for scheduling..";
        assertEquals(
                List.of(true, false, false, false),
                List.of(
                        simulate("--decider=modern", "--release=1.28").out().contains(reason),
                        simulate("--decider=modern@1.34", "--release=1.28")
                                .out()
                                .contains(reason),
                        simulate("--decider=modern", "--release=1.24").out().contains(reason),
                        simulate("--decider=modern").out().contains(reason)));
        assertFalse(simulate("--decider=modern").err().contains("W30"));
        assertFalse(simulate("--decider=modern", "--release=1.29").err().contains("W30"));
    }

    /** alwaysCheckAllPredicates has an effect after 1.17; messages about preemption exist since 1.19. */
    @Test
    void aPolicyAsTheReleasesAfter117CarriedItOut() {
        String reasons =
                "0/1 nodes are available: 1 node(s) didn't have the requested labels, 1 node(s) had taint {k: v}, that"
                        + " the pod didn't tolerate.";
        for (String release : List.of("1.18", "1.19", "1.20", "1.21", "1.22")) {
            CommandRun run = simulate("--decider=policy:" + folder.resolve("policy.json") + "@" + release);
            assertTrue(run.out().contains(reasons), run.toString());
            assertFalse(run.out().contains("preemption"), run.toString());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "modern@1.17|\"modern@1.17\": the plugins of 1.17 are unsupported; use provider:DefaultProvider for 1.17, or modern@1.18 and later",
                "config:FOLDER/v1beta3.yaml@1.29|\"config:FOLDER/v1beta3.yaml@1.29\": Kubernetes 1.29 does not read v1beta3 (1.23"
                        + " to 1.28); it reads v1",
                "provider:DefaultProvider@1.23|\"provider:DefaultProvider@1.23\": the policies of kube-scheduler are supported from 1.18 to 1.22, and for 1.17 (strict:); later releases have no policies, see policy-scheduler migrate",
            })
    void refuses(String decider, String message) {
        CommandRun run = simulate("--decider=" + decider.replace("FOLDER", folder.toString()));
        assertTrue(run.err().contains("error: " + message.replace("FOLDER", folder.toString())), run.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "modern@1.99|W303 Kubernetes 1.99 is newer than the newest supported release; decisions follow "
                        + Release.NEWEST_TEXT,
                "modern@1.30|W302 modern@1.30: pods are read as on a cluster of " + Release.NEWEST_TEXT
                        + "; --release=1.30 reads them as on a cluster of 1.30",
                "provider:ClusterAutoscalerProvider@1.21|W302 provider:ClusterAutoscalerProvider@1.21: pods are read as on a cluster",
                "policy:FOLDER/policy.json@1.22|W302 policy:FOLDER/policy.json@1.22: pods are read as on a cluster",
            })
    void tells(String decider, String warning) {
        CommandRun run = simulate("--decider=" + decider.replace("FOLDER", folder.toString()));
        assertTrue(run.err().contains("warning: " + warning.replace("FOLDER", folder.toString())), run.toString());
    }

    /** The second pod wants to be where a pod with the zone as its label runs: the API server of 1.35 gives the first pod that label. */
    @ParameterizedTest
    @CsvSource({
        "modern, , 2",
        "modern, 1.36, 2",
        "modern, 1.35, 2",
        "modern, 1.34, 1",
        "modern@1.34, 1.35, 2",
        "provider:DefaultProvider, 1.35, 2",
        "provider:DefaultProvider, 1.34, 1",
    })
    void placedPodsHaveTheZoneOfTheirNode(String decider, @Nullable String release, int placed) throws IOException {
        String pod = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: %s, namespace: default, uid: u%s}\n  spec: {%s"
                + "containers: [{name: c}]}\n";
        String near = "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host,"
                + " labelSelector: {matchLabels: {topology.kubernetes.io/zone: x}}}]}}, ";
        Path dump = Files.writeString(
                folder.resolve("zones.yaml"),
                "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a, labels: {host: a,"
                        + " topology.kubernetes.io/zone: x}}\n  status: {allocatable: {cpu: 1, memory: 1Gi, pods: 10}}\n"
                        + String.format(pod, "p1", "1", "priority: 2, ")
                        + String.format(pod, "p2", "2", near));
        List<String> args =
                new ArrayList<>(List.of("simulate", "-o=json", "--cluster=" + dump, "--decider=" + decider));
        if (release != null) {
            args.add("--release=" + release);
        }
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertEquals(
                placed, new ObjectMapper().readTree(run.out()).path("placed").asInt(), run.toString());
    }
}
