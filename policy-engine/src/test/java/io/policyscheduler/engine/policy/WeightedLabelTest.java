package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyRegistration.WeightedLabel;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WeightedLabelTest {
    private static WeightedLabel label(String name, boolean presence, long weight) {
        return new WeightedLabel(name, presence, weight, SourcePosition.UNKNOWN);
    }

    static Stream<Arguments> lists() {
        return Stream.of(
                Arguments.of(List.of(), List.of(), List.of()),
                Arguments.of(
                        List.of(label("a", true, 7), label("b", false, 7), label("a", true, 7)),
                        List.of("a", "a"),
                        List.of("b")),
                Arguments.of(
                        List.of(label("a", true, 4), label("b", true, 6), label("c", false, 2)),
                        List.of("a", "a", "b", "b", "b"),
                        List.of("c")),
                Arguments.of(
                        List.of(label("a", true, 1), label("b", true, 10_000)),
                        Stream.concat(Stream.of("a"), Collections.nCopies(200, "b").stream())
                                .toList(),
                        List.of()),
                Arguments.of(
                        List.of(label("a", true, Long.MAX_VALUE), label("b", false, Long.MAX_VALUE)),
                        List.of("a"),
                        List.of("b")));
    }

    @ParameterizedTest
    @MethodSource("lists")
    void listsEachLabelAsOftenAsItsWeightAsks(
            List<WeightedLabel> all, List<String> expected, List<String> expectedNegative) {
        assertEquals(expected, WeightedLabel.shares(all, true));
        assertEquals(expectedNegative, WeightedLabel.shares(all, false));
    }

    @Test
    void findsTheFirstOfAnotherWeight() {
        WeightedLabel other = label("c", true, 3);
        assertEquals(Optional.empty(), WeightedLabel.firstOfOtherWeight(List.of()));
        assertEquals(
                Optional.empty(), WeightedLabel.firstOfOtherWeight(List.of(label("a", true, 2), label("b", false, 2))));
        assertEquals(Optional.of(other), WeightedLabel.firstOfOtherWeight(List.of(label("a", true, 2), other)));
    }
}
