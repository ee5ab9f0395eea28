package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON output of commands conforms to the schemas in {@code docs/schemas}. */
public class ResultSchemasTest {
    private static final Path SCHEMAS = Path.of("../../docs/schemas");
    private static final String DEMO = "../../policy-files/demo/";
    private static final String POLICY = DEMO + "policy.json";
    private static final String DUMP = "--cluster " + DEMO + "cluster.yaml " + DEMO + "workload.yaml";
    private static final String LIMITS = "src/test/resources/lab/limits.yaml";
    private static final String LAB = "--cluster " + DEMO + "cluster.yaml --arrivals " + DEMO + "arrivals.csv";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonSchema schema(String name) throws IOException {
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(JSON.readTree(Files.readString(SCHEMAS.resolve(name + ".schema.json"))));
    }

    /** Fails unless a result conforms to its schema. */
    public static void assertValid(String name, String result) throws IOException {
        assertEquals(Set.of(), schema(name).validate(JSON.readTree(result)), result);
    }

    private static JsonNode run(String line) throws IOException {
        String whole = line.replace("POLICY", POLICY)
                        .replace("DUMP", DUMP)
                        .replace("LAB", LAB)
                        .replace("LIMITS", LIMITS)
                        .replace("DEMO/", DEMO)
                + " -o json";
        CommandRun run = CommandRun.of(whole.split(" "));
        assertTrue(run.code() <= 3 && !run.out().isEmpty(), run.err());
        return JSON.readTree(run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "simulate, simulate --policy POLICY DUMP --details",
        "simulate, simulate --profile modern DUMP --drain node-a1",
        "simulate, simulate --policy POLICY DUMP --fit notebook --verify-rules 1",
        "compare, compare POLICY modern DUMP --limit 5",
        "compare, compare POLICY provider:DefaultProvider modern DUMP --details --replay-bound --mode run",
        "explain, explain huge --policy POLICY DUMP",
        "explain, explain db-3 --in-order --policy POLICY DUMP",
        "explain, explain db-1 --node node-a1 --profile modern DUMP",
        "audit, audit --policy POLICY DUMP --threshold 0",
        "audit, audit --profile modern DUMP --threshold 0 --evict --evict-better",
        "lab-run, lab run modern LAB",
        "lab-test, lab test LIMITS LAB",
        "lab-compare, lab compare POLICY modern provider:DefaultProvider LAB --until 1h",
        "preflight, preflight POLICY --cluster src/test/resources/preflight/cluster-1.20.yaml",
        "migrate, migrate POLICY",
        "migrate, migrate --provider DefaultProvider --to v1beta3",
        "rule-check, rule check -e pod.hasLabel('app')",
        "rule-check, rule check -e pod.nothing",
        "validate, validate POLICY ../../policy-files/nowhere.json ../../policy-files/demo/cluster.yaml",
        "replay, replay ../../tests/src/test/resources/golden/host-ports.jsonl.gz",
        "version, version",
        "bench, bench --nodes 3 --pods 6 --decisions 4 --runs 2 --workload basic --viewed",
        "bench, bench --nodes 3 --pods 6 --decisions 4 --runs 2 --workload basic --logged",
        "bench, bench --nodes 3 --pods 6 --decisions 4 --runs 1 --workload basic --tables 1",
        "bench, bench --nodes 3 --decisions 2 --runs 1 --workload preemption --decider modern",
        "bench-scale, bench --scale 2,3x5 --decisions 2 --runs 1",
    })
    void resultsAreAsTheSchemasSay(String name, String line) throws IOException {
        assertEquals(Set.of(), schema(name).validate(run(line)), line);
    }

    @Test
    void whatASchemaDoesNotKnowItRefuses() throws IOException {
        ObjectNode result = (ObjectNode) run("version");
        result.put("more", 1);

        assertFalse(schema("version").validate(result).isEmpty());
    }

    @Test
    void thePageListsTheSchemas() throws IOException {
        String page = Files.readString(SCHEMAS.resolve("README.md"));
        Set<String> missing = new TreeSet<>();
        try (Stream<Path> files = Files.list(SCHEMAS)) {
            missing.addAll(files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".json") && !page.contains("(" + file + ")"))
                    .collect(Collectors.toSet()));
        }

        assertEquals(Set.of(), missing);
    }
}
