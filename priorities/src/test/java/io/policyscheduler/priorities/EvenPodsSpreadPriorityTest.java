package io.policyscheduler.priorities;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EvenPodsSpreadPriorityTest {
    private static final LabelSelector APP_A = LabelSelector.of(Labels.of("app", "a"), List.of());
    private static final Node N1 =
            node("n1").label("zone", "a").label("host", "n1").build();
    private static final Node N2 =
            node("n2").label("zone", "a").label("host", "n2").build();
    private static final Node N3 =
            node("n3").label("zone", "b").label("host", "n3").build();
    private static final Node N4 = node("n4").label("zone", "b").build();
    private static final Node BARE = node("n5").build();

    private final EvenPodsSpreadPriority priority = new EvenPodsSpreadPriority();

    private static TopologySpreadConstraint soft(String key, @Nullable LabelSelector selector) {
        return new TopologySpreadConstraint(1, key, "ScheduleAnyway", selector);
    }

    private static PodBuilder a(String name) {
        return pod(name).label("app", "a");
    }

    private static ClusterState example() {
        return cluster(
                N1,
                N2,
                N3,
                N4,
                a("e1").onNode("n1").build(),
                a("e2").onNode("n1").terminating().build(),
                a("e3").onNode("n2").build(),
                a("e4").onNode("n3").build(),
                a("e5").onNode("n4").build(),
                pod("unmatched").onNode("n3").build());
    }

    @Test
    void facts() {
        assertEquals("EvenPodsSpreadPriority", priority.name());
        assertEquals(Scope.TOPOLOGY, priority.scope());
    }

    @Test
    void twoConstraints() {
        PodInfo incoming =
                a("p").spread(soft("zone", APP_A)).spread(soft("host", APP_A)).build();
        assertEquals(List.of(5L, 4L, 2L, 0L), Scores.raw(priority, incoming, example()));
        assertEquals(List.of(66L, 77L, 100L, 0L), Scores.reduced(priority, incoming, example()));
    }

    @Test
    void podsOfOtherNamespacesCount() {
        PodInfo incoming = a("p").spread(soft("zone", APP_A)).build();
        ClusterState one =
                cluster(N1, N3, BARE, a("e").namespace("prod").onNode("n1").build());
        assertEquals(List.of(0L, 100L, 0L), Scores.reduced(priority, incoming, one));
        assertEquals(List.of(100L, 100L, 100L), Scores.reduced(priority, incoming, cluster(N1, N3, BARE)));
    }

    @Test
    void aSingleQualifiedNodeMakesEverybodyBest() {
        PodInfo incoming = a("p").spread(soft("zone", APP_A)).build();
        ClusterState cluster = cluster(N1, BARE, a("e").onNode("n1").build());
        assertEquals(List.of(100L, 100L), Scores.reduced(priority, incoming, cluster));
    }

    @Test
    void noQualifiedNodeOrNoConstraint() {
        assertEquals(
                List.of(0L, 0L, 0L, 0L),
                Scores.reduced(priority, a("p").spread(soft("rack", APP_A)).build(), example()));
        assertEquals(List.of(0L, 0L, 0L, 0L), Scores.reduced(priority, a("p").build(), example()));
        TopologySpreadConstraint hard = new TopologySpreadConstraint(1, "zone", "DoNotSchedule", APP_A);
        assertEquals(
                List.of(0L, 0L, 0L, 0L),
                Scores.reduced(priority, a("p").spread(hard).build(), example()));
    }

    @Test
    void sameKeyTwiceSharesItsCounts() {
        PodInfo incoming =
                a("p").spread(soft("zone", APP_A)).spread(soft("zone", APP_A)).build();
        // Zone a 3 and b 2 pods, added twice and read twice.
        assertEquals(List.of(12L, 12L, 8L, 8L), Scores.raw(priority, incoming, example()));
    }

    @Test
    void aMissingSelectorMatchesNothing() {
        PodInfo incoming = a("p").spread(soft("zone", null)).build();
        assertEquals(List.of(100L, 100L, 100L, 100L), Scores.reduced(priority, incoming, example()));
    }

    @Test
    void podsOnInfeasibleNodesCountPodsOnForbiddenNodesDoNot() {
        PodInfo incoming = a("p").spread(soft("zone", APP_A)).build();
        ClusterState cluster = example();
        List<NodeInfo> feasible = List.of(info(cluster, "n2"), info(cluster, "n3"));
        PodScorer scorer = priority.start(PodContext.of(incoming, cluster), feasible);
        long[] scores = {scorer.score(feasible.get(0)), scorer.score(feasible.get(1))};
        assertArrayEquals(new long[] {3, 2}, scores);
        scorer.normalize(feasible, scores);
        assertArrayEquals(new long[] {66, 100}, scores);

        PodInfo pinned =
                a("p").nodeSelector("host", "n2").spread(soft("zone", APP_A)).build();
        PodScorer ofPinned = priority.start(PodContext.of(pinned, cluster), feasible);
        assertEquals(1, ofPinned.score(feasible.get(0)));
        assertEquals(0, ofPinned.score(feasible.get(1)));
    }

    @Test
    void zeroWithoutMetadata() {
        LabelSelector invalid = new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Foo", List.of())));
        PodInfo incoming =
                a("p").spread(soft("zone", APP_A)).spread(soft("host", invalid)).build();
        assertEquals(List.of(0L, 0L, 0L, 0L), Scores.reduced(priority, incoming, example()));
    }
}
