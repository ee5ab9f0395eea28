package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EvaluationTest {
    private static List<String> best(Map<String, Long> totals) {
        return new Evaluation(null, false, List.of(), new TreeMap<>(), Map.of(), Map.of(), NodeValues.of(totals))
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
                new Evaluation("text", false, List.of(), new TreeMap<>(), Map.of(), Map.of(), NodeValues.NONE),
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
                        NodeValues.NONE),
                Evaluation.unfit(2, failures));
    }

    private static Evaluation scored(Map<String, Long> totals) {
        return new Evaluation(
                null,
                false,
                List.of("n2", "n1"),
                new TreeMap<>(),
                Map.of("A", NodeValues.of(Map.of("n1", 10L, "n2", 1L)), "B", NodeValues.of(Map.of("n1", 3L, "n2", 4L))),
                Map.of("A", 1L, "B", 2L),
                NodeValues.of(totals));
    }

    @Test
    void otherWeights() {
        Evaluation evaluation = scored(Map.of("n1", 16L, "n2", 9L));
        Evaluation withoutA = new Evaluation(
                null,
                false,
                List.of("n2", "n1"),
                new TreeMap<>(),
                Map.of("B", NodeValues.of(Map.of("n1", 3L, "n2", 4L))),
                Map.of("B", 2L),
                NodeValues.of(Map.of("n1", 6L, "n2", 8L)));
        assertEquals(withoutA, evaluation.weighted(Map.of("B", 2L)));
        assertEquals(evaluation, evaluation.weighted(Map.of("A", 1L, "B", 2L)));
        assertEquals(
                Map.of("n1", -47L, "n2", -1L),
                Objects.requireNonNull(evaluation.weighted(Map.of("A", -5L, "B", 1L)))
                        .totals());
    }

    /** If the result is not simple arithmetic, the nodes must be read. */
    @Test
    void otherWeightsThatSayNothing() {
        Evaluation evaluation = scored(Map.of("n1", 16L, "n2", 9L));
        assertNull(evaluation.weighted(Map.of()), "nothing scores");
        assertNull(evaluation.weighted(Map.of("C", 1L)), "never scored");
        assertNull(evaluation.weighted(Map.of("A", Long.MAX_VALUE)), "does not fit into 64 bits");
        assertNull(scored(Map.of("n1", 17L, "n2", 9L)).weighted(Map.of("B", 2L)), "a part of a total is no score");
        assertNull(scored(Map.of("n1", 16L)).weighted(Map.of("B", 2L)), "other nodes");
        assertNull(Evaluation.failed("text").weighted(Map.of("B", 2L)));
    }
}
