package io.policyscheduler.engine.cluster.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeSelectorTermTest {
    private static final Labels LABELS = Labels.of("zone", "a", "size", "10");
    private static final LabelRequirement IN_A = requirement("zone", "In", "a");
    private static final LabelRequirement IN_B = requirement("zone", "In", "b");
    private static final LabelRequirement INVALID = requirement("zone", "Near", "a");
    private static final LabelRequirement IS_N1 = requirement("metadata.name", "In", "n1");

    private static LabelRequirement requirement(String key, String operator, String... values) {
        return LabelRequirement.ofNodeSelector(key, operator, List.of(values));
    }

    static Stream<Arguments> terms() {
        return Stream.of(
                arguments(List.of(), List.of(), false),
                arguments(List.of(IN_A), List.of(), true),
                arguments(List.of(IN_B), List.of(), false),
                arguments(List.of(IN_A, requirement("size", "Gt", "9")), List.of(), true),
                arguments(List.of(IN_A, requirement("size", "Gt", "10")), List.of(), false),
                arguments(List.of(IN_A, INVALID), List.of(), false),
                arguments(List.of(), List.of(IS_N1), true),
                arguments(List.of(IN_A), List.of(IS_N1), true),
                arguments(List.of(IN_B), List.of(IS_N1), false),
                arguments(List.of(IN_A), List.of(requirement("metadata.name", "In", "n2")), false),
                arguments(List.of(), List.of(requirement("metadata.name", "NotIn", "n2")), true),
                arguments(List.of(), List.of(requirement("metadata.name", "NotIn", "n1")), false),
                arguments(List.of(), List.of(IS_N1, requirement("metadata.name", "NotIn", "n1")), false),
                // Only In and NotIn with one value are valid on fields.
                arguments(List.of(), List.of(requirement("metadata.name", "In", "n1", "n2")), false),
                arguments(List.of(), List.of(requirement("metadata.name", "NotIn", "n2", "n3")), false),
                arguments(List.of(), List.of(requirement("metadata.name", "In")), false),
                arguments(List.of(), List.of(requirement("metadata.name", "Exists")), false),
                arguments(List.of(), List.of(requirement("metadata.name", "Gt", "0")), false),
                // Every other field reads as the empty string, and its values need not be label values.
                arguments(List.of(), List.of(requirement("spec.foo", "NotIn", "x")), true),
                arguments(List.of(), List.of(requirement("spec.foo", "In", "")), true),
                arguments(List.of(), List.of(requirement("spec.foo", "In", "n1")), false),
                arguments(List.of(), List.of(requirement("spec.foo", "NotIn", "no label value")), true));
    }

    @ParameterizedTest
    @MethodSource("terms")
    void matches(List<LabelRequirement> expressions, List<LabelRequirement> fields, boolean expected) {
        NodeSelectorTerm term = new NodeSelectorTerm(expressions, fields);
        assertEquals(expected, term.matches(LABELS, "n1"));
        assertEquals(expected, NodeSelectorTerm.anyMatches(List.of(term), LABELS, "n1"));
    }

    @Test
    void termsAreAlternatives() {
        NodeSelectorTerm inA = new NodeSelectorTerm(List.of(IN_A), List.of());
        NodeSelectorTerm inB = new NodeSelectorTerm(List.of(IN_B), List.of());
        NodeSelectorTerm invalid = new NodeSelectorTerm(List.of(INVALID), List.of());
        assertTrue(NodeSelectorTerm.anyMatches(List.of(inB, invalid, inA), LABELS, "n1"));
        assertFalse(NodeSelectorTerm.anyMatches(List.of(inB, invalid), LABELS, "n1"));
        assertFalse(NodeSelectorTerm.anyMatches(List.of(), LABELS, "n1"));
    }

    @Test
    void expressionsAlone() {
        assertTrue(new NodeSelectorTerm(List.of(), List.of(IS_N1)).expressionsMatch(Labels.EMPTY));
        assertNull(new NodeSelectorTerm(List.of(IN_A), List.of(INVALID)).expressionError());
        assertEquals(
                "\"Near\" is not a valid node selector operator",
                new NodeSelectorTerm(List.of(IN_A, INVALID), List.of()).expressionError());
    }
}
