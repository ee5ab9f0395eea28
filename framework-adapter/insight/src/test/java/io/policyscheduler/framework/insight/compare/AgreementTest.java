package io.policyscheduler.framework.insight.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeValues;
import io.policyscheduler.engine.algorithm.Ranking;
import io.policyscheduler.framework.insight.compare.Difference.Agreement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgreementTest {
    /** Best nodes separated by spaces; {@code -} for no feasible node, {@code !} for an error. */
    @ParameterizedTest
    @CsvSource({
        "a, a, SAME",
        "a b, a b, SAME",
        "a b, b c, TIE",
        "a, a b, TIE",
        "a, b, DIFFERENT",
        "a b, c d, DIFFERENT",
        "a, -, ONLY_REFERENCE",
        "-, a, ONLY_OTHER",
        "-, -, NEITHER",
        "!, -, NEITHER",
        "!, !, NEITHER",
        "!, a, ERROR",
        "a, !, ERROR",
    })
    void relates(String reference, String other, Agreement expected) {
        assertEquals(expected, Agreement.of(Ranking.of(evaluation(reference)), Ranking.of(evaluation(other))));
    }

    private static Evaluation evaluation(String best) {
        @Nullable String error = best.equals("!") ? "broken" : best.equals("-") ? "0/1 nodes are available" : null;
        TreeMap<String, Long> totals = new TreeMap<>(Map.of("z", 1L));
        if (error != null) {
            totals.clear();
        } else {
            List.of(best.split(" ")).forEach(node -> totals.put(node, 7L));
        }
        return new Evaluation(
                error,
                best.equals("-"),
                List.copyOf(totals.keySet()),
                new TreeMap<>(),
                Map.of(),
                Map.of(),
                NodeValues.of(totals));
    }
}
