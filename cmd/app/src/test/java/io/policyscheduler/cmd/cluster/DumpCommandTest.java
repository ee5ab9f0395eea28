package io.policyscheduler.cmd.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.snapshot.Dump.Kind;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DumpCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private record Ended(int code, String out, String err) {}

    private static Ended run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(args, out, err);
        return new Ended(code, out.toString(), err.toString());
    }

    private static EmbeddedControlPlane cluster(Release release, Path kubeconfig) throws IOException {
        EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .release(release)
                .kubeletPeriod(Duration.ZERO)
                .start();
        for (int i = 1; i <= 5; i++) {
            cluster.load(YAML.readTree("{apiVersion: v1, kind: Node, metadata: {name: n" + i
                    + "}, status: {allocatable: {cpu: 2, memory: 1Gi, pods: 9}}}"));
            cluster.load(YAML.readTree("{apiVersion: v1, kind: Pod, metadata: {name: p" + i
                    + ", annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}, spec: {containers:"
                    + " [{name: c, image: x, resources: {requests: {cpu: " + i + "}}}]}}"));
        }
        cluster.load(YAML.readTree("{apiVersion: v1, kind: Secret, metadata: {name: s}}"));
        cluster.load(YAML.readTree(
                "{apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {containers: [{name: c, image: x}]},"
                        + " status: {phase: Succeeded}}"));
        cluster.writeKubeconfig(kubeconfig);
        return cluster;
    }

    @Test
    void aDumpIsDecidedAsTheClusterItself(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        Path file = folder.resolve("dump.json.gz");
        try (EmbeddedControlPlane cluster = cluster(Release.V1_34, kubeconfig)) {
            Ended dumped = run(
                    "dump",
                    "--kubeconfig",
                    kubeconfig.toString(),
                    "--page-size",
                    "2",
                    "--output-file",
                    file.toString());
            assertEquals(new Ended(0, "16 objects in " + file + "\n", ""), dumped);
            assertTrue(cluster.port() > 0);
            String live = pods("--kubeconfig", kubeconfig.toString());
            assertEquals(live, pods("--cluster", file.toString()));
        }
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            TreeMap<String, Integer> kinds = new TreeMap<>();
            for (JsonNode item : JSON.readTree(in).path("items")) {
                kinds.merge(item.path("kind").asText(), 1, Integer::sum);
                assertFalse(item.toString().contains("last-applied"), item::toString);
            }
            assertEquals("{Namespace=4, Node=5, Pod=5, PriorityClass=2}", kinds.toString());
        }
    }

    /** The dump has the release of the server and its own time, so nothing is assumed. */
    @Test
    void aDumpStatesTheVersionOfTheServer(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        Path file = folder.resolve("dump.json");
        try (EmbeddedControlPlane cluster = cluster(Release.V1_17, kubeconfig)) {
            assertTrue(cluster.port() > 0);
            assertEquals(
                    0,
                    run("dump", "--kubeconfig", kubeconfig.toString(), "--output-file", file.toString())
                            .code());
        }
        JsonNode dump = JSON.readTree(Files.readString(file));
        assertTrue(
                dump.path("serverVersion").asText().startsWith("v1.17."),
                dump.path("serverVersion").asText());
        assertTrue(dump.path("capturedAt").asText().matches("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"));
        Ended simulated = run("simulate", "--provider", "DefaultProvider", "--cluster", file.toString());
        assertFalse(simulated.err().contains("assumed Kubernetes"), simulated.err());
        Files.writeString(file, Files.readString(file).replaceFirst("\"serverVersion\":\"[^\"]+\"", "\"other\":\"x\""));
        Ended unknown = run("simulate", "--provider", "DefaultProvider", "--cluster", file.toString());
        assertTrue(unknown.err().contains("assumed Kubernetes"), unknown.err());
        Files.writeString(file, Files.readString(file).replace("\"other\":\"x\"", "\"serverVersion\":\"v1.99.0\""));
        Ended newer = run("simulate", "--provider", "DefaultProvider", "--cluster", file.toString());
        assertTrue(newer.err().contains("W303 Kubernetes 1.99 is newer"), newer.err());
    }

    /** A field whose feature gate is off at the API server is ignored; without permission for its metrics nothing is known. */
    @Test
    void aDumpStatesTheFeatureGatesOfTheServer(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        Path file = folder.resolve("dump.json");
        String[] dump = {"dump", "--kubeconfig", kubeconfig.toString(), "--output-file", file.toString()};
        Path gated = Files.writeString(
                folder.resolve("gated.yaml"),
                "{apiVersion: v1, kind: Pod, metadata: {name: gated}, spec: {schedulingGates: [{name: example.com/wait}],"
                        + " containers: [{name: c, image: x}]}}");
        String[] simulate = {
            "simulate", "--provider", "DefaultProvider", "--pods", gated.toString(), "--cluster", file.toString()
        };
        try (EmbeddedControlPlane cluster = cluster(Release.V1_34, kubeconfig)) {
            assertEquals(new Ended(0, "16 objects in " + file + "\n", ""), run(dump));
            String written = Files.readString(file);
            assertTrue(
                    JSON.readTree(written)
                            .at("/features/PodSchedulingReadiness")
                            .asBoolean(),
                    written);
            assertTrue(run(simulate).out().contains("default/gated"));
            assertEquals("", run(simulate).err());
            Files.writeString(
                    file, written.replace("\"PodSchedulingReadiness\":true", "\"PodSchedulingReadiness\":false"));
            Ended off = run(simulate);
            assertTrue(
                    off.err()
                            .endsWith(
                                    "note: the API server has the feature PodSchedulingReadiness off, so schedulingGates is"
                                            + " ignored\n"),
                    off.err());
            assertFalse(off.out().contains("scheduling gates"), off.out());
            cluster.faults().respond("GET", "/metrics", 10, 403);
            Ended denied = run(dump);
            assertEquals(0, denied.code());
            assertEquals(
                    "note: the dump has no feature gates: permission to get /metrics of the API server is missing; the"
                            + " defaults of its release are assumed\n",
                    denied.err());
            assertTrue(JSON.readTree(Files.readString(file)).path("features").isMissingNode());
            assertEquals("", run(simulate).err());
        }
    }

    private static String pods(String... input) throws IOException {
        Ended ended = run("simulate", "--profile", "modern", input[0], input[1], "-o", "json");
        return JSON.readTree(ended.out()).path("pods").toPrettyString();
    }

    @Test
    void whatTheServerDoesNotHaveIsTold(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        try (EmbeddedControlPlane cluster = cluster(Release.V1_17, kubeconfig)) {
            assertTrue(cluster.port() > 0);
            Ended dumped = run("dump", "--kubeconfig", kubeconfig.toString(), "--strict");
            assertEquals(
                    Stream.of(
                                    "csistoragecapacities",
                                    "resourceclaims",
                                    "resourceslices",
                                    "deviceclasses",
                                    "resourceclaimtemplates")
                            .map(kind -> "warning: W154 " + kind + " not dumped: the API server does not serve them\n")
                            .collect(Collectors.joining()),
                    dumped.err());
            assertEquals(0, dumped.code());
            assertEquals(16, JSON.readTree(dumped.out()).path("items").size());
        }
    }

    @Test
    void whatMayNotBeListedIsToldAndNodesAreNeeded(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        Path file = folder.resolve("dump.json");
        try (EmbeddedControlPlane cluster = cluster(Release.V1_34, kubeconfig)) {
            cluster.faults().respond("GET", "/api/v1/limitranges", 10, 403);
            String[] command = {
                "dump", "--kubeconfig", kubeconfig.toString(), "--strict", "--output-file", file.toString()
            };
            Ended dumped = run(command);
            assertEquals(
                    new Ended(
                            1,
                            "16 objects in " + file + "\n",
                            "warning: W154 limitranges not dumped: permission to list them is missing\n"),
                    dumped);
            cluster.faults().respond("GET", "/api/v1/nodes", 10, 403);
            Ended refused = run(command);
            assertTrue(
                    refused.err().contains("no dump without nodes: permission to list them is missing"), refused.err());
            assertFalse(Files.exists(file));
        }
    }

    private static String kinds(Path kubeconfig, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of("dump", "--kubeconfig", kubeconfig.toString()));
        command.addAll(List.of(more));
        Ended dumped = run(command.toArray(String[]::new));
        assertEquals("", dumped.err());
        List<String> kinds = new ArrayList<>();
        JSON.readTree(dumped.out()).path("listedKinds").forEach(kind -> kinds.add(kind.asText()));
        return String.join(" ", kinds);
    }

    @Test
    void onlyWhatIsReadIsTaken(@TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        String classes = "LimitRange PriorityClass RuntimeClass";
        Path policy = Files.writeString(
                folder.resolve("policy.json"),
                "{\"predicates\": [{\"name\": \"PodFitsResources\"}], \"priorities\": []}");
        Path spread = Files.writeString(
                folder.resolve("spread.json"),
                "{\"predicates\": [{\"name\": \"DynamicResources\"}], \"priorities\": [{\"name\":"
                        + " \"SelectorSpreadPriority\", \"weight\": 1}]}");
        try (EmbeddedControlPlane cluster = cluster(Release.V1_34, kubeconfig)) {
            assertTrue(cluster.port() > 0);
            assertEquals(Kind.all().stream().map(Kind::objectKind).collect(Collectors.joining(" ")), kinds(kubeconfig));
            assertEquals("Node Pod PodDisruptionBudget " + classes, kinds(kubeconfig, "--for", "policy:" + policy));
            assertEquals(
                    "Node Pod Service ReplicationController ReplicaSet StatefulSet PodDisruptionBudget ResourceClaim"
                            + " ResourceSlice DeviceClass " + classes + " ResourceClaimTemplate",
                    kinds(kubeconfig, "--for", "policy:" + policy, "--for", "policy:" + spread));
        }
    }

    @Test
    void aPageHasAtLeastOneObject() {
        Ended refused = run("dump", "--page-size", "0");
        assertEquals(2, refused.code());
        assertTrue(refused.err().contains("--page-size: 0 is not from 1 to 10000"), refused.err());
    }
}
