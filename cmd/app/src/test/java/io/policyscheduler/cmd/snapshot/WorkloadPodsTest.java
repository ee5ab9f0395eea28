package io.policyscheduler.cmd.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.testing.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Manifests of workloads, as users have them, are the pods that their controllers would create. */
class WorkloadPodsTest {
    private static final String NODES = """
            apiVersion: v1
            kind: List
            items:
            - {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {disk: ssd}}, status: {allocatable: {cpu: "4", memory: 4Gi, pods: "9"}}}
            - {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 4Gi, pods: "9"}}}
            - {apiVersion: v1, kind: Node, metadata: {name: n3, labels: {disk: ssd}}, spec: {taints: [{key: k, effect: NoSchedule}]}, status: {allocatable: {cpu: "4", memory: 4Gi, pods: "9"}}}
            """;
    private static final String TEMPLATE =
            "template: {metadata: {labels: {a: b}}, spec: {RESTART containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}}";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Values that replace a field; the first one removes it. */
    private static final List<String> OTHERS = List.of("", "null", "1", "true", "\"x\"", "[]", "[1]", "{}");

    private final Path folder;

    WorkloadPodsTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private static String manifest(String version, String kind, String spec) {
        String template = TEMPLATE.replace("RESTART", kind.endsWith("Job") ? "restartPolicy: Never," : "");
        return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: web, namespace: prod}\nspec: {"
                + spec.replace("TEMPLATE", template) + "}\n";
    }

    private CommandRun run(String command, String... args) throws IOException {
        Path nodes = Files.writeString(folder.resolve("nodes.yaml"), NODES);
        List<String> all = new ArrayList<>(List.of(command, "--cluster=" + nodes, "-o", "json"));
        all.addAll(List.of(args));
        return CommandRun.of(all.toArray(String[]::new));
    }

    /** Names by their fixed part: the rest depends on the manifest. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            apps/v1            | Deployment            | replicas: 2, selector: {matchLabels: {a: b}}, TEMPLATE | web-[a-z0-9]{10}-[a-z0-9]{5} | 2
            extensions/v1beta1 | Deployment            | TEMPLATE                                             | web-[a-z0-9]{10}-[a-z0-9]{5} | 1
            apps/v1beta2       | ReplicaSet            | replicas: 3, TEMPLATE                                | web-[a-z0-9]{5}              | 3
            v1                 | ReplicationController | replicas: 2, TEMPLATE                                | web-[a-z0-9]{5}              | 2
            apps/v1beta1       | StatefulSet           | replicas: 2, TEMPLATE                                | web-[01]                     | 2
            apps/v1            | DaemonSet             | selector: {matchLabels: {a: b}}, TEMPLATE            | web-[a-z0-9]{5}              | 2
            batch/v1           | Job                   | parallelism: 3, completions: 2, TEMPLATE             | web-[a-z0-9]{5}              | 2
            batch/v1beta1      | CronJob               | schedule: '* * * * *', jobTemplate: {spec: {TEMPLATE}} | web-0-[a-z0-9]{5}          | 1
            apps/v1            | Deployment            | replicas: 0, TEMPLATE                                | -                            | 0
            """)
    void aManifestIsItsPods(String version, String kind, String spec, String name, int pods) throws IOException {
        Path file = Files.writeString(folder.resolve("web.yaml"), manifest(version, kind, spec));
        CommandRun simulated = run("simulate", "--provider=DefaultProvider", "--pods=" + file);
        JsonNode result = new ObjectMapper().readTree(simulated.out());
        assertEquals(pods, result.path("placed").asInt(), simulated.err());
        for (JsonNode pod : result.path("pods")) {
            String key = pod.path("pod").asText();
            assertTrue(key.matches("prod/" + name), key);
        }
    }

    /** A manifest without a field, or with a field of another type, is skipped with a message, or is what remains of it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Deployment  | {'replicas': 1, 'selector': {'matchLabels': {'a': 'b'}}, TEMPLATE}
            StatefulSet | {'replicas': 1, 'ordinals': {'start': 1}, 'volumeClaimTemplates': [{'metadata': {'name': 'd'}, 'spec': {'accessModes': ['ReadWriteOnce'], 'resources': {'requests': {'storage': '1'}}}}], TEMPLATE}
            DaemonSet   | {TEMPLATE}
            Job         | {'parallelism': 2, 'completions': 2, TEMPLATE}
            CronJob     | {'jobTemplate': {'metadata': {}, 'spec': {TEMPLATE}}}
            """)
    void aFaultyManifestIsNoInternalError(String kind, String spec) throws IOException {
        String template =
                "'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'restartPolicy': 'Never', 'tolerations':"
                        + " [{'key': 'k'}], 'affinity': {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution':"
                        + " {'nodeSelectorTerms': [{'matchExpressions': []}]}}}, 'volumes': [{'name': 'v', 'emptyDir': {}}],"
                        + " 'containers': [{'name': 'c', 'image': 'i'}]}}";
        ObjectNode full = (ObjectNode) MAPPER.readTree(("{'apiVersion': 'apps/v1', 'kind': '" + kind
                        + "', 'metadata': {'name': 'web'}, 'spec': " + spec.replace("TEMPLATE", template) + "}")
                .replace('\'', '"'));
        List<Node> nodes = List.of(NodeBuilder.node("n1").cpu("4").build());
        List<String> failures = new ArrayList<>();
        for (JsonPointer place : places(full, JsonPointer.empty())) {
            for (String other : place.toString().equals("/kind") ? List.<String>of() : OTHERS) {
                ObjectNode changed = full.deepCopy();
                replace(changed.at(place.head()), place.last().getMatchingProperty(), other);
                try {
                    WorkloadPods.of(changed, nodes);
                } catch (RuntimeException e) {
                    failures.add(place + " = " + other + ": " + e);
                }
            }
        }
        assertEquals(List.of(), failures);
    }

    private static List<JsonPointer> places(JsonNode node, JsonPointer place) {
        List<JsonPointer> places = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            JsonPointer below = place.appendProperty(field.getKey());
            places.add(below);
            places.addAll(places(field.getValue(), below));
        }
        for (int i = 0; i < node.size() && node.isArray(); i++) {
            places.addAll(places(node.get(i), place.appendIndex(i)));
        }
        return places;
    }

    private static void replace(JsonNode parent, String field, String other) throws IOException {
        if (other.isEmpty()) {
            ((ObjectNode) parent).remove(field);
        } else {
            ((ObjectNode) parent).set(field, MAPPER.readTree(other));
        }
    }

    /** Pods with generated names are different pods; a node without a name is skipped. */
    @Test
    void generatedNames() throws IOException {
        String pod =
                "{apiVersion: v1, kind: Pod, metadata: {generateName: run-}, spec: {containers: [{name: c, image: i}]}}\n";
        Path file = Files.writeString(
                folder.resolve("pods.yaml"), pod + "---\n" + pod + "---\n{apiVersion: v1, kind: Node, metadata: {}}\n");
        CommandRun simulated = run("simulate", "--provider=DefaultProvider", "--pods=" + file);
        JsonNode result = MAPPER.readTree(simulated.out());
        assertEquals(2, result.path("placed").asInt(), simulated.toString());
        String names = result.path("pods").findValuesAsText("pod").toString();
        assertTrue(names.matches("\\[default/run-[a-z0-9]{5}, default/run-[a-z0-9]{5}\\]"), names);
        assertTrue(simulated.err().contains("skipped: Node: metadata.name: Required value"), simulated.err());
    }

    /** A Deployment that an API server rejects, because it has no selector. */
    @Test
    void aDeploymentWithoutLabels() throws IOException {
        Path file = Files.writeString(
                folder.resolve("web.yaml"),
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c,"
                        + " image: i}]}}}\n");
        CommandRun simulated = run("simulate", "--provider=DefaultProvider", "--pods=" + file);
        assertEquals(1, MAPPER.readTree(simulated.out()).path("placed").asInt(), simulated.toString());
    }

    /** A dump that was cleaned of uids and status has the pods next to their workloads. */
    @Test
    void podsThatExistAreNotCreatedAgain() throws IOException {
        String pod = """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: web-1
                  namespace: prod
                  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-abc, uid: u, controller: true}]
                spec: {containers: [{name: c, image: i}]}
                """;
        Path file = Files.writeString(
                folder.resolve("web.yaml"), manifest("apps/v1", "Deployment", "replicas: 3, TEMPLATE") + pod);
        JsonNode result = new ObjectMapper()
                .readTree(run("simulate", "--provider=DefaultProvider", "--pods=" + file)
                        .out());
        assertEquals(1, result.path("placed").asInt());
    }

    @Test
    void everyCommandReadsThem() throws IOException {
        Path file = Files.writeString(
                folder.resolve("db.yaml"), manifest("apps/v1", "StatefulSet", "replicas: 1, TEMPLATE"));
        ObjectMapper mapper = new ObjectMapper();
        JsonNode explained =
                mapper.readTree(run("explain", "prod/web-0", "--provider=DefaultProvider", "--cluster=" + file)
                        .out());
        assertTrue(explained.path("fits").asBoolean(), explained.toString());
        JsonNode compared = mapper.readTree(run("compare", "provider:DefaultProvider", "modern", "--cluster=" + file)
                .out());
        assertEquals(1, compared.path("pods").size(), compared.toString());
        JsonNode fit = mapper.readTree(run("simulate", "--provider=DefaultProvider", "--podspec=" + file)
                .out());
        assertTrue(fit.toString().contains("web-0"), fit.toString());
    }
}
