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

class LeastRequestedPriorityTest {
    private final ResourceAllocationPriority priority =
            ResourceAllocationPriority.leastRequested(AlgorithmConfig.defaults());

    @Test
    void workedExample() {
        assertEquals(
                List.of(60L, 75L, 45L), Scores.raw(priority, ResourceExamples.smallPod(), ResourceExamples.cluster()));
    }

    @Test
    void overheadOfCpuIsTakenAsMilliCpu() {
        assertEquals(
                List.of(74L), Scores.raw(priority, ResourceExamples.podWithOverhead(), ResourceExamples.emptyNode()));
    }

    @Test
    void containersWithoutRequestsCountDefaults() {
        ClusterState cluster = Clusters.cluster(
                node("n1").cpu("1").memory("2000Mi").build(),
                pod("used").onNode("n1").build());
        // 200m of 1000m and 400Mi of 2000Mi.
        assertEquals(List.of(80L), Scores.raw(priority, pod("p").build(), cluster));
    }

    @ParameterizedTest
    @CsvSource({"0, 100", "1m, 99", "500m, 75", "999m, 50", "1, 50", "1001m, 50"})
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
        assertEquals("LeastRequestedPriority", priority.name());
        assertEquals(Scope.NODE, priority.scope());
    }
}
