package io.policyscheduler.engine.cluster.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelsTest {
    @Test
    void entriesStandInKeyOrder() {
        Labels labels = Labels.of("b", "2", "a", "1", "", "empty");
        List<String> seen = new ArrayList<>();
        labels.forEach((key, value) -> seen.add(key + "=" + value));
        assertEquals(List.of("=empty", "a=1", "b=2"), seen);
        assertEquals(3, labels.size());
        assertEquals("a", labels.key(1));
        assertEquals("1", labels.value(1));
        assertEquals("{=empty, a=1, b=2}", labels.toString());
    }

    @Test
    void theOrderIsThatOfKeysWhateverTheMapHas() {
        Labels expected = Labels.of("a", "1", "b", "2", "c", "3");
        Map<String, String> backwards = new TreeMap<>(Comparator.reverseOrder());
        backwards.putAll(expected.toMap());
        for (Map<String, String> map : List.of(backwards, new TreeMap<>(backwards), new HashMap<>(backwards))) {
            assertEquals(expected, Labels.copyOf(map));
            assertEquals("{a=1, b=2, c=3}", Labels.copyOf(map).toString());
        }
    }

    @Test
    void nothingIsOneObject() {
        assertSame(Labels.EMPTY, Labels.copyOf(null));
        assertSame(Labels.EMPTY, Labels.copyOf(Map.of()));
        assertSame(Labels.EMPTY, Labels.of());
        assertTrue(Labels.EMPTY.isEmpty());
        assertEquals(0, Labels.EMPTY.size());
    }

    @Test
    void aKeyWithoutValueIsRefused() {
        assertEquals(
                "a key without a value: c",
                assertThrows(IllegalArgumentException.class, () -> Labels.of("a", "b", "c"))
                        .getMessage());
    }

    /** Lookups are linear for few keys and binary for many; 8 and 9 are the limits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 40})
    void lookup(int size) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < size; i++) {
            map.put("key" + i, i % 2 == 0 ? "" : "v" + i);
        }
        Labels labels = Labels.copyOf(map);
        assertEquals(map, labels.toMap());
        map.forEach((key, value) -> {
            assertEquals(value, labels.get(key));
            assertEquals(value, labels.getOrEmpty(key));
            assertTrue(labels.has(key));
            assertTrue(labels.has(key, value));
            assertFalse(labels.has(key, value + "x"));
        });
        for (String absent : List.of("", "key", "key00", "zzz")) {
            assertNull(labels.get(absent));
            assertEquals("", labels.getOrEmpty(absent));
            assertFalse(labels.has(absent));
            assertFalse(labels.has(absent, ""));
        }
    }

    @Test
    void anEmptyValueIsAValue() {
        Labels labels = Labels.of("a", "");
        assertEquals("", labels.get("a"));
        assertTrue(labels.has("a"));
        assertTrue(labels.has("a", ""));
    }

    @Test
    void containsAllComparesWholeEntries() {
        Labels labels = Labels.of("a", "1", "b", "2");
        assertTrue(labels.containsAll(Labels.EMPTY));
        assertTrue(labels.containsAll(labels));
        assertTrue(labels.containsAll(Labels.of("b", "2")));
        assertFalse(labels.containsAll(Labels.of("b", "1")));
        assertFalse(labels.containsAll(Labels.of("a", "1", "c", "")));
        assertFalse(Labels.EMPTY.containsAll(labels));
    }

    @Test
    void equalByContent() {
        Labels one = Labels.of("a", "1", "b", "2");
        assertEquals(one, Labels.of("b", "2", "a", "1"));
        assertEquals(one.hashCode(), Labels.of("b", "2", "a", "1").hashCode());
        assertNotEquals(one, Labels.of("a", "2", "b", "1"));
        assertNotEquals(one, Labels.of("a", "1"));
        assertNotEquals(Labels.EMPTY, one);
    }

    @Test
    void copiesAreIndependent() {
        Map<String, String> map = new HashMap<>(Map.of("a", "1"));
        Labels labels = Labels.copyOf(map);
        map.put("b", "2");
        labels.toMap().put("c", "3");
        assertEquals(Map.of("a", "1"), labels.toMap());
    }
}
