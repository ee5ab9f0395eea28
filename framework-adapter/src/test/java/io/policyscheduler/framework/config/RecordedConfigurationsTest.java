package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Configurations.used;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The plugins and errors that the real 1.34.1 came to for recorded configurations. */
class RecordedConfigurationsTest {
    /** The recordings lie beside the repository; surefire runs in the module. */
    private static final Path RECORDINGS = Path.of("..", "..", "shared", "golden", "modern", "config.jsonl.gz");

    private static final List<ExtensionPoint> RECORDED_POINTS = List.of(
            ExtensionPoint.PRE_FILTER,
            ExtensionPoint.FILTER,
            ExtensionPoint.POST_FILTER,
            ExtensionPoint.PRE_SCORE,
            ExtensionPoint.SCORE,
            ExtensionPoint.RESERVE);

    @Test
    void comesToTheSamePlugins() throws IOException {
        assumeTrue(Files.exists(RECORDINGS), "no recordings beside the repository");
        Map<String, String> differences = new TreeMap<>();
        int scenarios = 0;
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(RECORDINGS)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode scenario = new ObjectMapper().readTree(line);
                String expected = expected(scenario.path("expected").path("modern"));
                String actual = actual(scenario.path("config").toString());
                if (!expected.equals(actual)) {
                    differences.put(scenario.path("name").asText(), expected + " / " + actual);
                }
                scenarios++;
            }
        }
        assertFalse(scenarios == 0, "no scenarios in " + RECORDINGS);
        assertEquals(Map.of(), differences);
    }

    private static String expected(JsonNode outcome) {
        if (outcome.has("configError")) {
            return outcome.path("configError").asText();
        }
        StringBuilder text = new StringBuilder();
        for (ExtensionPoint point : RECORDED_POINTS) {
            text.append(point.key())
                    .append(outcome.path("plugins").path(point.key()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String actual(String config) {
        try {
            SchedulerConfiguration configuration = new ConfigurationReader().read(config, "recorded");
            new ConfigurationValidator().check(configuration);
            Map<ExtensionPoint, List<String>> used = used(new PluginExpansion(InTreePlugins.of134())
                    .expand(configuration, configuration.profiles().get(0)));
            StringBuilder text = new StringBuilder();
            for (ExtensionPoint point : RECORDED_POINTS) {
                text.append(point.key());
                if (used.containsKey(point)) {
                    text.append(new ObjectMapper().valueToTree(used.get(point)).toString());
                }
                text.append('\n');
            }
            return text.toString();
        } catch (ConfigurationException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
