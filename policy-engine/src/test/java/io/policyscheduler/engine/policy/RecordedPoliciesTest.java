package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.engine.algorithm.NamedAlgorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy.PolicyException;
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
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded policy gets the result, the messages, and the configuration of v1.17.17. */
class RecordedPoliciesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FILE = "tests/src/test/resources/golden/policies.jsonl.gz";

    record Recording(String name, JsonNode content) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Recording> recordings() throws IOException {
        Path fromModule = Path.of("..").resolve(FILE);
        Path file = Files.exists(fromModule) ? fromModule : Path.of(FILE);
        List<Recording> recordings = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode content = JSON.readTree(line);
                recordings.add(new Recording(content.path("name").asText(), content));
            }
        }
        assertTrue(recordings.size() > 10, () -> file + " has only " + recordings.size() + " recordings");
        return recordings.stream();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void isDecidedAsRecorded(Recording recording) {
        JsonNode legacy = recording.content().path("expected").path("legacy");
        JsonNode framework = recording.content().path("expected").path("framework");
        EffectivePolicy policy;
        try {
            policy = resolve(recording.content());
        } catch (PolicyException e) {
            assertAll(
                    () -> assertEquals(refusal(legacy), e.v117Message()),
                    () -> assertEquals(refusal(framework), e.v117Message()));
            return;
        }
        PluginTranslation plugins = PluginTranslation.of(policy);
        assertAll(
                () -> assertEquals("", legacy.path("configError").asText("")),
                () -> assertEquals(strings(legacy.path("predicates")), policy.predicateKeys()),
                () -> assertEquals(weights(legacy.path("priorities")), policy.priorities()),
                () -> assertEquals(crash(framework), plugins.startupFailure()));
        if (crash(framework) == null) {
            assertAll(
                    () -> assertEquals("", framework.path("configError").asText("")),
                    () -> assertEquals(strings(framework.path("plugins").path("filter")), plugins.filters()),
                    () -> assertEquals(strings(framework.path("plugins").path("score")), plugins.scoreList()),
                    () -> assertEquals(strings(framework.path("predicates")), plugins.rawPredicates()),
                    () -> assertEquals(config(framework), written(plugins.pluginConfig())));
        }
    }

    /** Without the excerpt of the text that the Go JSON library adds. */
    private static String refusal(JsonNode outcome) {
        return outcome.path("configError").asText("accepted").replaceFirst(", error found in #(?s:.*)", "");
    }

    private static EffectivePolicy resolve(JsonNode content) throws PolicyException {
        FeatureGates gates = FeatureGates.defaults();
        for (Map.Entry<String, JsonNode> gate : content.path("featureGates").properties()) {
            gates = gates.with(gate.getKey(), gate.getValue().asBoolean());
        }
        int flag = content.path("hardPodAffinitySymmetricWeight").asInt(1);
        PolicyResolver resolver = new PolicyResolver(gates, flag, true, NamedAlgorithms.ofV117());
        if (content.has("provider")) {
            return resolver.resolveProvider(content.path("provider").asText());
        }
        String text = content.has("policyText")
                ? content.path("policyText").asText()
                : content.path("policy").toString();
        return resolver.resolve(resolver.reader().read(text, "policy.cfg"));
    }

    private static @Nullable String crash(JsonNode outcome) {
        return outcome.has("crash") ? outcome.path("crash").asText() : null;
    }

    private static List<String> strings(JsonNode list) {
        List<String> values = new ArrayList<>();
        list.forEach(value -> values.add(value.asText()));
        return values;
    }

    private static Map<String, Long> weights(JsonNode object) {
        Map<String, Long> weights = new TreeMap<>();
        object.properties()
                .forEach(
                        weight -> weights.put(weight.getKey(), weight.getValue().asLong()));
        return weights;
    }

    private static JsonNode config(JsonNode outcome) {
        JsonNode config = outcome.path("pluginConfig");
        return config.isMissingNode() ? JSON.createObjectNode() : config;
    }

    /** Written and read again, so that numbers have the types of the recording. */
    private static JsonNode written(Object value) throws IOException {
        return JSON.readTree(JSON.writeValueAsString(value));
    }
}
