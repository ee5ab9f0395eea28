package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The migration of every policy in the repository that is accepted loads in a release with recordings, and rejects the same pods as
 * the policy unless it reports a loss.
 */
class MigratedFilesTest {
    private static final List<String> RELEASES = List.of("1.34", "1.35", "1.36");
    /** Codes of losses that concern scores only. */
    private static final Set<String> SCORES = Set.of("M002", "M003", "M004", "M007");
    /** Pods that ask for fields newer than 1.17: hard spreading, a gate, and a resource claim. */
    private static final String NEWER = """
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: spread, labels: {app: spread}}, spec: {containers: [{name: c, image: i}],
             topologySpreadConstraints: [{maxSkew: 1, topologyKey: absent, whenUnsatisfiable: DoNotSchedule,
             labelSelector: {matchLabels: {app: spread}}}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: gated}, spec: {schedulingGates: [{name: example.com/wait}],
             containers: [{name: c, image: i}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: claims}, spec: {containers: [{name: c, image: i}],
             resourceClaims: [{name: d, resourceClaimName: none}]}}
            """;

    private record Result(int code, String out, String err) {}

    private static Result run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(args, new PrintWriter(out), new PrintWriter(err));
        return new Result(code, out.toString(), err.toString());
    }

    private static List<Path> policies() throws IOException {
        List<Path> policies = new ArrayList<>();
        for (String folder :
                List.of("policy-files/policies", "policy-files/demo", "cmd/app/src/test/resources/field-files")) {
            try (Stream<Path> files = Files.walk(RepositoryFiles.root().resolve(folder))) {
                files.filter(file -> file.toString().matches(".*\\.(json|ya?ml)"))
                        .sorted()
                        .filter(file -> run("validate", file.toString()).code() == 0)
                        .forEach(policies::add);
            }
        }
        return policies;
    }

    /** Whether a loss can change which nodes are feasible; the other losses are scores. */
    private static boolean losesFilter(JsonNode findings) {
        for (JsonNode finding : findings) {
            boolean lost = finding.path("fidelity").asText().equals("impossible");
            if (lost && !SCORES.contains(finding.path("code").asText())) {
                return true;
            }
        }
        return false;
    }

    @Test
    void everyAcceptedFileMigrates(@TempDir Path folder) throws IOException {
        Path demo = RepositoryFiles.root().resolve("policy-files/demo");
        Path newer = Files.writeString(folder.resolve("newer.yaml"), NEWER);
        List<String> wrong = new ArrayList<>();
        int migrated = 0;
        for (Path policy : policies()) {
            String release = RELEASES.get(migrated % RELEASES.size());
            Result result = run(
                    "migrate",
                    policy.toString(),
                    "--release",
                    release,
                    "-o",
                    "json",
                    "--verify",
                    demo.resolve("cluster.yaml").toString(),
                    demo.resolve("workload.yaml").toString(),
                    newer.toString());
            if (result.err().contains("which needs no migration")) {
                continue;
            }
            assertTrue(result.code() <= 1, () -> policy + " for " + release + ": " + result.err());
            migrated++;
            JsonNode json = new ObjectMapper().readTree(result.out());
            JsonNode counts = json.at("/verification/0/counts");
            boolean loses = losesFilter(json.path("findings"));
            boolean besides = !json.path("extenders").isEmpty();
            int differ = counts.path("only-reference").asInt()
                    + counts.path("only-other").asInt()
                    + counts.path("error").asInt();
            if (differ > 0 && !loses && !besides) {
                wrong.add(policy.getFileName() + " for " + release + ": " + json.at("/verification/0"));
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(migrated > 30, String.valueOf(migrated));
    }
}
