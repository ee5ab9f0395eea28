package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Configurations.used;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugins and errors of kube-scheduler 1.34.1 for recorded configurations. */
class RecordedConfigurationsTest {
    /** The recordings are outside the repository; surefire runs in the module. */
    private static final Path GOLDEN = Path.of("..", "..", "..", "shared", "golden");

    /** The first and third contain only some extension points, and only those with plugins. */
    @ParameterizedTest
    @ValueSource(strings = {"modern/config.jsonl.gz", "seq/config.jsonl.gz", "seq/134-config.jsonl.gz"})
    void comesToTheSamePluginsOrTheSameError(String file) throws IOException {
        Path recordings = GOLDEN.resolve(file);
        assumeTrue(Files.exists(recordings), "no recordings beside the repository");
        Map<String, String> differences = new TreeMap<>();
        int scenarios = 0;
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(recordings)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode scenario = new ObjectMapper().readTree(line);
                String expected = expected(scenario.path("expected").path("modern"));
                String actual = actual(
                        scenario.path("config").toString(),
                        recordedPoints(scenario.path("expected").path("modern")));
                if (!expected.equals(actual)) {
                    differences.put(scenario.path("name").asText(), expected + " / " + actual);
                }
                scenarios++;
            }
        }
        assertFalse(scenarios == 0, "no scenarios in " + recordings);
        assertEquals(Map.of(), differences);
    }

    private static List<ExtensionPoint> recordedPoints(JsonNode outcome) {
        boolean all = outcome.path("plugins").has(ExtensionPoint.BIND.key());
        return all
                ? List.of(ExtensionPoint.values())
                : List.of(
                        ExtensionPoint.PRE_FILTER,
                        ExtensionPoint.FILTER,
                        ExtensionPoint.POST_FILTER,
                        ExtensionPoint.PRE_SCORE,
                        ExtensionPoint.SCORE,
                        ExtensionPoint.RESERVE);
    }

    private static String expected(JsonNode outcome) {
        if (outcome.has("configError")) {
            return outcome.path("configError").asText();
        }
        StringBuilder text = new StringBuilder();
        for (ExtensionPoint point : recordedPoints(outcome)) {
            JsonNode names = outcome.path("plugins").path(point.key());
            text.append(point.key())
                    .append(names.isEmpty() ? "" : names.toString())
                    .append('\n');
        }
        return text.toString();
    }

    private static String actual(String config, List<ExtensionPoint> points) {
        try {
            SchedulerConfiguration configuration = new ConfigurationReader(Release.V1_34).read(config, "recorded");
            new ConfigurationValidator().check(configuration);
            List<EffectivePlugins> profiles = new ArrayList<>();
            for (ProfileConfiguration profile : configuration.profiles()) {
                profiles.add(new PluginExpansion(InTreePlugins.of134()).expand(configuration, profile));
            }
            Map<ExtensionPoint, List<String>> used = used(profiles.get(0));
            StringBuilder text = new StringBuilder();
            for (ExtensionPoint point : points) {
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
