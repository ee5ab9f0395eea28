package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods of an anonymized dump are decided like those of the original dump; only names differ. {@code -Dsnapshots=N} tries more snapshots, {@code
 * -Dseed=...} only one.
 */
class AnonymousDumpTest {
    private static final int SNAPSHOTS = 12;
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Prefixes of the names that the random manifests use. */
    private static final List<String> SECRETS = List.of(
            "\"prod\"",
            "\"web\"",
            "\"front\"",
            "\"claim-",
            "nginx",
            "\"gvisor\"",
            "\"n1\"",
            "\"p1\"",
            "\"za\"",
            "\"big\"",
            "\"d1\"",
            "\"e1\"",
            "\"shared\"",
            "\"fab\"",
            "\"fast\"");

    private static final Pattern OTHER_NAME = Pattern.compile("x\\d{6}");

    @Test
    void podsAreDecidedAsBefore(@TempDir Path folder) throws IOException {
        Long only = Long.getLong("seed");
        long last = only == null ? Integer.getInteger("snapshots", SNAPSHOTS) : only;
        int placed = 0;
        for (long seed = only == null ? 1 : only; seed <= last; seed++) {
            Path plain = folder.resolve("plain.json");
            Path anonymous = folder.resolve("anonymous.json");
            Path partial = folder.resolve("partial.json");
            Release release = seed % 4 == 0 ? Release.V1_17 : Release.V1_34;
            dump(seed, release, folder.resolve("kubeconfig"), plain, anonymous, partial);
            String text = Files.readString(anonymous);
            for (String secret : SECRETS) {
                assertTrue(!text.contains(secret), "-Dseed=" + seed + " tells " + secret);
            }
            String expected = simulate(plain, release, decider(seed));
            assertEquals(
                    expected,
                    withMeanings(simulate(anonymous, release, decider(seed)), meanings(plain, anonymous)),
                    "-Dseed=" + seed);
            assertEquals(expected, simulate(partial, release, decider(seed)), "-Dseed=" + seed);
            placed += JSON.readTree(expected).size();
        }
        assertTrue(only != null || placed > SNAPSHOTS, placed + " pods");
    }

    private static void run(String... args) {
        StringWriter err = new StringWriter();
        int code = Main.run(args, new StringWriter(), err);
        assertEquals(0, code, err::toString);
    }

    private static void dump(long seed, Release release, Path kubeconfig, Path plain, Path anonymous, Path partial)
            throws IOException {
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .release(release)
                .clock(Clock.fixed(Instant.parse("2026-03-01T12:00:00Z"), ZoneOffset.UTC))
                .random(new Random(seed))
                .kubeletPeriod(Duration.ZERO)
                .controllers(true)
                .start()) {
            cluster.startControllers();
            for (JsonNode manifest : manifests(seed, release)) {
                load(cluster, manifest);
            }
            cluster.tick();
            cluster.writeKubeconfig(kubeconfig);
            String config = kubeconfig.toString();
            run("dump", "--kubeconfig", config, "--output-file", plain.toString());
            run("dump", "--kubeconfig", config, "--output-file", anonymous.toString(), "--anonymize");
            run("dump", "--kubeconfig", config, "--output-file", partial.toString(), "--for", decider(seed));
        }
    }

    /** Some manifests are rejected; other tests check those. */
    private static void load(EmbeddedControlPlane cluster, JsonNode manifest) {
        try {
            cluster.load(manifest);
        } catch (StatusError e) {
            String why = String.valueOf(e.getMessage());
            assertTrue(why.contains("is invalid") || why.contains("is forbidden"), why);
        }
    }

    /** Every third snapshot has devices and claims. */
    private static List<JsonNode> manifests(long seed, Release release) {
        List<JsonNode> manifests = new ArrayList<>();
        if (seed % 3 == 0 && release.equals(Release.V1_34)) {
            ObjectNode input = DeviceCluster.scenario(seed);
            input.path("cluster").forEach(manifests::add);
            for (JsonNode pod : input.path("pending")) {
                // An API server rejects a container without an image.
                pod.path("spec").path("containers").forEach(container -> ((ObjectNode) container).put("image", "x"));
                manifests.add(pod);
            }
            return manifests;
        }
        new RandomManifests(new RandomValues(seed), release.equals(Release.V1_34))
                .snapshot()
                .forEach(manifest -> manifests.add(JSON.valueToTree(manifest)));
        return manifests;
    }

    private static String decider(long seed) {
        return seed % 2 == 0 ? "provider:DefaultProvider" : "modern";
    }

    /** Returns the result of each pod. */
    private static String simulate(Path file, Release release, String decider) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(
                new String[] {
                    "simulate",
                    "--decider",
                    decider,
                    "--cluster",
                    file.toString(),
                    "-o",
                    "json",
                    "--details",
                    "--release",
                    release.toString(),
                    "--tie-break",
                    "first"
                },
                out,
                err);
        assertTrue(code <= 1, () -> code + ": " + err);
        return JSON.readTree(out.toString()).path("pods").toPrettyString();
    }

    /** Maps each anonymous name to the original one, by its place in the document. */
    private static Map<String, String> meanings(Path plain, Path anonymous) throws IOException {
        Map<String, String> meanings = new TreeMap<>();
        meanings(JSON.readTree(plain.toFile()), JSON.readTree(anonymous.toFile()), meanings);
        return meanings;
    }

    private static void meanings(JsonNode plain, JsonNode anonymous, Map<String, String> meanings) {
        if (anonymous.isTextual() && OTHER_NAME.matcher(anonymous.asText()).matches()) {
            meanings.put(anonymous.asText(), plain.asText());
        }
        for (int i = 0; anonymous.isArray() && i < anonymous.size(); i++) {
            meanings(plain.path(i), anonymous.path(i), meanings);
        }
        anonymous.properties().forEach(field -> meanings(plain.path(field.getKey()), field.getValue(), meanings));
    }

    private static String withMeanings(String text, Map<String, String> meanings) {
        return OTHER_NAME
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(meanings.getOrDefault(found.group(), found.group())));
    }
}
