package io.policyscheduler.engine.cluster.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TopologyCountsTest {
    private final TopologyCounts counts = new TopologyCounts();

    private static Map<String, Long> values(TopologyCounts counts, String key) {
        Map<String, Long> values = new TreeMap<>();
        counts.forEach(key, values::put);
        return values;
    }

    @Test
    void anAddedPairStaysEvenAtZero() {
        assertTrue(counts.isEmpty());
        assertEquals(0, counts.add("zone", "a", 0));
        assertEquals(2, counts.add("zone", "b", 2));
        assertEquals(0, counts.add("zone", "b", -2));
        assertFalse(counts.isEmpty());
        assertTrue(counts.contains("zone", "b"));
        assertFalse(counts.contains("zone", "c"));
        assertFalse(counts.contains("host", "a"));
        assertEquals(Map.of("a", 0L, "b", 0L), values(counts, "zone"));
        assertEquals(2, counts.valueCount("zone"));
        assertEquals(0, counts.valueCount("host"));
    }

    @Test
    void sumsThePairsOfANode() {
        counts.add("zone", "a", 8);
        counts.add("zone", "b", -5);
        counts.add("host", "n2", 1);
        assertEquals(9, counts.sum(Labels.of("zone", "a", "host", "n2", "other", "x")));
        assertEquals(-5, counts.sum(Labels.of("zone", "b", "host", "n3")));
        assertEquals(0, counts.sum(Labels.EMPTY));
        assertEquals(List.of("zone", "host"), counts.keys());
    }

    @Test
    void copiesAreIndependent() {
        counts.add("zone", "a", 1);
        TopologyCounts copy = counts.copy();
        copy.add("zone", "a", 4);
        counts.add("host", "n", 7);
        assertEquals(5, copy.get("zone", "a"));
        assertEquals(1, counts.get("zone", "a"));
        assertFalse(copy.contains("host", "n"));
    }
}
