package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.options.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migrated configurations can be read by the program, and score nodes as computed by hand. */
class MigrationPredictionsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String PACKING = """
            {"kind":"Policy","apiVersion":"v1",
             "predicates":[
              {"name":"PodFitsHostPorts"},{"name":"PodFitsResources"},{"name":"NoDiskConflict"},{"name":"MatchNodeSelector"},
              {"name":"HostName"},
              {"name":"RackPresent","argument":{"labelsPresence":{"labels":["rack"],"presence":true}}},
              {"name":"NotRetiring","argument":{"labelsPresence":{"labels":["retiring"],"presence":false}}},
              {"name":"SameRegion","argument":{"serviceAffinity":{"labels":["region"]}}}],
             "priorities":[
              {"name":"MostRequestedPriority","weight":2},{"name":"ServiceSpreadingPriority","weight":1},
              {"name":"EqualPriority","weight":1},
              {"name":"RackSpread","weight":3,"argument":{"serviceAntiAffinity":{"label":"rack"}}},
              {"name":"SsdPreferred","weight":4,"argument":{"labelPreference":{"label":"ssd","presence":true}}}]}
            """;

    private static final String GPUS = """
            {"kind":"Policy","apiVersion":"v1",
             "predicates":[{"name":"GeneralPredicates"},{"name":"CheckVolumeBinding"}],
             "priorities":[
              {"name":"GpuBinPack","weight":5,"argument":{"requestedToCapacityRatioArguments":{
                 "shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}],
                 "resources":[{"name":"nvidia.com/gpu","weight":5},{"name":"cpu","weight":1},{"name":"memory","weight":1}]}}},
              {"name":"TaintTolerationPriority","weight":1}]}
            """;

    private final Path folder;

    MigrationPredictionsTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private static String run(int expected, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(arguments, new PrintWriter(out), new PrintWriter(err));
        assertEquals(expected, code, () -> String.join(" ", arguments) + "\n" + err);
        return out.toString();
    }

    private String migrated(String policy, int expected) throws IOException {
        Path file = Files.writeString(folder.resolve("policy.json"), policy);
        Path configuration = folder.resolve("migrated.yaml");
        run(expected, "migrate", file.toString(), "--config-file", configuration.toString());
        run(ExitCode.OK, "config", "show", "--config", configuration.toString());
        return configuration.toString();
    }

    /** Returns the scores of the nodes for one pod of a dump, by algorithm, with {@code total}. */
    private Map<String, Map<String, Long>> scores(String decider, Path dump, String pod) throws IOException {
        JsonNode result = JSON.readTree(run(
                ExitCode.OK,
                "simulate",
                "--decider",
                decider,
                "--cluster",
                dump.toString(),
                "--details",
                "-o",
                "json"));
        Map<String, Map<String, Long>> scores = new TreeMap<>();
        for (JsonNode outcome : result.path("pods")) {
            if (outcome.path("pod").asText().equals("default/" + pod)) {
                outcome.path("scores")
                        .properties()
                        .forEach(entry -> scores.put(entry.getKey(), longs(entry.getValue())));
                scores.put("total", longs(outcome.path("totals")));
            }
        }
        return scores;
    }

    private static Map<String, Long> longs(JsonNode byNode) {
        Map<String, Long> values = new TreeMap<>();
        byNode.properties()
                .forEach(entry -> values.put(entry.getKey(), entry.getValue().asLong()));
        return values;
    }

    private Path dump(List<String> objects) throws IOException {
        return Files.writeString(
                folder.resolve("dump.jsonl"), String.join("\n", objects).replace('\'', '"'));
    }

    private static String node(String name, String labels, String allocatable) {
        return "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" + name + "','labels':{'kubernetes.io/hostname':'"
                + name + "','topology.kubernetes.io/zone':'z','region':'r'" + labels + "}},'status':{'allocatable':{"
                + allocatable + ",'pods':'110'}}}";
    }

    private static String pod(String name, String node, String labels, String requests) {
        return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name + "','namespace':'default','uid':'" + name
                + "','labels':{" + labels + "}},'spec':{" + (node.isEmpty() ? "" : "'nodeName':'" + node + "',")
                + "'containers':[{'name':'c','image':'i','resources':{'requests':{" + requests + "},'limits':{"
                + requests
                + "}}}]}}";
    }

    @Test
    void packingWithLabelsAndSpreading() throws IOException {
        Path dump = dump(List.of(
                node("n1", ",'rack':'r1','ssd':'true'", "'cpu':'4','memory':'8Gi'"),
                node("n2", ",'rack':'r2'", "'cpu':'4','memory':'8Gi'"),
                "{'apiVersion':'v1','kind':'Service','metadata':{'name':'s','namespace':'default'},"
                        + "'spec':{'selector':{'app':'web'}}}",
                pod("w1", "n1", "'app':'web'", "'cpu':'1','memory':'1Gi'"),
                pod("w2", "n1", "'app':'web'", "'cpu':'1','memory':'1Gi'"),
                pod("x", "n2", "'app':'x'", "'cpu':'1','memory':'1Gi'"),
                pod("p", "", "'app':'web'", "'cpu':'500m','memory':'1Gi'")));
        // The exit code reports that ServiceAffinity is lost.
        String configuration = migrated(PACKING, ExitCode.NEGATIVE);
        assertEquals(
                Map.of("n1", 498L, "n2", 395L),
                scores("framework:" + folder.resolve("policy.json"), dump, "p").get("total"));
        Map<String, Map<String, Long>> modern = scores("modern:" + configuration, dump, "p");
        assertEquals(
                Map.of(
                        "NodeResourcesFit", Map.of("n1", 49L, "n2", 31L),
                        "PodTopologySpread", Map.of("n1", 57L, "n2", 100L),
                        "NodeAffinity", Map.of("n1", 100L, "n2", 0L),
                        "total", Map.of("n1", 726L, "n2", 462L)),
                modern);
    }

    @Test
    void gpuPacking() throws IOException {
        String all = "'cpu':'64','memory':'256Gi','nvidia.com/gpu':'8'";
        Path dump = dump(List.of(
                node("a", "", all),
                node("b", "", all),
                node("c", "", "'cpu':'32','memory':'128Gi'"),
                pod("ua", "a", "", "'cpu':'16','memory':'64Gi','nvidia.com/gpu':'3'"),
                pod("uc", "c", "", "'cpu':'8','memory':'32Gi'"),
                pod("plain", "", "", "'cpu':'4','memory':'16Gi'")));
        String configuration = migrated(GPUS, ExitCode.OK);
        String legacy = "framework:" + folder.resolve("policy.json");
        assertEquals(
                Map.of("a", 36L, "b", 7L, "c", 82L),
                scores(legacy, dump, "plain").get("RequestedToCapacityRatio"));
        assertEquals(
                Map.of("a", 31L, "b", 6L, "c", 37L),
                scores("modern:" + configuration, dump, "plain").get("NodeResourcesFit"));
        Path withGpu = Files.writeString(
                folder.resolve("gpu.jsonl"),
                Files.readString(dump)
                        .replace("\"name\":\"plain\"", "\"name\":\"gpu\"")
                        .replace(
                                "\"cpu\":\"4\",\"memory\":\"16Gi\"",
                                "\"cpu\":\"4\",\"memory\":\"16Gi\",\"nvidia.com/gpu\":\"1\""));
        assertEquals(Map.of("a", 45L, "b", 11L), scores(legacy, withGpu, "gpu").get("RequestedToCapacityRatio"));
        assertEquals(
                Map.of("a", 45L, "b", 10L),
                scores("modern:" + configuration, withGpu, "gpu").get("NodeResourcesFit"));
    }
}
