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
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static final int NODES = 6;
    private static final int PLACED = 8;
    private static final int PENDING = 12;

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

    /** The accepted files in the archives of field files. */
    private static List<Path> archived(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path archive : RepositoryFiles.in(
                RepositoryFiles.root().resolve("cmd/app/src/test/resources/field-files"), ".txtar")) {
            Path unpacked = Files.createDirectory(folder.resolve(archive.getFileName()));
            for (String block : Files.readString(archive).split("(?m)^(?=-- \\S+ --$)")) {
                Matcher name = Pattern.compile("-- (\\S+) --\n").matcher(block);
                if (name.lookingAt() && block.contains("\n$ validate " + name.group(1) + "\n")) {
                    Path file = unpacked.resolve(name.group(1));
                    Files.writeString(file, block.substring(name.end(), block.indexOf("\n$ ") + 1));
                    files.add(file);
                }
            }
        }
        files.removeIf(file -> run("validate", file.toString()).code() != 0);
        return files;
    }

    /** The configuration of a migration without the comment that names the release. */
    private static String output(Result result) throws IOException {
        return MAPPER.readTree(result.out()).path("configuration").asText().replaceFirst("(?m)^# Migrated from .*", "");
    }

    /** Verifies a migration against the demo cluster, with pods that use newer fields. */
    private static JsonNode verified(Path policy, int minor, Path newer) throws IOException {
        Path demo = RepositoryFiles.root().resolve("policy-files/demo");
        List<String> verify = new ArrayList<>(List.of(
                "--verify",
                demo.resolve("cluster.yaml").toString(),
                demo.resolve("workload.yaml").toString()));
        if (minor >= NEWER_FROM) {
            verify.add(newer.toString());
        }
        return MAPPER.readTree(
                migrate(policy, minor, verify.toArray(String[]::new)).out());
    }

    /** With {@code --fail-on loss}, the exit code says whether something is lost. */
    private static String exitCode(Path policy, int minor, JsonNode json) {
        boolean lost = false;
        for (JsonNode finding : json.path("findings")) {
            lost |= finding.path("fidelity").asText().equals("impossible");
        }
        int code = migrate(policy, minor, "--fail-on", "loss").code();
        return code == (lost ? 1 : 0) ? "" : "exit code " + code + " with" + (lost ? "" : "out") + " a loss";
    }

    private static List<Path> accepted(String folder) throws IOException {
        try (Stream<Path> files = Files.walk(RepositoryFiles.root().resolve(folder))) {
            return files.filter(file -> file.toString().matches(".*\\.(json|ya?ml)"))
                    .sorted()
                    .filter(file -> run("validate", file.toString()).code() == 0)
                    .toList();
        }
    }

    /**
     * Whether a reported loss can change which nodes are feasible; the other losses are scores. A filter for labels becomes NodeAffinity,
     * which also checks node selectors that the policy does not check (M010).
     */
    private static boolean losesFilter(JsonNode findings) {
        for (JsonNode finding : findings) {
            boolean lost = finding.path("fidelity").asText().equals("impossible");
            String code = finding.path("code").asText();
            boolean filter =
                    code.equals("M007") && finding.path("level").asText().equals("error");
            boolean more =
                    code.equals("M010") && !finding.path("level").asText().equals("info");
            if (more || (lost && (filter || !SCORES.contains(code)))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the report says that placements differ in special cases at most, so that the same nodes must be chosen. The demo cluster
     * has the case of M016, pods that fill a node beyond its capacity.
     */
    private static boolean isExact(JsonNode findings) {
        for (JsonNode finding : findings) {
            boolean overcommitted = finding.path("code").asText().equals("M016");
            if (overcommitted || !finding.path("level").asText().equals("info")) {
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
        Path newer = Files.writeString(folder.resolve("newer.yaml"), NEWER);
        List<String> wrong = new ArrayList<>();
        Set<Integer> verified = new TreeSet<>();
        int migrated = 0;
        int exact = 0;
        List<Path> policies = new ArrayList<>(accepted("policy-files/policies"));
        policies.addAll(accepted("policy-files/demo"));
        for (Path policy : policies) {
            Map<String, List<Integer>> outputs = new LinkedHashMap<>();
            for (int minor = FIRST; minor <= LAST; minor++) {
                int release = minor;
                Result result = migrate(policy, minor);
                if (result.err().contains("which needs no migration")) {
                    break;
                }
                assertTrue(result.code() <= 1, () -> policy + " for 1." + release + ": " + result.err());
                outputs.computeIfAbsent(output(result), each -> new ArrayList<>())
                        .add(minor);
            }
            migrated += outputs.isEmpty() ? 0 : 1;
            for (List<Integer> releases : outputs.values()) {
                int minor = releases.get(migrated % releases.size());
                verified.add(minor);
                JsonNode json = verified(policy, minor, newer);
                exact += isExact(json.path("findings")) ? 1 : 0;
                String fault = fault(json);
                if (!fault.isEmpty()) {
                    wrong.add(policy.getFileName() + " for 1." + minor + ": " + fault + ": "
                            + json.at("/verification/0"));
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(migrated > 20, String.valueOf(migrated));
        assertTrue(exact > 0, "no policy migrates without a difference");
        assertEquals(LAST - FIRST + 1, verified.size(), verified::toString);
    }

    /**
     * Every accepted file of the field, for each release with recordings: the output loads in this release, and it places the pods of
     * seeded snapshots as the file does, except for the losses that the migration reports. An output that several files become is
     * verified once per release.
     */
    @Test
    void everyAcceptedFileOfTheFieldMigrates(@TempDir Path folder) throws IOException {
        List<Path> files = archived(folder);
        files.addAll(accepted("cmd/app/src/test/resources/field-files"));
        List<String> wrong = new ArrayList<>();
        int reported = 0;
        for (int minor = NEWER_FROM; minor <= LAST; minor++) {
            // One snapshot per release, so that an output that is equal in all releases is verified with three.
            Path snapshot = Files.writeString(folder.resolve("snapshot.yaml"), snapshot(minor));
            Set<String> outputs = new TreeSet<>();
            for (Path policy : files) {
                Result result = migrate(policy, minor);
                boolean unavailable = result.err().contains("the policy is in the ConfigMap");
                if (result.err().contains("which needs no migration") || unavailable) {
                    continue;
                }
                String fault = result.code() > 1 ? result.err() : "";
                if (fault.isEmpty() && outputs.add(output(result).replaceAll("(?m) +#.*$", ""))) {
                    Path written = Files.writeString(folder.resolve("output.yaml"), output(result));
                    Result loaded = run("validate", written.toString(), "--release", "1." + minor);
                    JsonNode json = MAPPER.readTree(migrate(policy, minor, "--verify", snapshot.toString())
                            .out());
                    assertEquals(
                            PLACED + PENDING, json.at("/verification/0/pods").asInt(), policy::toString);
                    fault = (loaded.code() == 0 ? "" : loaded.out() + loaded.err())
                            + fault(json)
                            + unreported(json)
                            + exitCode(policy, minor, json);
                    reported += json.at("/verification/0/causes").size();
                }
                if (!fault.isEmpty()) {
                    wrong.add(policy.getFileName() + " for 1." + minor + ": " + fault);
                }
            }
            assertTrue(outputs.size() > 25, String.valueOf(outputs.size()));
        }
        assertEquals(List.of(), wrong);
        assertTrue(reported > 0, "no file migrates with a difference");
    }

    /** The causes of differences that the migration does not report; empty for none. */
    private static String unreported(JsonNode json) {
        StringBuilder causes = new StringBuilder();
        if (json.at("/verification/0/withoutCause").asInt() > 0) {
            causes.append("differences without a cause; ");
        }
        for (JsonNode cause : json.at("/verification/0/causes")) {
            List<String> words = List.of(cause.path("text").asText().split(" "));
            boolean isReported = false;
            for (JsonNode finding : json.path("findings")) {
                List<String> items = List.of(finding.path("item").asText().split(", "));
                isReported |= !finding.path("fidelity").asText().equals("exact") && items.contains(words.get(0));
            }
            causes.append(isReported ? "" : cause.path("text").asText() + "; ");
        }
        return causes.toString();
    }

    /** Nodes of two zones with labels and taints, placed pods, and pending pods with requests, selectors, and affinities. */
    private static String snapshot(long seed) {
        Random random = new Random(seed);
        List<String> objects = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            String taints = random.nextInt(4) == 0 ? "taints: [{key: dedicated, value: x, effect: NoSchedule}]" : "";
            objects.add("""
                    {apiVersion: v1, kind: Node, metadata: {name: n%d, labels: {kubernetes.io/hostname: n%d,
                     topology.kubernetes.io/zone: z%d, topology.kubernetes.io/region: r, disk: %s}}, spec: {%s},
                     status: {capacity: {cpu: "%d", memory: %dGi, pods: "20"},
                     allocatable: {cpu: "%d", memory: %dGi, pods: "20"}, conditions: [{type: Ready, status: "True"}]}}
                    """.formatted(
                            i, i, i % 2, random.nextBoolean() ? "ssd" : "hdd", taints, 4 + i, 8 + i, 4 + i, 8 + i));
        }
        for (int i = 0; i < PLACED; i++) {
            objects.add(pod("placed-" + i, random, "nodeName: n" + random.nextInt(NODES) + ", "));
        }
        for (int i = 0; i < PENDING; i++) {
            String selector = switch (random.nextInt(5)) {
                case 0 -> "nodeSelector: {disk: ssd}, ";
                case 1 -> "tolerations: [{key: dedicated, operator: Exists}], ";
                case 2 ->
                    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey:"
                            + " kubernetes.io/hostname, labelSelector: {matchLabels: {app: a0}}}]}}, ";
                case 3 ->
                    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
                            + " [{matchExpressions: [{key: disk, operator: In, values: [hdd]}]}]}}}, ";
                default -> "";
            };
            objects.add(pod("pending-" + i, random, selector));
        }
        return String.join("---\n", objects);
    }

    private static String pod(String name, Random random, String spec) {
        return """
                {apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, labels: {app: a%d}}, spec: {%s
                 containers: [{name: c, image: i, resources: {requests: {cpu: %dm, memory: %dMi}}}]}}
                """.formatted(
                        name, random.nextInt(3), spec, 100 * (1 + random.nextInt(9)), 128 * (1 + random.nextInt(9)));
    }
}
