package io.policyscheduler.engine.cluster.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LabelRequirementTest {
    private static final Labels LABELS = Labels.of("zone", "a", "size", "10", "empty", "");

    static Stream<Arguments> matching() {
        return Stream.of(
                arguments("zone", "In", List.of("b", "a"), true),
                arguments("zone", "In", List.of("b"), false),
                arguments("none", "In", List.of(""), false),
                arguments("empty", "In", List.of(""), true),
                arguments("zone", "NotIn", List.of("b"), true),
                arguments("zone", "NotIn", List.of("a", "b"), false),
                arguments("none", "NotIn", List.of("a"), true),
                arguments("empty", "NotIn", List.of(""), false),
                arguments("empty", "Exists", List.of(), true),
                arguments("none", "Exists", List.of(), false),
                arguments("none", "DoesNotExist", List.of(), true),
                arguments("empty", "DoesNotExist", List.of(), false),
                arguments("size", "Gt", List.of("9"), true),
                arguments("size", "Gt", List.of("10"), false),
                arguments("size", "Lt", List.of("11"), true),
                arguments("size", "Lt", List.of("10"), false),
                arguments("zone", "Gt", List.of("1"), false),
                arguments("empty", "Lt", List.of("1"), false),
                arguments("none", "Lt", List.of("1"), false));
    }

    @ParameterizedTest
    @MethodSource("matching")
    void matches(String key, String operator, List<String> values, boolean expected) {
        LabelRequirement requirement = LabelRequirement.ofNodeSelector(key, operator, values);
        assertNull(requirement.error());
        assertEquals(expected, requirement.matches(LABELS));
        if (!operator.equals("Gt") && !operator.equals("Lt")) {
            assertEquals(
                    expected,
                    LabelRequirement.ofLabelSelector(key, operator, values).matches(LABELS));
        }
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                arguments("zone", "In", List.of(), "for 'in', 'notin' operators, values set can't be empty"),
                arguments("zone", "NotIn", List.of(), "for 'in', 'notin' operators, values set can't be empty"),
                arguments("zone", "Exists", List.of("a"), "values set must be empty for exists and does not exist"),
                arguments("no", "DoesNotExist", List.of("a"), "values set must be empty for exists and does not exist"),
                arguments("size", "Gt", List.of(), "for 'Gt', 'Lt' operators, exactly one value is required"),
                arguments("size", "Lt", List.of("1", "2"), "for 'Gt', 'Lt' operators, exactly one value is required"),
                arguments("size", "Gt", List.of("x"), "for 'Gt', 'Lt' operators, the value must be an integer"),
                // Numbers with a sign are numbers, but no label values.
                arguments("size", "Gt", List.of("-5"), "invalid label value: \"-5\""),
                arguments("size", "Lt", List.of("+50"), "invalid label value: \"+50\""),
                arguments("no", "NotIn", List.of("a", "b c"), "invalid label value: \"b c\""),
                arguments("a b", "Exists", List.of(), "invalid label key \"a b\""),
                arguments("", "In", List.of(), "invalid label key \"\""),
                arguments("zone", "in", List.of("a"), "\"in\" is not a valid node selector operator"),
                arguments("zone", "", List.of("a"), "\"\" is not a valid node selector operator"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void invalidMatchesNothingAndSaysWhy(String key, String operator, List<String> values, String error) {
        LabelRequirement requirement = LabelRequirement.ofNodeSelector(key, operator, values);
        assertEquals(new LabelRequirement(key, operator, values, error), requirement);
        assertFalse(requirement.matches(LABELS));
        assertFalse(requirement.matches(Labels.EMPTY));
    }

    @Test
    void comparisonsAreForNodesOnly() {
        assertEquals(
                "\"Gt\" is not a valid pod selector operator",
                LabelRequirement.ofLabelSelector("size", "Gt", List.of("1")).error());
    }

    @Test
    void equalToIsIn() {
        assertEquals(
                LabelRequirement.ofLabelSelector("zone", "In", List.of("a")), LabelRequirement.equalTo("zone", "a"));
    }
}
