package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InterPodAffinityPriorityTest {
    private static final Node N1 =
            node("n1").label("zone", "a").label("h", "n1").build();
    private static final Node N2 =
            node("n2").label("zone", "a").label("h", "n2").build();
    private static final Node N3 =
            node("n3").label("zone", "b").label("h", "n3").build();
    private static final Node N4 = node("n4").build();
    private static final LabelSelector INVALID =
            new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Foo", List.of())));

    private static InterPodAffinityPriority weighing(int hardWeight) {
        AlgorithmConfig d = AlgorithmConfig.defaults();
        return new InterPodAffinityPriority(new AlgorithmConfig(
                d.presentLabels(),
                d.absentLabels(),
                d.affinityLabels(),
                d.preferPresentLabels(),
                d.preferAbsentLabels(),
                d.antiAffinityLabels(),
                d.ratioShape(),
                d.ratioResources(),
                d.ignoredResources(),
                hardWeight,
                d.gates(),
                d.environment(),
                Set.of()));
    }

    private static PodAffinityTerm term(String key, String app, String... namespaces) {
        return new PodAffinityTerm(LabelSelector.of(Labels.of("app", app), List.of()), List.of(namespaces), key, null);
    }

    private static ClusterState example() {
        return cluster(
                N1,
                N2,
                N3,
                N4,
                pod("e1").label("app", "web").onNode("n1").build(),
                pod("e2").label("app", "db").onNode("n3").build(),
                pod("e3").podAffinity(term("h", "p")).onNode("n2").build());
    }

    @Test
    void facts() {
        assertEquals("InterPodAffinityPriority", weighing(1).name());
        assertEquals(Scope.CLUSTER, weighing(1).scope());
    }

    @Test
    void bothSidesAddUp() {
        PodInfo incoming = pod("p").label("app", "p")
                .preferredPodAffinity(8, term("zone", "web"))
                .preferredPodAntiAffinity(5, term("zone", "db"))
                .build();
        assertEquals(List.of(8L, 9L, -5L, 0L), Scores.raw(weighing(1), incoming, example()));
        assertEquals(List.of(92L, 100L, 0L, 35L), Scores.reduced(weighing(1), incoming, example()));
        assertEquals(List.of(8L, 18L, -5L, 0L), Scores.raw(weighing(10), incoming, example()));
        assertEquals(List.of(8L, 8L, -5L, 0L), Scores.raw(weighing(0), incoming, example()));
    }

    @Test
    void existingPodsAloneHaveAnOpinion() {
        ClusterState cluster = cluster(
                N1,
                N2,
                N3,
                N4,
                pod("e1")
                        .preferredPodAffinity(3, term("zone", "p"))
                        .onNode("n1")
                        .terminating()
                        .build(),
                pod("e2")
                        .preferredPodAntiAffinity(4, term("zone", "p"))
                        .onNode("n3")
                        .build(),
                pod("e3").podAntiAffinity(term("zone", "p")).onNode("n3").build(),
                pod("e4")
                        .preferredPodAffinity(50, term("zone", "p"))
                        .onNode("n4")
                        .build(),
                pod("e5")
                        .namespace("x")
                        .preferredPodAffinity(50, term("zone", "p"))
                        .onNode("n3")
                        .build(),
                pod("e6")
                        .namespace("x")
                        .preferredPodAffinity(1, term("h", "p", "default"))
                        .onNode("n2")
                        .build());
        assertEquals(
                List.of(3L, 4L, -4L, 0L),
                Scores.raw(weighing(1), pod("p").label("app", "p").build(), cluster));
        assertEquals(
                List.of(87L, 100L, 0L, 50L),
                Scores.reduced(weighing(1), pod("p").label("app", "p").build(), cluster));
    }

    @Test
    void equalValuesAreAllBestOrAllWorst() {
        ClusterState cluster =
                cluster(N1, N2, pod("e").label("app", "web").onNode("n1").build());
        PodInfo likes = pod("p").preferredPodAffinity(7, term("zone", "web")).build();
        PodInfo avoids =
                pod("p").preferredPodAntiAffinity(7, term("zone", "web")).build();
        assertEquals(List.of(7L, 7L), Scores.raw(weighing(1), likes, cluster));
        assertEquals(List.of(100L, 100L), Scores.reduced(weighing(1), likes, cluster));
        assertEquals(List.of(0L, 0L), Scores.reduced(weighing(1), avoids, cluster));
    }

    @Test
    void nothingApplies() {
        List<Long> zeros = List.of(0L, 0L, 0L, 0L);
        assertEquals(zeros, Scores.reduced(weighing(1), pod("q").build(), example()));
        // Required affinity of the pod itself is no preference.
        PodInfo required = pod("q").podAffinity(term("zone", "web")).build();
        assertEquals(zeros, Scores.reduced(weighing(1), required, example()));
        PodAffinityTerm nobody = new PodAffinityTerm(null, List.of(), "zone", null);
        assertEquals(
                zeros,
                Scores.reduced(
                        weighing(1), pod("q").preferredPodAffinity(9, nobody).build(), example()));
    }

    @Test
    void anInvalidSelectorVoidsEverything() {
        PodAffinityTerm invalid = new PodAffinityTerm(INVALID, List.of(), "zone", null);
        PodInfo incoming = pod("p").label("app", "p")
                .preferredPodAffinity(8, term("zone", "web"))
                .build();
        List<Long> zeros = List.of(0L, 0L, 0L, 0L);
        ClusterState broken = example();
        broken.addPod(pod("b").preferredPodAffinity(1, invalid).onNode("n3").build());
        assertEquals(zeros, Scores.reduced(weighing(1), incoming, broken));
        PodInfo ownFault = pod("p").label("app", "p")
                .preferredPodAffinity(8, term("zone", "web"))
                .preferredPodAntiAffinity(8, invalid)
                .build();
        assertEquals(zeros, Scores.reduced(weighing(1), ownFault, example()));
        // Required affinity is examined only where it has a weight.
        ClusterState required = example();
        required.addPod(pod("b").podAffinity(invalid).onNode("n3").build());
        assertEquals(zeros, Scores.reduced(weighing(1), incoming, required));
        assertEquals(List.of(8L, 8L, 0L, 0L), Scores.raw(weighing(0), incoming, required));
        // Pods on nodes without labels are not examined.
        ClusterState unseen = example();
        unseen.addPod(pod("b").preferredPodAffinity(1, invalid).onNode("n4").build());
        assertEquals(List.of(8L, 9L, 0L, 0L), Scores.raw(weighing(1), incoming, unseen));
    }

    @Test
    void zeroWithoutMetadata() {
        PodInfo incoming = pod("p").label("app", "p")
                .preferredPodAffinity(8, term("zone", "web"))
                .spread(new TopologySpreadConstraint(1, "zone", "ScheduleAnyway", INVALID))
                .build();
        assertEquals(List.of(0L, 0L, 0L, 0L), Scores.reduced(weighing(1), incoming, example()));
    }
}
