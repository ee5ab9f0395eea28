package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.reader.AffinityReader.SelectorReader;
import io.policyscheduler.engine.reader.ObjectReader.InternCache;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SelectorReaderTest {
    private static JsonCursor cursor(JsonParser parser) {
        return new JsonCursor(parser, new InternCache<>(16), new InternCache<>(16), Arithmetic.SATURATING);
    }

    static Stream<Arguments> labelSelectors() {
        return Stream.of(
                arguments("{}", LabelSelector.EVERYTHING),
                arguments("{'matchLabels': null, 'matchExpressions': null}", LabelSelector.EVERYTHING),
                arguments("{'matchLabels': {}, 'matchExpressions': []}", LabelSelector.EVERYTHING),
                arguments(
                        "{'matchExpressions': [{'key': 'k', 'operator': 'In', 'values': ['b', 'a']},"
                                + "{'key': 'l', 'operator': 'DoesNotExist', 'values': null}],"
                                + "'matchLabels': {'z': '1', 'y': null}}",
                        LabelSelector.of(
                                Labels.of("y", "", "z", "1"),
                                List.of(
                                        LabelRequirement.ofLabelSelector("k", "In", List.of("b", "a")),
                                        LabelRequirement.ofLabelSelector("l", "DoesNotExist", List.of())))),
                // What is not valid is kept with its reason; Gt is for nodes only.
                arguments(
                        "{'matchExpressions': [{}, {'key': 'k', 'operator': 'Gt', 'values': ['1']}]}",
                        LabelSelector.of(
                                Labels.EMPTY,
                                List.of(
                                        LabelRequirement.ofLabelSelector("", "", List.of()),
                                        LabelRequirement.ofLabelSelector("k", "Gt", List.of("1"))))));
    }

    @ParameterizedTest
    @MethodSource("labelSelectors")
    void labelSelector(String text, LabelSelector expected) throws IOException {
        try (JsonParser parser = Reading.parser(text)) {
            assertEquals(expected, SelectorReader.labelSelector(cursor(parser)));
        }
    }

    @Test
    void nodeSelector() throws IOException {
        String text = "{'nodeSelectorTerms': [{'matchExpressions': [{'key': 'k', 'operator': 'Lt', 'values': ['3']}]},"
                + "null, {'matchFields': [{'key': 'metadata.name', 'operator': 'NotIn', 'values': ['n']}]}, {}]}";
        try (JsonParser parser = Reading.parser(text)) {
            assertEquals(
                    List.of(
                            new NodeSelectorTerm(
                                    List.of(LabelRequirement.ofNodeSelector("k", "Lt", List.of("3"))), List.of()),
                            new NodeSelectorTerm(
                                    List.of(),
                                    List.of(LabelRequirement.ofNodeSelector("metadata.name", "NotIn", List.of("n")))),
                            new NodeSelectorTerm(List.of(), List.of())),
                    SelectorReader.nodeSelector(cursor(parser)));
        }
    }

    @Test
    void topologyTermsMeanIn() throws IOException {
        String text = "{'matchLabelExpressions': [{'key': 'zone', 'values': ['a', 'b']}, {'key': 'host'}]}";
        try (JsonParser parser = Reading.parser(text)) {
            assertEquals(
                    List.of(
                            LabelRequirement.ofNodeSelector("zone", "In", List.of("a", "b")),
                            LabelRequirement.ofNodeSelector("host", "In", List.of())),
                    SelectorReader.topologyTerm(cursor(parser)));
        }
    }

    @Test
    void wrongTypesAreNamedWithTheirPlace() throws IOException {
        try (JsonParser parser = Reading.parser("{'matchExpressions': [{'key': 'a'}, {'values': 'x'}]}")) {
            assertEquals(
                    "matchExpressions[1].values: expected a list, found \"x\"",
                    assertThrows(MalformedObjectException.class, () -> SelectorReader.labelSelector(cursor(parser)))
                            .getMessage());
        }
    }
}
