package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeValuesTest {
    private static NodeValues.Order order(String... names) {
        return new NodeValues.Order(Stream.of(names).map(NodeInfo::new).toList());
    }

    @Test
    void isAMapInTheOrderOfNames() {
        Map<String, Long> values = order("n2", "n10", "n1").byName(new long[] {2, 10, 1});

        assertEquals(List.of("n1", "n10", "n2"), List.copyOf(values.keySet()));
        assertEquals(Map.of("n1", 1L, "n10", 10L, "n2", 2L), values);
        assertEquals(3, values.size());
        assertEquals(10L, values.get("n10"));
        assertNull(values.get("n3"));
        assertTrue(values.containsKey("n2"));
        assertFalse(values.containsKey("n"));
        assertThrows(UnsupportedOperationException.class, () -> values.put("n1", 5L));
    }

    @Test
    void laterChangesOfTheArrayDoNotShow() {
        long[] array = {7};
        Map<String, Long> values = order("n").byName(array);
        array[0] = 8;
        assertEquals(Map.of("n", 7L), values);
    }

    @Test
    void anOrderServesManyValues() {
        NodeValues.Order order = order("b", "a");
        assertEquals("{a=2, b=1}", order.byName(new long[] {1, 2}).toString());
        assertEquals("{a=4, b=3}", order.sorted(new long[] {3, 4}).toString());
    }

    @Test
    void withoutNodes() {
        Map<String, Long> values = order().byName(new long[0]);
        assertTrue(values.isEmpty());
        Iterator<String> names = values.keySet().iterator();
        assertThrows(NoSuchElementException.class, names::next);
    }
}
