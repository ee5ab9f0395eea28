package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServiceAffinityPriorityTest {
    private static final ServiceInfo SERVICE = new ServiceInfo("default", "s", Labels.of("app", "a"));
    private static final PodInfo INCOMING = a("p").build();

    private static PodBuilder a(String name) {
        return pod(name).label("app", "a");
    }

    private static ServiceAffinityPriority by(String... labels) {
        AlgorithmConfig d = AlgorithmConfig.defaults();
        return new ServiceAffinityPriority(new AlgorithmConfig(
                d.presentLabels(),
                d.absentLabels(),
                d.affinityLabels(),
                d.preferPresentLabels(),
                d.preferAbsentLabels(),
                List.of(labels),
                d.ratioShape(),
                d.ratioResources(),
                d.ignoredResources(),
                d.hardPodAffinityWeight(),
                d.gates(),
                d.environment(),
                Set.of()));
    }

    private static ClusterState example() {
        return cluster(
                node("n1").label("zone", "z1").label("rack", "r1").build(),
                node("n2").label("zone", "z1").label("rack", "r2").build(),
                node("n3").label("zone", "z2").build(),
                node("n4").build(),
                a("e1").onNode("n1").build(),
                a("e2").onNode("n1").build(),
                a("e3").onNode("n2").build(),
                a("e4").onNode("n3").build(),
                a("e5").onNode("n4").build(),
                a("gone").onNode("n3").terminating().build(),
                a("foreign").namespace("prod").onNode("n3").build(),
                pod("unmatched").onNode("n3").build());
    }

    private static ClusterState withService(ServiceInfo service) {
        ClusterState cluster = example();
        cluster.putObject(service);
        return cluster;
    }

    @Test
    void facts() {
        assertEquals("ServiceAffinity", by("zone").name());
        assertEquals(Scope.CLUSTER, by("zone").scope());
    }

    @Test
    void spreadsOverValues() {
        ClusterState cluster = withService(SERVICE);
        assertEquals(List.of(2L, 1L, 1L, 1L), Scores.raw(by("zone"), INCOMING, cluster));
        assertEquals(List.of(40L, 40L, 80L, 0L), Scores.reduced(by("zone"), INCOMING, cluster));
        assertEquals(List.of(50L, 60L, 40L, 0L), Scores.reduced(by("zone", "rack"), INCOMING, cluster));
        assertEquals(List.of(0L, 0L, 0L, 0L), Scores.reduced(by("shelf"), INCOMING, cluster));
        assertEquals(List.of(0L, 0L, 0L, 0L), Scores.reduced(by(), INCOMING, cluster));
    }

    @Test
    void withoutServiceLabelledNodesAreBest() {
        assertEquals(List.of(100L, 100L, 100L, 0L), Scores.reduced(by("zone"), INCOMING, example()));
        assertEquals(List.of(100L, 100L, 50L, 0L), Scores.reduced(by("zone", "rack"), INCOMING, example()));
        ServiceInfo everything = new ServiceInfo("default", "all", Labels.EMPTY);
        assertEquals(List.of(0L, 0L, 0L, 0L), Scores.raw(by("zone"), INCOMING, withService(everything)));
    }

    @Test
    void onlyTheFirstServiceCounts() {
        ClusterState cluster = withService(SERVICE);
        cluster.putObject(new ServiceInfo("default", "t", Labels.of("tier", "x")));
        PodInfo both = a("p").label("tier", "x").build();
        assertEquals(List.of(2L, 1L, 1L, 1L), Scores.raw(by("zone"), both, cluster));
    }

    /** Nodes of another cluster have labels of their own. */
    @Test
    void readsLabelsOfNodesThatTheClusterDoesNotKnow() {
        PodScorer scorer = by("zone", "rack").start(PodContext.of(INCOMING, withService(SERVICE)), List.of());
        long[] scores = {2, 1, 1, 1};
        scorer.normalize(example().nodes(), scores);
        assertArrayEquals(new long[] {50, 60, 40, 0}, scores);
    }
}
