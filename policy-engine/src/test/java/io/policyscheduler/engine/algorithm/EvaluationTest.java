package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EvaluationTest {
    private static List<String> best(Map<String, Long> totals) {
        return new Evaluation(null, false, List.of(), new TreeMap<>(), Map.of(), Map.of(), new TreeMap<>(totals))
                .best();
    }

    @Test
    void theBestNodesByName() {
        assertEquals(List.of(), best(Map.of()));
        assertEquals(List.of("a"), best(Map.of("a", 0L)));
        assertEquals(List.of("b", "c"), best(Map.of("c", 7L, "a", 6L, "b", 7L)));
        assertEquals(List.of("b"), best(Map.of("a", -2L, "b", -1L)));
        assertEquals(List.of("a", "b"), best(Map.of("b", Long.MIN_VALUE, "a", Long.MIN_VALUE)));
    }

    @Test
    void failed() {
        assertEquals(
                new Evaluation("text", false, List.of(), new TreeMap<>(), Map.of(), Map.of(), new TreeMap<>()),
                Evaluation.failed("text"));
    }

    @Test
    void unfit() {
        TreeMap<String, NodeFailure> failures =
                new TreeMap<>(Map.of("n1", new NodeFailure(List.of("x", "y"), false, null)));
        assertEquals(
                new Evaluation(
                        "0/2 nodes are available: 1 x, 1 y.",
                        true,
                        List.of(),
                        failures,
                        Map.of(),
                        Map.of(),
                        new TreeMap<>()),
                Evaluation.unfit(2, failures));
    }
}
