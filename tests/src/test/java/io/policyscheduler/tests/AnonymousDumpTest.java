package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * By an anonymous dump pods are decided as by the plain one, under other names. {@code -Dworlds=N} tries more, {@code -Dseed=...} one
 * world only.
 */
class AnonymousDumpTest {
    private static final int WORLDS = 60;
    private static final ObjectMapper JSON = new ObjectMapper();
    /** What the random manifests call their objects. */
    private static final List<String> SECRETS = List.of(
            "\"prod\"", "\"web\"", "\"front\"", "\"claim-", "nginx", "\"gvisor\"", "\"n1\"", "\"p1\"", "\"za\"");

    @Test
    void podsAreDecidedAsBefore(@TempDir Path folder) throws IOException {
        Long only = Long.getLong("seed");
        long last = only == null ? Integer.getInteger("worlds", WORLDS) : only;
        int placed = 0;
        for (long seed = only == null ? 1 : only; seed <= last; seed++) {
            Path plain = folder.resolve("plain.json");
            Path anonymous = folder.resolve("anonymous.json");
            ReleaseProfile release = seed % 4 == 0 ? ReleaseProfile.V1_17 : ReleaseProfile.MODERN;
            dump(seed, release, folder.resolve("kubeconfig"), plain, anonymous);
            String text = Files.readString(anonymous);
            for (String secret : SECRETS) {
                assertTrue(!text.contains(secret), "-Dseed=" + seed + " tells " + secret);
            }
            String decider = seed % 2 == 0 ? "provider:DefaultProvider" : "modern";
            assertEquals(simulate(plain, release, decider), simulate(anonymous, release, decider), "-Dseed=" + seed);
            placed += simulate(plain, release, decider).size();
        }
        assertTrue(only != null || placed > WORLDS, placed + " pods");
    }

    private static void run(String... args) {
        StringWriter err = new StringWriter();
        int code = Main.run(args, new StringWriter(), err);
        assertEquals(0, code, err::toString);
    }

    private static void dump(long seed, ReleaseProfile release, Path kubeconfig, Path plain, Path anonymous)
            throws IOException {
        List<Map<String, Object>> manifests =
                new RandomManifests(new Dice(seed), release == ReleaseProfile.MODERN).world();
        // Devices and claims are left out, and that is told.
        manifests.forEach(manifest -> {
            if (manifest.get("spec") instanceof Map<?, ?> spec) {
                spec.remove("resourceClaims");
            }
        });
        try (EmbeddedCluster cluster = EmbeddedCluster.builder()
                .release(release)
                .clock(Clock.fixed(Instant.parse("2026-03-01T12:00:00Z"), ZoneOffset.UTC))
                .random(new Random(seed))
                .kubeletPeriod(Duration.ZERO)
                .controllers(true)
                .start()) {
            cluster.startControllers();
            for (Map<String, Object> manifest : manifests) {
                cluster.load(JSON.valueToTree(manifest));
            }
            cluster.tick();
            cluster.writeKubeconfig(kubeconfig);
            String config = kubeconfig.toString();
            run("dump", "--kubeconfig", config, "--output-file", plain.toString());
            run("dump", "--kubeconfig", config, "--output-file", anonymous.toString(), "--anonymize");
        }
    }

    /** What came of each pod, with nodes by their place in the order of names instead of by name. */
    private static List<String> simulate(Path file, ReleaseProfile release, String decider) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String number = release.release().toString();
        List<String> command = Arrays.asList(
                "simulate",
                "--decider",
                decider,
                "--cluster",
                file.toString(),
                "-o",
                "json",
                "--details",
                "--release",
                number,
                "--tie-break",
                "first");
        int code = Main.run(command.toArray(String[]::new), out, err);
        assertTrue(code <= 1, () -> code + ": " + err);
        List<String> nodes = new ArrayList<>();
        for (JsonNode item : JSON.readTree(file.toFile()).path("items")) {
            if (item.path("kind").asText().equals("Node")) {
                nodes.add(item.path("metadata").path("name").asText());
            }
        }
        nodes.sort(String::compareTo);
        List<String> outcomes = new ArrayList<>();
        for (JsonNode pod : JSON.readTree(out.toString()).path("pods")) {
            ObjectNode told = pod.deepCopy();
            told.remove("pod");
            String text = told.toString();
            for (int i = 0; i < nodes.size(); i++) {
                text = text.replace("\"" + nodes.get(i) + "\"", "\"node " + i + "\"");
            }
            outcomes.add(text.replaceAll("pod \\\\\"[^\\\\]*\\\\\"", "pod"));
        }
        return outcomes;
    }
}
