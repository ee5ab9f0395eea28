package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
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

class EvenPodsSpreadTest {
    private static final LabelSelector APP_A = LabelSelector.of(Labels.of("app", "a"), List.of());
    private static final Node N1 =
            node("n1").label("zone", "a").label("host", "n1").build();
    private static final Node N2 =
            node("n2").label("zone", "a").label("host", "n2").build();
    private static final Node N3 =
            node("n3").label("zone", "b").label("host", "n3").build();
    private static final Node N4 = node("n4").label("zone", "b").build();

    private final EvenPodsSpread predicate = new EvenPodsSpread();

    private static TopologySpreadConstraint hard(int maxSkew, String key, @Nullable LabelSelector selector) {
        return new TopologySpreadConstraint(maxSkew, key, "DoNotSchedule", selector);
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
                a("other").namespace("prod").onNode("n3").build(),
                pod("unmatched").onNode("n3").build());
    }

    private static List<Boolean> fits(PodFilter filter, ClusterState cluster) {
        return List.of("n1", "n2", "n3", "n4").stream()
                .map(name -> filter.check(info(cluster, name)).fits())
                .toList();
    }

    private List<Boolean> fits(PodInfo pod, ClusterState cluster) {
        return fits(predicate.start(PodContext.of(pod, cluster)), cluster);
    }

    @Test
    void facts() {
        assertEquals("EvenPodsSpread", predicate.name());
        assertEquals(Scope.CLUSTER, predicate.scope());
        assertTrue(predicate.needsMetadata());
    }

    @Test
    void twoConstraintsTogether() {
        PodInfo incoming = a("p").spread(hard(1, "zone", APP_A))
                .spread(hard(1, "host", APP_A))
                .build();
        assertEquals(List.of(false, false, true, false), fits(incoming, example()));
        assertEquals(
                new Verdict(
                        List.of(FailureReason.resolvable("node(s) didn't match pod topology spread constraints")),
                        null),
                Checks.verdict(predicate, incoming, example(), "n1"));
    }

    @Test
    void oneConstraintAtItsLimits() {
        // zone a 3, zone b 2 pods.
        assertEquals(
                List.of(false, false, true, true),
                fits(a("p").spread(hard(1, "zone", APP_A)).build(), example()));
        assertEquals(
                List.of(true, true, true, true),
                fits(a("p").spread(hard(2, "zone", APP_A)).build(), example()));
        // A pod that its own selector does not count adds nothing.
        assertEquals(
                List.of(true, true, true, true),
                fits(pod("p").spread(hard(1, "zone", APP_A)).build(), example()));
        // Everything in the namespace counts: 3 in zone a, 3 in zone b.
        assertEquals(
                List.of(true, true, true, true),
                fits(pod("p").spread(hard(1, "zone", LabelSelector.EVERYTHING)).build(), example()));
        assertEquals(
                List.of(true, true, true, true),
                fits(a("p").spread(hard(1, "zone", null)).build(), example()));
    }

    @Test
    void onlyNodesThePodMayUseSetTheMinimum() {
        PodInfo incoming =
                a("p").nodeSelector("host", "n1").spread(hard(1, "zone", APP_A)).build();
        // Zone a alone is eligible with the 2 pods of n1; elsewhere nothing is counted.
        assertEquals(List.of(true, true, true, true), fits(incoming, example()));
        PodInfo nobody = a("p").spread(hard(1, "rack", APP_A)).build();
        assertEquals(List.of(true, true, true, true), fits(nobody, example()));
    }

    @Test
    void softConstraintsAreNotItsBusiness() {
        TopologySpreadConstraint soft = new TopologySpreadConstraint(1, "zone", "ScheduleAnyway", APP_A);
        assertEquals(List.of(true, true, true, true), fits(a("p").spread(soft).build(), example()));
        assertEquals(List.of(true, true, true, true), fits(a("p").build(), example()));
    }

    @Test
    void sameKeyTwiceSharesItsCounts() {
        // Counted twice: zone a 6, zone b 4; skew 6 + 1 - 4 = 3 and 4 + 1 - 4 = 1.
        PodInfo incoming = a("p").spread(hard(2, "zone", APP_A))
                .spread(hard(2, "zone", APP_A))
                .build();
        assertEquals(List.of(false, false, true, true), fits(incoming, example()));
    }

    @Test
    void withoutMetadataAnErrorEverywhere() {
        LabelSelector invalid = new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Foo", List.of())));
        PodInfo incoming = a("p").spread(hard(1, "zone", invalid)).build();
        assertFalse(PodContext.of(incoming, example()).metadataAvailable());
        Verdict error = Verdict.error("metadata not pre-computed for EvenPodsSpreadPredicate");
        assertEquals(error, Checks.verdict(predicate, incoming, example(), "n1"));
        PodFilter unconcerned = predicate.start(new PodContext(pod("q").build(), example(), false));
        assertEquals(error, unconcerned.check(info(example(), "n1")));
    }

    @Test
    void followsChangesOnACopy() {
        ClusterState cluster = example();
        NodeInfo n1 = info(cluster, "n1");
        PodFilter filter = predicate.start(
                PodContext.of(a("p").spread(hard(1, "zone", APP_A)).build(), cluster));
        PodFilter copy = filter.copy();
        assertNull(copy.removePod(a("e1").onNode("n1").build(), n1));
        // zone a 2, zone b 2.
        assertEquals(List.of(true, true, true, true), fits(copy, cluster));
        assertNull(copy.removePod(a("e2").onNode("n1").build(), n1));
        // zone a 1 is the new minimum, zone b 2.
        assertEquals(List.of(true, true, false, false), fits(copy, cluster));
        assertNull(copy.addPod(a("e1").onNode("n1").build(), n1));
        assertNull(copy.addPod(a("e2").onNode("n1").build(), n1));
        assertEquals(List.of(false, false, true, true), fits(copy, cluster));
        assertEquals(List.of(false, false, true, true), fits(filter, cluster));
        // Others' pods change nothing.
        assertNull(copy.removePod(a("x").namespace("prod").onNode("n1").build(), n1));
        assertNull(copy.removePod(pod("y").onNode("n1").build(), n1));
        assertEquals(List.of(false, false, true, true), fits(copy, cluster));
    }

    @Test
    void changesOnSeveralNodesAndOnNodesWithoutAKey() {
        ClusterState cluster = example();
        PodFilter copy = predicate
                .start(PodContext.of(
                        a("p").spread(hard(1, "zone", APP_A))
                                .spread(hard(1, "host", APP_A))
                                .build(),
                        cluster))
                .copy();
        // n4 lacks a key: its pods never count.
        assertNull(copy.addPod(a("x").onNode("n4").build(), info(cluster, "n4")));
        assertEquals(List.of(false, false, true, false), fits(copy, cluster));
        // zone a 1 and b 1, hosts 0, 1 and 1.
        assertNull(copy.removePod(a("e1").onNode("n1").build(), info(cluster, "n1")));
        assertNull(copy.removePod(a("e2").onNode("n1").build(), info(cluster, "n1")));
        assertEquals(List.of(true, false, false, false), fits(copy, cluster));
        assertNull(copy.removePod(a("e3").onNode("n2").build(), info(cluster, "n2")));
        assertNull(copy.removePod(a("e4").onNode("n3").build(), info(cluster, "n3")));
        assertEquals(List.of(true, true, true, false), fits(copy, cluster));
    }

    @Test
    void aPodAddedWhereNothingWasCountedMakesTheConstraintCount() {
        ClusterState cluster = cluster(N1, N3, node("n5").build());
        PodInfo incoming = a("p").nodeSelector("host", "none")
                .spread(hard(1, "zone", APP_A))
                .build();
        PodFilter copy = predicate.start(PodContext.of(incoming, cluster)).copy();
        assertTrue(copy.check(info(cluster, "n5")).fits());
        assertNull(copy.addPod(a("x").onNode("n1").build(), info(cluster, "n1")));
        assertTrue(copy.check(info(cluster, "n1")).fits());
        assertTrue(copy.check(info(cluster, "n3")).fits());
        assertFalse(copy.check(info(cluster, "n5")).fits());
    }

    @Test
    void aChangeConcernsTheConstraintsThatSelectThePod() {
        LabelSelector appB = LabelSelector.of(Labels.of("app", "b"), List.of());
        ClusterState cluster = cluster(N1, N2, N3);
        PodInfo incoming = a("p").spread(hard(1, "zone", APP_A))
                .spread(hard(1, "host", appB))
                .spread(hard(1, "zone", null))
                .build();
        PodFilter copy = predicate.start(PodContext.of(incoming, cluster)).copy();
        assertNull(copy.addPod(a("x").onNode("n1").build(), info(cluster, "n1")));
        assertFalse(copy.check(info(cluster, "n1")).fits());
        assertFalse(copy.check(info(cluster, "n2")).fits());
        assertTrue(copy.check(info(cluster, "n3")).fits());
    }

    @Test
    void aPodOnANodeThatThePodMayNotUseStillMovesTheMinimum() {
        ClusterState cluster = cluster(N1, N3, a("e").onNode("n3").build());
        PodInfo incoming =
                a("p").nodeSelector("host", "n1").spread(hard(1, "zone", APP_A)).build();
        PodFilter copy = predicate.start(PodContext.of(incoming, cluster)).copy();
        assertTrue(copy.check(info(cluster, "n1")).fits());
        // Zone b was not counted at the start, so that taking its pod away leaves -1.
        assertNull(copy.removePod(a("e").onNode("n3").build(), info(cluster, "n3")));
        assertFalse(copy.check(info(cluster, "n1")).fits());
        assertTrue(copy.check(info(cluster, "n3")).fits());
    }
}
