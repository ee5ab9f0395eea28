package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configurations that contain a policy, that are in a ConfigMap, or that have extenders, as users pass them. */
class ConfigurationSourcesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String V1ALPHA1 = "apiVersion: kubescheduler.config.k8s.io/v1alpha1\n"
            + "kind: KubeSchedulerConfiguration\nschedulerName: old\n";
    private static final String V1 = "apiVersion: kubescheduler.config.k8s.io/v1\n"
            + "kind: KubeSchedulerConfiguration\nprofiles:\n"
            + "- schedulerName: first\n"
            + "  plugins: {score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 1}]}}\n"
            + "- schedulerName: few\n"
            + "  plugins: {score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality, weight: 7}]}}\n";
    /** The large node has more free resources, and the small node has the image. */
    private static final String DUMP =
            "---\n{kind: Node, metadata: {name: large}, status: {allocatable: {cpu: 8, memory:"
                    + " 8Gi, pods: 10}}}\n---\n"
                    + "{kind: Node, metadata: {name: small}, status: {allocatable: {cpu: 2, memory: 8Gi, pods: 10}, images:"
                    + " [{names: ['app:1'], sizeBytes: 900000000}]}}\n---\n"
                    + "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: 'app:1', resources: {requests:"
                    + " {cpu: 1}}}]}}\n";

    @TempDir
    private Path folder = Path.of("");

    private String snapshot() throws IOException {
        return file("world.yaml", DUMP);
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private String policy() throws IOException {
        return file(
                "policy.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"}],"
                        + "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":2}]}");
    }

    private static JsonNode json(String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("-o", "json"));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertTrue(run.code() <= 1, run.err());
        return JSON.readTree(run.out());
    }

    private static Map<String, Integer> weights(JsonNode simulation) {
        Map<String, Integer> weights = new TreeMap<>();
        simulation
                .at("/pods/0/weights")
                .properties()
                .forEach(entry -> weights.put(entry.getKey(), entry.getValue().asInt()));
        return weights;
    }

    /** The algorithm source and the plugins of a v1alpha1 configuration have the same effect on one pod in all offline commands. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithmSource: {policy: {file: {path: POLICY}}} | large | {NodeResourcesLeastAllocated=2}",
                "algorithmSource: {policy: {file: {path: POLICY}}}\\nplugins: {score: {enabled: [{name: ImageLocality,"
                        + " weight: 5}]}} | small | {ImageLocality=5, NodeResourcesLeastAllocated=2}",
                "algorithmSource: {policy: {file: {path: POLICY}}}\\nplugins: {filter: {enabled: [{name: NodeLabel}]}}"
                        + "\\npluginConfig: [{name: NodeLabel, args: {presentLabels: [ssd]}}]"
                        + " | '' | {NodeResourcesLeastAllocated=2}",
            })
    void v1alpha1(String source, String node, String weights) throws IOException {
        String config = file(
                "config.yaml", V1ALPHA1 + source.replace("POLICY", policy()).replace("\\n", "\n") + "\n");
        String scheduler = "config:" + config;
        JsonNode simulated = json("simulate", "--scheduler", scheduler, "--cluster", snapshot(), "--details");
        assertEquals(node, simulated.at("/pods/0/node").asText(""));
        if (!node.isEmpty()) {
            assertEquals(weights, weights(simulated).toString());
        }
        JsonNode compared = json("compare", scheduler, config, "--cluster", snapshot(), "--details");
        assertEquals(node, compared.at("/pods/0/results/0/node").asText(""));
        assertEquals(node, compared.at("/pods/0/results/1/node").asText(""));
        JsonNode explained = json("explain", "p", "--scheduler", scheduler, "--cluster", snapshot());
        assertEquals(node, explained.path("winner").asText(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithmSource: {policy: {file: {path: gone.json}}} | '' |"
                        + " FILE: missing policy config file gone.json, which algorithmSource names",
                "algorithmSource: {policy: {configMap: {namespace: kube-system, name: p}}} | '' | no cluster configured",
                "algorithmSource: {provider: Nope} | '' | provider \"Nope\" is not registered",
                "algorithmSource: {provider: DefaultProvider} | '#other' | FILE: no profile \"other\"",
                "algorithmSource: {provider: DefaultProvider} | '@1.20' |"
                        + " v1alpha1 decides as 1.17 did; remove @1.20",
                "plugins: {score: {enabled: [{name: Nope}]}} | '' | Nope",
            })
    void rejectedV1alpha1(String source, String suffix, String message) throws IOException {
        String config = file("config.yaml", V1ALPHA1 + source + "\n");
        CommandRun offline =
                CommandRun.of("simulate", "--scheduler", "config:" + config + suffix, "--cluster", snapshot());
        assertTrue(offline.err().contains(message.replace("FILE", config)), offline.err());
        assertTrue(offline.code() > 1, offline.err());
    }

    private static ObjectNode configMap(String... entries) {
        ObjectNode map = JSON.createObjectNode().put("kind", "ConfigMap").put("apiVersion", "v1");
        map.putObject("metadata").put("name", "sched").put("namespace", "kube-system");
        ObjectNode data = map.putObject("data");
        for (int i = 0; i < entries.length; i += 2) {
            data.put(entries[i], entries[i + 1]);
        }
        return map;
    }

    /** Any key of a ConfigMap may contain the configuration; a policy under policy.cfg takes precedence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scheduler-config.yaml | sched | large",
                "config.yaml | sched#few | small",
                "policy.cfg | sched#few | small",
            })
    void configMapOfACluster(String key, String name, String node) throws IOException {
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            cluster.load(configMap(key, V1, "README", "not a configuration: {"));
            for (JsonNode object : new ObjectMapper(new YAMLFactory())
                    .readerFor(JsonNode.class)
                    .<JsonNode>readValues(DUMP)
                    .readAll()) {
                cluster.load(object);
            }
            JsonNode simulated =
                    json("simulate", "--scheduler", "configmap:kube-system/" + name, "--master", cluster.url());
            assertEquals(node, simulated.at("/pods/0/node").asText(""), simulated.toString());
        }
    }

    @Test
    void severalConfigurationsInAConfigMap() throws IOException {
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            cluster.load(configMap("a.yaml", V1, "b.yaml", V1));
            CommandRun run = CommandRun.of(
                    "simulate", "--scheduler", "configmap:kube-system/sched", "--live", "--master", cluster.url());
            assertEquals(3, run.code());
            assertEquals(
                    "error: missing policy config map value at key \"policy.cfg\" in config map kube-system/sched;"
                            + " several keys contain a KubeSchedulerConfiguration: a.yaml, b.yaml; keep one of them",
                    run.err().strip());
        }
    }

    /** The extenders of configurations are called as those of policies are. */
    @ParameterizedTest
    @CsvSource({"config", "policy", "policy@1.20"})
    void extendersAreCalled(String kind) throws IOException {
        String extenders = "extenders: [{urlPrefix: 'http://127.0.0.1:1', filterVerb: filter, weight: 1}]\n";
        String text = kind.equals("config") ? V1 + extenders : "kind: Policy\napiVersion: v1\n" + extenders;
        String scheduler = kind.replaceFirst("^(config|policy)", "$1:" + file("s.yaml", text));
        JsonNode silent = json("simulate", "--scheduler", scheduler, "--cluster", snapshot());
        assertTrue(silent.path("warnings").toString().contains("W036"), silent.toString());
        assertTrue(silent.at("/pods/0/node").isTextual(), silent.toString());
        JsonNode called = json("simulate", "--scheduler", scheduler, "--cluster", snapshot(), "--call-extenders");
        assertTrue(
                called.at("/pods/0/message").asText().contains("dial tcp 127.0.0.1:1: connect: connection refused"),
                called.toString());
        assertTrue(!called.path("warnings").toString().contains("W036"), called.toString());
    }
}
