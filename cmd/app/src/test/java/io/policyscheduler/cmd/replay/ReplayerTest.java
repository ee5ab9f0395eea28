package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayerTest {
    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                          | no outcome recorded for this mode",
                "{'expected': {}}                            | no outcome recorded for this mode",
                "{'expected': {'framework': {}}}             | no outcome recorded for this mode",
                "{'expected': {'legacy': {}}}                |",
                "{'expected': {'legacy': {'pods': []}}}      |",
                "{'expected': {'legacy': {'crash': 'nil'}}}  | v1.17 died",
            })
    void whatIsNotCompared(String scenario, @Nullable String reason) throws IOException {
        assertEquals(reason, Replayer.excepted(json(scenario), ReplayMode.FUNCTIONS));
    }

    /** This program contains every algorithm of v1.17; an unknown name is rejected, which is an outcome. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'cluster': []}",
                "{'provider': 'DefaultProvider'}",
                "{'policy': {'kind': 'Policy', 'apiVersion': 'v1', 'predicates': [{'name': 'PodFitsResources'}]}}",
                "{'policy': {'kind': 'Policy', 'apiVersion': 'v1', 'predicates': [{'name': 'MyFilter'}]}}",
            })
    void noAlgorithmIsMissing(String scenario) throws IOException {
        assertEquals(Set.of(), new Replayer(ReplayRules.STRICT).missing(json(scenario)));
    }

    @ParameterizedTest
    @EnumSource(
            value = ReplayMode.class,
            names = {"FUNCTIONS", "FRAMEWORK"})
    void podsAreDecidedInTheirOrder(ReplayMode mode) throws IOException {
        JsonNode outcome = new Replayer(ReplayRules.STRICT)
                .replay(
                        json(
                                "{'policy': {'kind': 'Policy', 'apiVersion': 'v1', 'predicates': [{'name': 'PodFitsResources'}],"
                                        + " 'priorities': []}, 'cluster': [{'kind': 'Node', 'metadata': {'name': 'n'}, 'status':"
                                        + " {'allocatable': {'cpu': '1', 'memory': '1Gi', 'pods': '1'}}}], 'pending': ["
                                        + "{'kind': 'Pod', 'metadata': {'name': 'a', 'namespace': 'd', 'uid': '1'}, 'spec': {}},"
                                        + "{'kind': 'Pod', 'metadata': {'name': 'b', 'namespace': 'd', 'uid': '2'}, 'spec': {}}]}"),
                        mode);
        assertEquals(List.of("d/a", "d/b"), outcome.path("pods").findValuesAsText("pod"));
        assertEquals(json("['n']"), outcome.at("/pods/0/best"));
        assertEquals(
                "0/1 nodes are available: 1 Insufficient pods.",
                outcome.at("/pods/1/error").asText());
    }

    @Test
    void withoutAPolicyThereIsNothingToDecideBy() {
        assertEquals(
                "no policy, policyText or provider; --provider gives one, and mode modern needs none",
                assertThrows(
                                IOException.class,
                                () -> new Replayer(ReplayRules.STRICT)
                                        .replay(json("{'cluster': []}"), ReplayMode.FUNCTIONS))
                        .getMessage());
    }
}
