package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeLabelPriorityTest {
    static Stream<Arguments> preferences() {
        return Stream.of(
                arguments(List.of("a"), List.of("b"), 50L),
                arguments(List.of("a", "b"), List.of(), 100L),
                arguments(List.of("a", "x", "y"), List.of(), 33L),
                arguments(List.of("a", "b", "x"), List.of(), 66L),
                arguments(List.of(), List.of("x"), 100L),
                arguments(List.of(), List.of("a"), 0L),
                arguments(List.of("x"), List.of("a"), 0L),
                arguments(List.of("a", "a", "x"), List.of(), 66L),
                arguments(List.of(), List.of(), 0L));
    }

    @ParameterizedTest
    @MethodSource("preferences")
    void shareOfPreferences(List<String> present, List<String> absent, long expected) {
        ClusterState cluster =
                Clusters.cluster(node("n1").label("a", "1").label("b", "").build());
        assertEquals(
                List.of(expected),
                Scores.raw(new NodeLabelPriority(config(present, absent)), pod("p").build(), cluster));
    }

    @Test
    void readsOneNode() {
        NodeLabelPriority priority = new NodeLabelPriority(AlgorithmConfig.defaults());
        assertEquals("NodeLabel", priority.name());
        assertEquals(Scope.NODE, priority.scope());
    }

    private static AlgorithmConfig config(List<String> present, List<String> absent) {
        return new AlgorithmConfig(
                List.of(),
                List.of(),
                List.of(),
                present,
                absent,
                List.of(),
                List.of(),
                Map.of(),
                Set.of(),
                1,
                FeatureGates.defaults(),
                name -> "",
                Set.of());
    }
}
