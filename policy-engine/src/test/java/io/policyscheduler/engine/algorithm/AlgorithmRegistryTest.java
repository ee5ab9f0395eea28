package io.policyscheduler.engine.algorithm;

import static io.policyscheduler.engine.testing.FakeAlgorithms.podLimit;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.testing.FakeAlgorithms;
import java.util.List;
import java.util.stream.Stream;
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

    /** An algorithm that shows its constructor arguments. */
    private static Predicate named(String name) {
        return FakeAlgorithms.predicate(name, node -> Verdict.FITS);
    }

    private static AlgorithmConfig at(int minor) {
        return AlgorithmConfig.of(FeatureGates.defaults().at(new Release(minor)));
    }

    @Test
    void laterFormsAreMadeOfTheFirst() {
        AlgorithmRegistry registry = AlgorithmRegistry.builder()
                .predicate("P", config -> named("first"))
                .composed(
                        "Whole",
                        (parts, config) ->
                                named("of " + parts.predicate("P", config).name()))
                .priority("S", config -> priority("first", node -> 1))
                .predicateVariant(
                        "P",
                        new Release(20),
                        (first, config) ->
                                named(first.name() + " at " + config.gates().release()))
                .priorityVariant("S", new Release(25), (first, config) -> priority("later " + first.name(), node -> 2))
                .build();
        assertEquals(
                List.of("first", "first", "first at 1.20", "first at 1.34"),
                Stream.of(17, 19, 20, 34)
                        .map(minor -> registry.predicate("P", at(minor)).name())
                        .toList());
        assertEquals(
                List.of("of first", "of first at 1.34"),
                Stream.of(17, 34)
                        .map(minor -> registry.predicate("Whole", at(minor)).name())
                        .toList());
        assertEquals(
                List.of("first", "later first"),
                Stream.of(24, 25)
                        .map(minor -> registry.priority("S", at(minor)).name())
                        .toList());
        assertEquals(List.of("P", "Whole"), List.copyOf(registry.predicateNames()));
    }

    @Test
    void growsOnce() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder()
                .predicateVariant("X", new Release(20), (first, config) -> first)
                .priorityVariant("X", new Release(20), (first, config) -> first);
        assertEquals(
                "variant of predicate X registered twice",
                message(() -> builder.predicateVariant("X", new Release(30), (first, config) -> first)));
        assertEquals(
                "variant of priority X registered twice",
                message(() -> builder.priorityVariant("X", new Release(30), (first, config) -> first)));
    }

    @Test
    void aVariantAloneIsNoAlgorithm() {
        AlgorithmRegistry registry = AlgorithmRegistry.builder()
                .predicateVariant("X", new Release(20), (first, config) -> first)
                .build();
        assertEquals(List.of(), List.copyOf(registry.predicateNames()));
        assertEquals("no predicate named X", message(() -> registry.predicate("X", at(34))));
    }
}
