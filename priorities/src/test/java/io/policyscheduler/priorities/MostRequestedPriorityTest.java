package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MostRequestedPriorityTest {
    private final ResourceAllocationPriority priority =
            ResourceAllocationPriority.mostRequested(AlgorithmConfig.defaults());

    @Test
    void workedExample() {
        assertEquals(
                List.of(40L, 24L, 5L), Scores.raw(priority, ResourceExamples.smallPod(), ResourceExamples.cluster()));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1m, 0", "20m, 1", "500m, 25", "1, 50", "1001m, 0"})
    void cpuBoundaries(String request, long expected) {
        ClusterState cluster =
                Clusters.cluster(node("n1").cpu("1").memory("1Gi").build());
        assertEquals(
                List.of(expected),
                Scores.raw(priority, pod("p").requests(request, "0").build(), cluster));
    }

    @Test
    void nodeWithoutResourcesScoresZero() {
        assertEquals(List.of(0L), Scores.raw(priority, pod("p").build(), ResourceExamples.bareNode()));
        assertEquals(
                List.of(0L), Scores.raw(priority, pod("p").requests("0", "0").build(), ResourceExamples.bareNode()));
    }

    @Test
    void readsOneNode() {
        assertEquals("MostRequestedPriority", priority.name());
        assertEquals(Scope.NODE, priority.scope());
    }
}
