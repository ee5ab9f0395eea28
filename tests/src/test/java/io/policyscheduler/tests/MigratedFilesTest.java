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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The migration of every policy in the repository that is accepted loads in every release that migrations are written for. It
 * rejects the same pods as the policy unless it reports a loss, and chooses the same nodes unless it reports a difference.
 */
class MigratedFilesTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** The oldest and the newest release that a migration can write for. */
    private static final int FIRST = 19;

    private static final int LAST = 36;
    /** The first release that honors all fields of {@link #NEWER}; older ones drop some of them. */
    private static final int NEWER_FROM = 34;

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

    /** Whether the report says that placements differ in special cases at most, so that the same nodes must be chosen. */
    private static boolean isExact(JsonNode findings) {
        for (JsonNode finding : findings) {
            if (!finding.path("level").asText().equals("info")) {
                return false;
            }
        }
        return true;
    }

    /** The newest version that a release reads. */
    private static String version(int minor) {
        return minor >= 25 ? "v1" : minor >= 23 ? "v1beta3" : minor == 22 ? "v1beta2" : "v1beta1";
    }

    private static Result migrate(Path policy, int minor, String... more) {
        List<String> command = new ArrayList<>(
                List.of("migrate", policy.toString(), "--to", version(minor), "--release", "1." + minor, "-o", "json"));
        command.addAll(List.of(more));
        return run(command.toArray(String[]::new));
    }

    /** What is wrong with the decisions of the output; empty if nothing is. */
    private static String fault(JsonNode json) {
        JsonNode counts = json.at("/verification/0/counts");
        int rejected = counts.path("only-reference").asInt()
                + counts.path("only-other").asInt()
                + counts.path("error").asInt();
        boolean besides = !json.path("extenders").isEmpty();
        if (rejected > 0 && !losesFilter(json.path("findings")) && !besides) {
            return "another pod is rejected";
        }
        return json.at("/verification/0/agreementRate").asDouble() < 1 && isExact(json.path("findings")) && !besides
                ? "another node is chosen although the report names no difference"
                : "";
    }

    /** Outputs that are equal for several releases are verified for one of them, which differs from policy to policy. */
    @Test
    void everyAcceptedFileMigrates(@TempDir Path folder) throws IOException {
        Path demo = RepositoryFiles.root().resolve("policy-files/demo");
        Path newer = Files.writeString(folder.resolve("newer.yaml"), NEWER);
        List<String> wrong = new ArrayList<>();
        Set<Integer> verified = new TreeSet<>();
        int migrated = 0;
        int exact = 0;
        for (Path policy : policies()) {
            Map<String, List<Integer>> outputs = new LinkedHashMap<>();
            for (int minor = FIRST; minor <= LAST; minor++) {
                int release = minor;
                Result result = migrate(policy, minor);
                if (result.err().contains("which needs no migration")) {
                    break;
                }
                assertTrue(result.code() <= 1, () -> policy + " for 1." + release + ": " + result.err());
                String output =
                        MAPPER.readTree(result.out()).path("configuration").toString();
                outputs.computeIfAbsent(output, each -> new ArrayList<>()).add(minor);
            }
            migrated += outputs.isEmpty() ? 0 : 1;
            for (List<Integer> releases : outputs.values()) {
                int minor = releases.get(migrated % releases.size());
                verified.add(minor);
                List<String> verify = new ArrayList<>(List.of(
                        "--verify",
                        demo.resolve("cluster.yaml").toString(),
                        demo.resolve("workload.yaml").toString()));
                if (minor >= NEWER_FROM) {
                    verify.add(newer.toString());
                }
                Result result = migrate(policy, minor, verify.toArray(String[]::new));
                JsonNode json = MAPPER.readTree(result.out());
                exact += isExact(json.path("findings")) ? 1 : 0;
                String fault = fault(json);
                if (!fault.isEmpty()) {
                    wrong.add(policy.getFileName() + " for 1." + minor + ": " + fault + ": "
                            + json.at("/verification/0"));
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(migrated > 30, String.valueOf(migrated));
        assertTrue(exact > 0, "no policy migrates without a difference");
        assertEquals(LAST - FIRST + 1, verified.size(), verified::toString);
    }
}
