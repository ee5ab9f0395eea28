package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The demo on an embedded cluster of each supported release: dump, simulate, compare, and migrate. */
class EveryReleaseTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path DEMO = RepositoryFiles.root().resolve("policy-files/demo");
    private static final Path POLICY = DEMO.resolve("policy.json");
    /** 1.18 is not a target of migrate, which says what to do. */
    private static final String OF_1_18 = "error: --to, --release: a policy cannot be migrated to v1alpha2";

    private record Ended(int code, String out, String err) {
        /** The standard output, if the command ended with a code and without a warning about a release. */
        String accepted(int expected) {
            assertEquals(expected, code, err);
            for (String warning : List.of("W301", "W302", "W303", "assumed Kubernetes")) {
                assertFalse(err.contains(warning), err);
            }
            return out;
        }

        JsonNode json(int expected) throws IOException {
            return JSON.readTree(accepted(expected));
        }
    }

    private static Ended run(Object... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] words = Stream.of(args).map(String::valueOf).toArray(String[]::new);
        int code = Main.run(words, new PrintWriter(out), new PrintWriter(err));
        return new Ended(code, out.toString(), err.toString());
    }

    private static List<ObjectNode> objects(String file) throws IOException {
        List<ObjectNode> objects = new ArrayList<>();
        try (MappingIterator<ObjectNode> all =
                YAML.readerFor(ObjectNode.class).readValues(DEMO.resolve(file).toFile())) {
            all.forEachRemaining(objects::add);
        }
        return objects;
    }

    static Stream<Release> releases() {
        return IntStream.rangeClosed(18, Release.NEWEST.minor()).mapToObj(Release::new);
    }

    @ParameterizedTest
    @MethodSource("releases")
    void theDemoIsDecidedAndMigrated(Release release, @TempDir Path folder) throws IOException {
        Path dump = folder.resolve("dump.json");
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(release).start()) {
            for (String file : List.of("cluster.yaml", "workload.yaml")) {
                objects(file).forEach(cluster::load);
            }
            Path kubeconfig = folder.resolve("kubeconfig");
            cluster.writeKubeconfig(kubeconfig);
            run("dump", "--kubeconfig", kubeconfig, "--output-file", dump).accepted(0);
        }
        String version = JSON.readTree(dump.toFile()).path("serverVersion").asText();
        assertTrue(version.startsWith("v" + release + "."), version);

        assertEquals("37 placed, 4 unschedulable", simulated("policy:" + POLICY, dump));
        assertEquals("38 placed, 3 unschedulable", simulated("modern@" + release, dump));
        run("compare", "policy:" + POLICY, "modern@" + release, "--cluster", dump, "-o", "json")
                .json(1);
        Ended migrated = run(
                "migrate",
                POLICY,
                "--to",
                ConfigVersion.usual(release).version(),
                "--release",
                release,
                "--verify",
                dump);
        if (release.minor() == 18) {
            assertEquals(2, migrated.code());
            assertTrue(migrated.err().startsWith(OF_1_18), migrated.err());
            return;
        }
        String configuration = migrated.accepted(0);
        assertTrue(configuration.contains(ConfigVersion.usual(release).apiVersion()), configuration);
    }

    private static String simulated(String scheduler, Path dump) throws IOException {
        JsonNode report = run("simulate", "--scheduler", scheduler, "--cluster", dump, "-o", "json")
                .json(1);
        return report.path("placed").asInt() + " placed, "
                + report.path("unschedulable").asInt() + " unschedulable";
    }
}
