package io.policyscheduler.engine.algorithm;

import static io.policyscheduler.engine.testing.FakeAlgorithms.podLimit;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class AlgorithmRegistryTest {
    private static String message(Executable action) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, action).getMessage());
    }

    @Test
    void namesAreSortedAndFactoriesGetTheConfiguration() {
        Predicate limit = podLimit(1);
        Priority flat = priority("Flat", node -> 1);
        AlgorithmConfig config = AlgorithmConfig.defaults();
        AlgorithmRegistry registry = AlgorithmRegistry.builder()
                .predicate("Z", given -> limit)
                .predicate("A", given -> {
                    assertSame(config, given);
                    return limit;
                })
                .priority("P", given -> {
                    assertSame(config, given);
                    return flat;
                })
                .build();
        assertEquals(List.of("A", "Z"), List.copyOf(registry.predicateNames()));
        assertEquals(List.of("P"), List.copyOf(registry.priorityNames()));
        assertSame(limit, registry.predicate("A", config));
        assertSame(flat, registry.priority("P", config));
        assertEquals("no predicate named P", message(() -> registry.predicate("P", config)));
        assertEquals("no priority named A", message(() -> registry.priority("A", config)));
    }

    @Test
    void aNameIsGivenOnceInEachKind() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder()
                .predicate("X", given -> podLimit(1))
                .priority("X", given -> priority("X", node -> 1));
        assertEquals("predicate X registered twice", message(() -> builder.predicate("X", given -> podLimit(1))));
        assertEquals(
                "priority X registered twice", message(() -> builder.priority("X", given -> priority("X", node -> 1))));
    }

    @Test
    void whatIsAddedAfterBuildingDoesNotShow() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        AlgorithmRegistry empty = builder.build();
        builder.predicate("X", given -> podLimit(1));
        assertEquals(List.of(), List.copyOf(empty.predicateNames()));
    }
}
