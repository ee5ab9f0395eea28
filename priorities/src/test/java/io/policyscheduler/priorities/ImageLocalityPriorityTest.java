package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.ImageScorer;
import io.policyscheduler.engine.testing.Clusters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageLocalityPriorityTest {
    private static final long MIB = 1024 * 1024;

    private final ImageLocalityPriority priority = new ImageLocalityPriority();

    @Test
    void workedExampleOfOneShotCounts() {
        ClusterState cluster = Clusters.cluster(
                node("n1").image(1, "nginx:latest").build(),
                node("n2").build(),
                node("n3").image(1, "big:1").build());
        images(cluster, "n1", Map.of("nginx:latest", new ImageState(300_000_000, 2)));
        images(
                cluster,
                "n3",
                Map.of(
                        "nginx:latest", new ImageState(900_000_000, 2),
                        "big:1", new ImageState(4_000_000_000L, 1)));
        PodInfo wanting = pod("p").image("nginx").image("big:1").build();
        assertEquals(List.of(17L, 0L, 100L), Scores.raw(priority, wanting, cluster));
    }

    @Test
    void countsOfTheLiveCacheAreStale() {
        ClusterState cluster = Clusters.cluster(
                node("n1").image(800_000_000, "nginx:latest").build(),
                node("n2").image(800_000_000, "nginx:latest").build(),
                node("n3").image(400_000_000, "nginx:latest").build());
        PodInfo wanting = pod("p").image("nginx").build();
        assertEquals(List.of(23L, 49L, 75L), Scores.raw(priority, wanting, cluster));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "23, 0", "24, 0", "32, 0", "33, 1", "999, 99", "1000, 100", "2000, 100"})
    void bounds(long mebibytes, long expected) {
        ClusterState cluster =
                Clusters.cluster(node("n1").image(mebibytes * MIB, "a:1").build());
        assertEquals(
                List.of(expected), Scores.raw(priority, pod("p").image("a:1").build(), cluster));
    }

    @Test
    void imageOfTwoContainersCountsTwiceAndInitImagesNever() {
        ClusterState cluster =
                Clusters.cluster(node("n1").image(400 * MIB, "a:1").build());
        assertEquals(List.of(38L), Scores.raw(priority, pod("p").image("a:1").build(), cluster));
        assertEquals(
                List.of(79L),
                Scores.raw(priority, pod("p").image("a:1").image("a:1").build(), cluster));
        assertEquals(
                List.of(0L),
                Scores.raw(priority, pod("p").image("b").initContainer("a:1").build(), cluster));
    }

    @ParameterizedTest
    @CsvSource({
        "nginx, nginx:latest",
        "localhost:5000/foo, localhost:5000/foo:latest",
        "repo/foo:1, repo/foo:1",
        "repo/foo@sha256:abc, repo/foo@sha256:abc",
        "'', ':latest'"
    })
    void namesWithoutTagMeanLatest(String image, String expected) {
        assertEquals(expected, new ImageScorer(List.of(image), 1).names().get(0));
    }

    @Test
    void zeroWithoutMetadata() {
        ClusterState cluster =
                Clusters.cluster(node("n1").image(1000 * MIB, "a:1").build());
        LabelSelector invalid =
                LabelSelector.of(Labels.EMPTY, List.of(LabelRequirement.ofLabelSelector("a", "Gt", List.of("1"))));
        assertEquals(List.of(0L), withConstraint("ScheduleAnyway", invalid, cluster));
        assertEquals(List.of(100L), withConstraint("DoNotSchedule", invalid, cluster));
        assertEquals(List.of(100L), withConstraint("ScheduleAnyway", LabelSelector.EVERYTHING, cluster));
    }

    @Test
    void dependsOnTheNumberOfNodes() {
        assertEquals("ImageLocalityPriority", priority.name());
        assertEquals(Scope.CLUSTER, priority.scope());
    }

    private List<Long> withConstraint(String mode, LabelSelector selector, ClusterState cluster) {
        PodInfo wanting = pod("p").image("a:1")
                .spread(new TopologySpreadConstraint(1, "zone", mode, selector))
                .build();
        return Scores.raw(priority, wanting, cluster);
    }

    private static void images(ClusterState cluster, String name, Map<String, ImageState> states) {
        NodeInfo info = Clusters.info(cluster, name);
        info.setNode(info.node(), states);
    }
}
