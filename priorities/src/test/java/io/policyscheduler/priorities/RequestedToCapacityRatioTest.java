package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmConfig.ShapePoint;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.testing.Clusters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestedToCapacityRatioTest {
    private static final List<ShapePoint> RISE_AND_FALL =
            List.of(new ShapePoint(0, 0), new ShapePoint(70, 100), new ShapePoint(100, 30));
    private static final List<ShapePoint> IDENTITY = List.of(new ShapePoint(0, 0), new ShapePoint(100, 100));

    private final ResourceAllocationPriority byDefault =
            ResourceAllocationPriority.ratioWithDefaultShape(AlgorithmConfig.defaults());

    @Test
    void workedExampleOfTheDefaultShape() {
        assertEquals(
                List.of(60L, 75L, 90L), Scores.raw(byDefault, ResourceExamples.smallPod(), ResourceExamples.cluster()));
    }

    @Test
    void workedExampleOfAPolicy() {
        Map<String, Long> resources = new LinkedHashMap<>();
        resources.put("cpu", 3L);
        resources.put("memory", 1L);
        resources.put("example.com/x", 2L);
        assertEquals(
                List.of(48L, 27L, 22L),
                Scores.raw(policy(RISE_AND_FALL, resources), ResourceExamples.smallPod(), ResourceExamples.cluster()));
    }

    @Test
    void policyWithoutResourcesTakesCpuAndMemory() {
        assertEquals(
                List.of(40L, (7L + 43L) / 2, (10L + 100L) / 2),
                Scores.raw(policy(IDENTITY, Map.of()), ResourceExamples.smallPod(), ResourceExamples.cluster()));
    }

    @ParameterizedTest
    @CsvSource({
        // utilisation is rounded up: 1 of 3 is 34
        "3, 1, 66",
        "100, 33, 67",
        "100, 0, 100",
        "100, 99, 1",
        "100, 100, 0",
        "100, 101, 0",
        "0, 0, 0"
    })
    void defaultShapeOfOneResource(long capacity, long requested, long expected) {
        assertEquals(expected, cpuOnly(policy(defaultShape(), Map.of("cpu", 1L)), capacity, requested));
    }

    @ParameterizedTest
    @CsvSource({"0, 20", "10, 20", "11, 21", "15, 25", "20, 30", "25, 25", "29, 21", "30, 20", "31, 20", "100, 20"})
    void shapeIsFlatOutsideItsPoints(long requested, long expected) {
        List<ShapePoint> hill = List.of(new ShapePoint(10, 20), new ShapePoint(20, 30), new ShapePoint(30, 20));
        assertEquals(expected, cpuOnly(policy(hill, Map.of("cpu", 1L)), 100, requested));
    }

    @Test
    void onePointIsAConstant() {
        assertEquals(42, cpuOnly(policy(List.of(new ShapePoint(50, 42)), Map.of("cpu", 1L)), 100, 7));
    }

    @Test
    void weightZeroCountsAsOne() {
        Map<String, Long> resources = new LinkedHashMap<>();
        resources.put("cpu", 0L);
        resources.put("memory", 1L);
        assertEquals(List.of(30L), twoResources(resources, "20m", "40"));
    }

    @Test
    void meanIsRoundedHalfAwayFromZero() {
        assertEquals(List.of(31L), twoResources(Map.of("cpu", 1L, "memory", 1L), "20m", "41"));
        assertEquals(List.of(27L), twoResources(Map.of("cpu", 2L, "memory", 1L), "20m", "41"));
        // (20 * -1 + 41 * 3) / 2 = 51.5
        assertEquals(List.of(52L), twoResources(Map.of("cpu", -1L, "memory", 3L), "20m", "41"));
        // (99 * 3 + 40 * -5) / -2 = -48.5
        assertEquals(List.of(-49L), twoResources(Map.of("cpu", 3L, "memory", -5L), "99m", "40"));
    }

    @Test
    void resourcesThatScoreZeroAreLeftOut() {
        assertEquals(List.of(40L), twoResources(Map.of("cpu", 9L, "memory", 1L), "0", "40"));
        assertEquals(List.of(0L), twoResources(Map.of("cpu", 9L, "memory", 1L), "0", "0"));
    }

    @Test
    void untrackedNamesAndMissingScalarsCountAsFull() {
        assertEquals(List.of(100L), twoResources(Map.of("storage", 1L), "20m", "40"));
        assertEquals(List.of(100L), twoResources(Map.of("pods", 1L), "20m", "40"));
        assertEquals(List.of(100L), twoResources(Map.of("example.com/gone", 1L), "20m", "40"));
    }

    @Test
    void ephemeralStorageAndScalarsUsePlainRequests() {
        ClusterState cluster = Clusters.cluster(
                node("n1").ephemeralStorage("100").scalar("example.com/x", 10).build(),
                pod("used")
                        .ephemeralStorage("30")
                        .scalar("example.com/x", 2)
                        .onNode("n1")
                        .build());
        PodInfo wanting = pod("p").ephemeralStorage("10").build();
        assertEquals(List.of(40L), Scores.raw(policy(IDENTITY, Map.of("ephemeral-storage", 1L)), wanting, cluster));
        assertEquals(List.of(20L), Scores.raw(policy(IDENTITY, Map.of("example.com/x", 1L)), wanting, cluster));
    }

    @Test
    void shapeWithoutPointsIsRefused() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> policy(List.of(), Map.of()));
        assertEquals(
                "invalid RequestedToCapacityRatioPriority arguments: at least one point must be specified",
                refused.getMessage());
    }

    @Test
    void names() {
        assertEquals("RequestedToCapacityRatioPriority", byDefault.name());
        assertEquals("RequestedToCapacityRatio", policy(IDENTITY, Map.of()).name());
        assertEquals(Scope.NODE, byDefault.scope());
    }

    private static List<ShapePoint> defaultShape() {
        return List.of(new ShapePoint(0, 100), new ShapePoint(100, 0));
    }

    private static long cpuOnly(ResourceAllocationPriority priority, long capacity, long requested) {
        ClusterState cluster = Clusters.cluster(node("n1").cpu(capacity + "m").build());
        return Scores.raw(priority, pod("p").cpu(requested + "m").build(), cluster)
                .get(0);
    }

    /** Scores on a node of 100m and 100 bytes, where the score of a resource is its utilisation. */
    private static List<Long> twoResources(Map<String, Long> resources, String cpu, String memory) {
        ClusterState cluster =
                Clusters.cluster(node("n1").cpu("100m").memory("100").build());
        return Scores.raw(
                policy(IDENTITY, resources), pod("p").requests(cpu, memory).build(), cluster);
    }

    private static ResourceAllocationPriority policy(List<ShapePoint> shape, Map<String, Long> resources) {
        return ResourceAllocationPriority.ratioOfPolicy(new AlgorithmConfig(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                shape,
                resources,
                Set.of(),
                1,
                FeatureGates.defaults(),
                name -> "",
                Set.of()));
    }
}
