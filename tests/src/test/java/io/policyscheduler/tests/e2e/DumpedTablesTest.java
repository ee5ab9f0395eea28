package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dump contains the values of tables at that time, and simulations use them when their source is not available. */
class DumpedTablesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String POLICY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: FreeLicence
              argument: {rule: {expression: 'tables.free[node.name] or false', reason: no licence}}
            priorities:
            - name: LeastRealLoad
              weight: 1
              argument: {rule: {expression: '100 - 10 * (tables.load[node.name] or 10)'}}
            tables:
              load:
                prometheus: {url: 'URL', query: 'load', label: node, timeout: 2s}
                staleAfter: 2m
              free: {configMap: {namespace: default, name: licences, key: free.yaml}}
            """;

    private final LiveCluster live = new LiveCluster();
    private final MeasuringServer prometheus = new MeasuringServer();
    private final Path folder;
    private final Path policy;
    private final Path dump;

    private record Ended(int code, String out, String err) {}

    DumpedTablesTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        this.policy = folder.resolve("policy.yaml");
        this.dump = folder.resolve("dump.json");
    }

    @BeforeEach
    void cluster() throws IOException {
        for (String name : new String[] {"n1", "n2", "n3"}) {
            live.cluster().load(Manifest.node(name, "8"));
        }
        live.api().createPod(Manifest.podOf("default-scheduler", "waits", "10m"));
        live.api()
                .post(
                        "/api/v1/namespaces/default/configmaps",
                        Manifest.json(
                                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'licences',"
                                        + "'namespace':'default'},'data':{'free.yaml':'n1: true\\nn2: true','other':'private'}}"));
        Files.writeString(policy, POLICY.replace("URL", prometheus.url()));
        prometheus.measure(Map.of("n1", 7.0, "n2", 1.5, "n3", 0.0));
    }

    @AfterEach
    void close() {
        live.close();
        prometheus.close();
    }

    private static Ended run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(args, out, err);
        return new Ended(code, out.toString(), err.toString());
    }

    private Ended takeDump(String... more) {
        List<String> line = new ArrayList<>(List.of(
                "dump",
                "--master",
                live.cluster().url(),
                "--policy",
                policy.toString(),
                "--output-file",
                dump.toString()));
        line.addAll(List.of(more));
        return run(line.toArray(new String[0]));
    }

    private Ended simulate(String... more) {
        List<String> line = new ArrayList<>(
                List.of("simulate", "--policy", policy.toString(), "--cluster", dump.toString(), "-o", "json"));
        line.addAll(List.of(more));
        return run(line.toArray(new String[0]));
    }

    private static String node(Ended simulated) throws IOException {
        return JSON.readTree(simulated.out()).path("pods").path(0).path("node").asText(simulated.err());
    }

    @Test
    void decidesByWhatWasMeasured() throws IOException {
        Ended dumped = takeDump("--strict");
        assertEquals("0 ", dumped.code() + " " + dumped.err());
        prometheus.close();

        ObjectNode kinds = JSON.createObjectNode();
        JSON.readTree(dump.toFile())
                .path("items")
                .forEach(item -> kinds.set(item.path("kind").asText(), item));
        assertEquals(
                "{\"n1\":7.0,\"n2\":1.5,\"n3\":0.0}",
                kinds.path("RecordedTable").path("values").toString());
        assertEquals(
                "{\"free.yaml\":\"n1: true\\nn2: true\"}",
                kinds.path("ConfigMap").path("data").toString());

        assertEquals("n2", node(simulate()));
        Path given = Files.writeString(folder.resolve("given.csv"), "node,load\nn1,1\nn2,3\n");
        assertEquals("n1", node(simulate("--table", "load=" + given)), "what the command line says goes first");
    }

    /** A value keeps the age that it had when the dump was taken. */
    @Test
    void whatWasTooOldThenIsMissing() throws IOException {
        takeDump();
        ObjectNode all = (ObjectNode) JSON.readTree(dump.toFile());
        for (JsonNode item : all.path("items")) {
            if (item.path("kind").asText().equals("RecordedTable")) {
                ((ObjectNode) item).put("taken", "2026-01-31T12:10:00Z");
                ObjectNode times = (ObjectNode) item.path("times");
                times.put("n1", "2026-01-31T12:09:00Z").put("n2", "2026-01-31T12:08:00Z");
            }
        }
        JSON.writeValue(dump.toFile(), all);
        assertEquals("n1", node(simulate()));
    }

    @Test
    void valuesOfAnotherQueryAreNotTaken() throws IOException {
        takeDump();
        Files.writeString(policy, Files.readString(policy).replace("query: 'load'", "query: 'idle'"));
        Ended refused = simulate();
        assertTrue(
                refused.err()
                        .contains(
                                "R030: table load: the dump has the result of \"load by label node\", but the query of"
                                        + " the table is \"idle by label node\"; take the dump with this policy, or pass the values: --table"
                                        + " load=FILE"),
                refused::err);
    }

    @Test
    void whatCannotBeHadIsTold() throws IOException {
        prometheus.setUp(false);
        Files.writeString(policy, Files.readString(policy).replace("name: licences", "name: gone"));
        Ended dumped = takeDump();
        assertEquals(
                "0 warning: W156 table free not dumped: no values from configmap default/gone[free.yaml]: there is no such ConfigMap\nwarning: W156 table load not dumped: no values from prometheus "
                        + prometheus.url() + ": query timed out\n",
                dumped.code() + " " + dumped.err());
        assertEquals(1, takeDump("--strict").code());
        assertTrue(
                simulate().err().contains("give its values: --table load=FILE"),
                () -> simulate().err());
    }

    @Test
    void namesThatAreKeysAreNotShownAround() {
        Ended refused = takeDump("--anonymize");
        assertEquals(2, refused.code());
        assertTrue(refused.err().contains("--anonymize cannot be combined with tables"), refused::err);
        assertFalse(Files.exists(dump));
    }

    /** The policy may be in the dump, too. */
    @Test
    void policyOfAConfigMap() throws IOException {
        ObjectNode map = Manifest.json("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'policy',"
                + "'namespace':'default'},'data':{}}");
        map.withObject("/data").put("policy.cfg", Files.readString(policy));
        live.api().post("/api/v1/namespaces/default/configmaps", map);
        Ended dumped = run(
                "dump",
                "--master",
                live.cluster().url(),
                "--policy-configmap",
                "default/policy",
                "--output-file",
                dump.toString());
        assertEquals("0 ", dumped.code() + " " + dumped.err());
        assertEquals("n2", node(simulate()));
    }
}
