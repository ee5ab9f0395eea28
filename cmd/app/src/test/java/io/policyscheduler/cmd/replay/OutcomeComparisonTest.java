package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutcomeComparisonTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static JsonNode json(String text) throws IOException {
        return MAPPER.readTree(text.replace('\'', '"'));
    }

    private static Arguments same(String recorded, String here) {
        return Arguments.of(recorded, here, List.of());
    }

    private static Arguments differ(String recorded, String here, String... lines) {
        return Arguments.of(recorded, here, List.of(lines));
    }

    static Stream<Arguments> outcomes() {
        String strict = "strict decoder error for {}: v1.Policy.ReadObject: found unknown field: ";
        return Stream.of(
                same("{}", "{}"),
                same("{'a': [1, {'b': null}]}", "{'a': [1, {'b': null}]}"),
                same("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
                same("{'a': 1.0}", "{'a': 1}"),
                differ("{'a': 1}", "{'a': 2}", "a: recorded 1, here 2"),
                differ("{'a': 1}", "{'a': '1'}", "a: recorded 1, here \"1\""),
                differ("{'a': 1}", "{}", "a: recorded 1, here nothing"),
                differ("{}", "{'a': []}", "a: recorded nothing, here []"),
                differ("{'a': null}", "{}", "a: recorded null, here nothing"),
                differ("{'a': {}}", "{'a': []}", "a: recorded {}, here []"),
                // Lists of different lengths are not matched element by element.
                differ("{'a': [1, 2]}", "{'a': [1]}", "a: recorded [1,2], here [1]"),
                differ(
                        "{'a': ['x', 'y']}",
                        "{'a': ['y', 'x']}",
                        "a[0]: recorded \"x\", here \"y\"",
                        "a[1]: recorded \"y\", here \"x\""),
                differ(
                        "{'c': {'d': [{'e': 1}]}, 'a': true}",
                        "{'c': {'d': [{'e': 2}]}, 'a': false}",
                        "a: recorded true, here false",
                        "c.d[0].e: recorded 1, here 2"),
                // Errors: any one of several that were recorded, and without what Go's JSON library adds.
                same("{'error': 'one | two'}", "{'error': 'two'}"),
                same("{'error': 'one | two'}", "{'error': 'one | two'}"),
                differ("{'error': 'one | two'}", "{'error': 'three'}", "error: recorded \"one | two\", here \"three\""),
                differ("{'reason': 'one | two'}", "{'reason': 'two'}", "reason: recorded \"one | two\", here \"two\""),
                same(
                        "{'configError': 'bad, error found in #10 byte of ...|x|..., bigger context'}",
                        "{'configError': 'bad'}"),
                differ("{'error': 'bad'}", "{}", "error: recorded \"bad\", here nothing"),
                same("{'configError': '" + strict + "a, found x'}", "{'configError': '" + strict + "b, found x'}"),
                differ(
                        "{'configError': '" + strict + "a'}",
                        "{'configError': 'strict decoder error for {}: else'}",
                        "configError: recorded \"" + strict + "a\", here \"strict decoder error for {}: else\""),
                // Random choices are not recorded.
                same("{'pods': [{'pod': 'p'}]}", "{'pods': [{'pod': 'p', 'preemption': {'eligible': true}}]}"),
                differ(
                        "{'pods': [{'preemption': {'eligible': true}}]}",
                        "{'pods': [{}]}",
                        "pods[0].preemption: recorded {\"eligible\":true}, here nothing"),
                differ(
                        "{'pods': [{'preemption': {'eligible': true}}]}",
                        "{'pods': [{'preemption': {'eligible': false}}]}",
                        "pods[0].preemption.eligible: recorded true, here false"));
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    void eachDifferenceIsALine(String recorded, String here, List<String> lines) throws IOException {
        for (ReplayMode mode : ReplayMode.values()) {
            JsonNode scenario = json("{'expected': {'" + mode.key() + "': " + recorded + "}}");
            assertEquals(lines, OutcomeComparison.differences(scenario, mode, json(here)), mode.key());
        }
    }

    /** v1.17 ignored the field in plugins; we honor it, so that the functions' outcome is expected. */
    @ParameterizedTest
    @MethodSource("checkAll")
    void whereAllPredicatesAreCheckedTheFunctionsFailuresCount(String policy, List<String> lines) throws IOException {
        JsonNode scenario = json(
                "{" + policy + "'expected': {"
                        + "'legacy': {'pods': [{'pod': 'p', 'error': 'all', 'failures': {'n': ['a', 'b']}}]},"
                        + "'framework': {'pods': [{'pod': 'p', 'error': 'first', 'failures': {'n': ['a']}, 'preemption': {}}]}}}");
        JsonNode here = json("{'pods': [{'pod': 'p', 'error': 'all', 'failures': {'n': ['a', 'b']}}]}");
        assertEquals(lines, OutcomeComparison.differences(scenario, ReplayMode.FRAMEWORK, here));
    }

    static Stream<Arguments> checkAll() {
        List<String> differing = List.of(
                "pods[0].error: recorded \"first\", here \"all\"",
                "pods[0].failures.n: recorded [\"a\"], here [\"a\",\"b\"]",
                "pods[0].preemption: recorded {}, here nothing");
        return Stream.of(
                Arguments.of("'policy': {'alwaysCheckAllPredicates': true},", List.of()),
                Arguments.of(
                        "'policyText': '{ \\'alwaysCheckAllPredicates\\': true }',".replace("\\'", "\\\""), List.of()),
                Arguments.of("'policy': {'alwaysCheckAllPredicates': false},", differing),
                Arguments.of("", differing));
    }

    /** Only plugins, which stop earlier, place this pod; later pods see different clusters. */
    @Test
    void whereCheckingAllFailsTheFunctionsAreRight() throws IOException {
        String functions =
                "{'pods': [{'pod': 'a', 'error': 'gone', 'scores': {'P': {'n': 1}}}, {'pod': 'b', 'bound': 'n'}]}";
        JsonNode scenario = json("{'policy': {'alwaysCheckAllPredicates': true}, 'expected': {'legacy': " + functions
                + ", 'framework': {'plugins': [], 'pods': [{'pod': 'a', 'bound': 'n', 'feasible': ['n']},"
                + " {'pod': 'b', 'bound': 'm'}]}}}");
        assertEquals(
                List.of(),
                OutcomeComparison.differences(
                        scenario,
                        ReplayMode.FRAMEWORK,
                        json("{'plugins': [], 'pods': [{'pod': 'a', 'error': 'gone'},"
                                + " {'pod': 'b', 'bound': 'n', 'totals': {'n': 3}}]}")));
        assertEquals(
                List.of("pods[1].bound: recorded \"n\", here \"m\""),
                OutcomeComparison.differences(
                        scenario,
                        ReplayMode.FRAMEWORK,
                        json("{'plugins': [], 'pods': [{'pod': 'a', 'error': 'gone'}, {'pod': 'b', 'bound': 'm'}]}")));
    }

    @Test
    void theRecordingStaysAsItIs() throws IOException {
        String text =
                "{'policy': {'alwaysCheckAllPredicates': true}, 'expected': {'legacy': {'pods': [{'error': 'all'}]},"
                        + " 'framework': {'pods': [{'error': 'first'}]}}}";
        JsonNode scenario = json(text);
        OutcomeComparison.differences(scenario, ReplayMode.FRAMEWORK, json("{'pods': [{}]}"));
        assertEquals(json(text), scenario);
    }

    @Test
    void longValuesAreCut() throws IOException {
        JsonNode scenario =
                json("{'expected': {'legacy': {'a': '" + "x".repeat(299) + "', 'b': '" + "x".repeat(298) + "'}}}");
        assertEquals(
                List.of(
                        "a: recorded \"" + "x".repeat(299) + "..., here nothing",
                        "b: recorded \"" + "x".repeat(298) + "\", here nothing"),
                OutcomeComparison.differences(scenario, ReplayMode.FUNCTIONS, json("{}")));
    }
}
