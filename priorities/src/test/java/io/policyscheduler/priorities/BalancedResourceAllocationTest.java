package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BalancedResourceAllocationTest {
    private final BalancedResourceAllocation priority = new BalancedResourceAllocation(AlgorithmConfig.defaults());

    @Test
    void workedExample() {
        assertEquals(
                List.of(100L, 63L, 0L), Scores.raw(priority, ResourceExamples.smallPod(), ResourceExamples.cluster()));
    }

    @ParameterizedTest
    @CsvSource({
        "34m, 0, 65",
        "90m, 0, 9",
        "0, 0, 100",
        "50m, 50, 100",
        "99m, 99, 100",
        "100m, 50, 0",
        "50m, 100, 0",
        "101m, 101, 0",
        "0, 34, 65"
    })
    void truncatesBinaryFractions(String cpu, String memory, long expected) {
        ClusterState cluster =
                Clusters.cluster(node("n1").cpu("100m").memory("100").build());
        assertEquals(
                List.of(expected),
                Scores.raw(priority, pod("p").requests(cpu, memory).build(), cluster));
    }

    @Test
    void nodeWithoutResourcesScoresZero() {
        assertEquals(List.of(0L), Scores.raw(priority, pod("p").build(), ResourceExamples.bareNode()));
    }

    @ParameterizedTest
    @CsvSource({
        "12, 3, true, 98",
        "12, 12, true, 0",
        "12, 13, true, 0",
        "0, 3, true, 75",
        "-1, 3, true, 75",
        "12, 3, false, 75"
    })
    void attachedVolumesAreAThirdFraction(long allocatable, long requested, boolean gate, long expected) {
        ClusterState cluster =
                Clusters.cluster(node("n1").cpu("100m").memory("100").build());
        Clusters.info(cluster, "n1").setVolumeCounts(allocatable, requested);
        PodInfo wanting = pod("p").requests("50m", "25").build();
        assertEquals(List.of(expected), Scores.raw(withGate(gate), wanting, cluster));
    }

    @Test
    void fullNodeScoresZeroWithVolumesToo() {
        ClusterState cluster =
                Clusters.cluster(node("n1").cpu("100m").memory("100").build());
        Clusters.info(cluster, "n1").setVolumeCounts(12, 3);
        assertEquals(
                List.of(0L),
                Scores.raw(withGate(true), pod("p").requests("100m", "25").build(), cluster));
    }

    @Test
    void volumeCountsMakeItUnfitForReuse() {
        assertEquals("BalancedResourceAllocation", priority.name());
        assertEquals(Scope.NODE, priority.scope());
        assertEquals(Scope.CLUSTER, withGate(true).scope());
    }

    private static BalancedResourceAllocation withGate(boolean on) {
        return new BalancedResourceAllocation(new AlgorithmConfig(
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
                FeatureGates.defaults().with(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES, on),
                name -> "",
                Set.of()));
    }
}
