package io.policyscheduler.framework.insight.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.framework.insight.explain.Explanation.ScoreGap;
import io.policyscheduler.framework.insight.explain.Explanation.ScoreGap.Part;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ScoreGapTest {
    private static Evaluation evaluation(Map<String, Long> left, Map<String, Long> right, Map<String, Long> weights) {
        Map<String, NodeValues> scores = new TreeMap<>();
        TreeMap<String, Long> totals = new TreeMap<>();
        weights.forEach((algorithm, weight) -> {
            long ofLeft = left.getOrDefault(algorithm, 0L);
            long ofRight = right.getOrDefault(algorithm, 0L);
            scores.put(algorithm, NodeValues.of(Map.of("l", ofLeft, "r", ofRight)));
            totals.merge("l", ofLeft * weight, Long::sum);
            totals.merge("r", ofRight * weight, Long::sum);
        });
        return new Evaluation(
                null, false, List.of("l", "r"), new TreeMap<>(), scores, new TreeMap<>(weights), NodeValues.of(totals));
    }

    @Test
    void theLargestPartTipsItWhenItCarriesTheGap() {
        Evaluation evaluation =
                evaluation(Map.of("a", 5L, "b", 3L), Map.of("a", 1L, "b", 4L), Map.of("a", 2L, "b", 3L));
        assertEquals(
                new ScoreGap("l", "r", 5, List.of(new Part("a", 2, 5, 1), new Part("b", 3, 3, 4))),
                ScoreGap.of(evaluation, "l", "r"));
        assertEquals("a", ScoreGap.of(evaluation, "l", "r").tippedBy());
    }

    @Test
    void noAlgorithmAloneTipsASharedGap() {
        Evaluation evaluation =
                evaluation(Map.of("a", 5L, "b", 5L), Map.of("a", 1L, "b", 1L), Map.of("a", 1L, "b", 1L));
        assertNull(ScoreGap.of(evaluation, "l", "r").tippedBy());
    }

    @Test
    void nothingTipsATieOrALostComparison() {
        Evaluation tie = evaluation(Map.of("a", 1L), Map.of("b", 1L), Map.of("a", 1L, "b", 1L));
        assertNull(ScoreGap.of(tie, "l", "r").tippedBy());
        Evaluation lost = evaluation(Map.of("a", 1L), Map.of("a", 3L), Map.of("a", 2L));
        assertEquals(-4, ScoreGap.of(lost, "l", "r").gap());
        assertNull(ScoreGap.of(lost, "l", "r").tippedBy());
    }
}
