package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Manifests are decided as an API server would store them: {@code simulate} reports the same for random manifests as for a dump of a cluster in which
 * they were created over HTTP. {@code -Dsnapshots=N} tries more, {@code -Dseed=...} only one.
 */
class CreatedManifestsTest {
    private static final int SNAPSHOTS = 20;
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final Pattern LEFT_OUT = Pattern.compile("W152 an API server would reject (.*)");
    /** Status codes of rejected objects: forbidden and invalid. */
    private static final Set<Integer> REFUSED = Set.of(403, 422);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void manifestsAreDecidedAsTheyWouldBeStored(@TempDir Path folder) throws IOException, InterruptedException {
        Long only = Long.getLong("seed");
        long last = only == null ? Integer.getInteger("snapshots", SNAPSHOTS) : only;
        int placed = 0;
        int failed = 0;
        int refusals = 0;
        for (long seed = only == null ? 1 : only; seed <= last; seed++) {
            Release release = seed % 4 == 0 ? Release.V1_17 : Release.V1_34;
            List<Map<String, Object>> manifests =
                    new RandomManifests(new RandomValues(seed), release.equals(Release.V1_34)).snapshot();
            Path written = write(folder.resolve("written.json"), JSON.valueToTree(manifests));
            Set<String> refused = new TreeSet<>();
            Path stored = write(folder.resolve("stored.json"), dump(seed, release, manifests, refused));
            String decider = release.equals(Release.V1_17) || seed % 4 == 1 ? "provider:DefaultProvider" : "modern";
            Set<String> leftOut = new TreeSet<>();
            JsonNode ofManifests = simulate(written, release, decider, leftOut);
            JsonNode ofDump = simulate(stored, release, decider, new TreeSet<>());
            String message = "-Dseed=" + seed + " " + decider + ", rejected: " + refused;
            assertEquals(ofDump.path("pods").size(), ofManifests.path("pods").size(), message);
            for (int i = 0; i < ofDump.path("pods").size(); i++) {
                assertEquals(
                        withoutChance(ofDump.path("pods").get(i)),
                        withoutChance(ofManifests.path("pods").get(i)),
                        message);
            }
            assertEquals(refused, leftOut, message);
            refusals += refused.size();
            placed += ofDump.path("placed").asInt();
            failed += ofDump.path("unschedulable").asInt();
        }
        assertTrue(
                only != null || (placed > SNAPSHOTS && failed > SNAPSHOTS && refusals > SNAPSHOTS),
                placed + " placed, " + failed + " not, " + refusals + " refused");
    }

    /** The suffixes of generated claim names are random. */
    private static String withoutChance(JsonNode pod) {
        return pod.toPrettyString().replaceAll("(-e[12]-)[b-z2-9]{5}\\b", "$1");
    }

    private static Path write(Path file, JsonNode tree) throws IOException {
        return Files.write(file, JSON.writeValueAsBytes(tree));
    }

    /** @param leftOut receives the objects that {@code simulate} expects an API server to reject, with the reason */
    private static JsonNode simulate(Path file, Release release, String decider, Set<String> leftOut)
            throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(
                new String[] {
                    "simulate",
                    "--decider",
                    decider,
                    "--cluster",
                    file.toString(),
                    "--details",
                    "-o",
                    "json",
                    "--release",
                    release.toString()
                },
                out,
                err);
        assertTrue(code <= 1, () -> code + ": " + err);
        LEFT_OUT.matcher(err.toString()).results().forEach(found -> leftOut.add(found.group(1)));
        return JSON.readTree(out.toString());
    }

    /**
     * Returns the output of {@code kubectl get} after the manifests were created.
     *
     * @param refused receives the objects that the server rejects, with the reason
     */
    private JsonNode dump(long seed, Release release, List<Map<String, Object>> manifests, Set<String> refused)
            throws IOException, InterruptedException {
        ArrayNode items = JSON.createArrayNode();
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .release(release)
                .clock(Clock.fixed(NOW, ZoneOffset.UTC))
                .random(new Random(seed))
                .kubeletPeriod(Duration.ZERO)
                .controllers(true)
                .bindsVolumes(false)
                .start()) {
            cluster.startControllers();
            for (Map<String, Object> manifest : manifests) {
                create(cluster, JSON.valueToTree(manifest), refused);
            }
            cluster.tick();
            for (ResourceType type : cluster.catalog().types()) {
                for (JsonNode object : cluster.list(type.qualifiedName())) {
                    ObjectNode item = object.deepCopy();
                    item.put("kind", type.kind());
                    items.add(item);
                }
            }
        }
        return items;
    }

    private void create(EmbeddedControlPlane cluster, ObjectNode manifest, Set<String> refused)
            throws IOException, InterruptedException {
        ResourceType type = cluster.catalog()
                .ofManifest(
                        manifest.path("apiVersion").asText(),
                        manifest.path("kind").asText())
                .orElseThrow();
        String group = type.group().isEmpty() ? "/api/" : "/apis/" + type.group() + "/";
        String namespace = manifest.path("metadata").path("namespace").asText();
        String path = group + type.versions().get(0) + (type.namespaced() ? "/namespaces/" + namespace : "") + "/"
                + type.plural();
        HttpRequest request = HttpRequest.newBuilder(URI.create(cluster.url() + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(manifest.toString()))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (REFUSED.contains(answer.statusCode())) {
            String why = JSON.readTree(answer.body()).path("message").asText();
            refused.add(type.kind() + " " + namespace + "/"
                    + manifest.path("metadata").path("name").asText()
                    + why.substring(why.indexOf(": ")));
        } else {
            assertEquals(2, answer.statusCode() / 100, () -> manifest + ": " + answer.body());
        }
    }
}
