package io.policyscheduler.engine.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AlgorithmConfigTest {
    @Test
    void defaults() {
        AlgorithmConfig config = AlgorithmConfig.defaults();
        assertEquals(
                new AlgorithmConfig(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        Map.of(),
                        Set.of(),
                        1,
                        FeatureGates.defaults(),
                        config.environment(),
                        Set.of()),
                config);
        assertEquals("", config.environment().apply("KUBE_MAX_PD_VOLS"));
    }

    @Test
    void itsListsAreCopiesInOrder() {
        List<String> labels = new ArrayList<>(List.of("b", "a"));
        Map<String, Long> resources = new LinkedHashMap<>();
        resources.put("memory", 1L);
        resources.put("cpu", 2L);
        AlgorithmConfig config = new AlgorithmConfig(
                labels,
                labels,
                labels,
                labels,
                labels,
                labels,
                List.of(new AlgorithmConfig.ShapePoint(0, 100)),
                resources,
                Set.of("a.com/x"),
                5,
                FeatureGates.defaults(),
                name -> "39",
                Set.of());
        labels.clear();
        resources.clear();
        for (List<String> kept : List.of(
                config.presentLabels(),
                config.absentLabels(),
                config.affinityLabels(),
                config.preferPresentLabels(),
                config.preferAbsentLabels(),
                config.antiAffinityLabels())) {
            assertEquals(List.of("b", "a"), kept);
        }
        assertEquals(
                List.of("memory", "cpu"), List.copyOf(config.ratioResources().keySet()));
        assertThrows(
                UnsupportedOperationException.class,
                () -> config.ratioResources().put("x", 1L));
    }
}
