package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Evaluation.FitErrorText;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FitErrorTextTest {
    @Test
    void partsAreSortedAsText() {
        assertEquals(
                "0/12 nodes are available: 10 Insufficient cpu, 2 node(s) were unschedulable.",
                FitErrorText.of(12, Map.of("node(s) were unschedulable", 2, "Insufficient cpu", 10)));
        assertEquals(
                "0/3 nodes are available: 1 Insufficient pods, 2 Insufficient cpu, 2 Insufficient memory.",
                FitErrorText.of(3, Map.of("Insufficient memory", 2, "Insufficient pods", 1, "Insufficient cpu", 2)));
        // Upper case stands before lower case, as bytes do.
        assertEquals("0/2 nodes are available: 1 Z, 1 a.", FitErrorText.of(2, Map.of("a", 1, "Z", 1)));
    }

    @Test
    void everyOccurrenceOfAReasonCounts() {
        NodeFailure twice = new NodeFailure(List.of("b", "a", "b"), false, null);
        NodeFailure once = new NodeFailure(List.of("a"), true, "Plugin");
        assertEquals("0/2 nodes are available: 2 a, 2 b.", FitErrorText.of(2, List.of(twice, once)));
    }

    @Test
    void withoutReasons() {
        assertEquals("0/3 nodes are available: .", FitErrorText.of(3, List.of()));
        assertEquals("0/0 nodes are available: .", FitErrorText.of(0, Map.of()));
    }
}
