package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MatchInterPodAffinityTest {
    private static final String GENERIC = "node(s) didn't match pod affinity/anti-affinity";
    private static final List<String> AFFINITY = List.of(GENERIC, "node(s) didn't match pod affinity rules");
    private static final List<String> ANTI = List.of(GENERIC, "node(s) didn't match pod anti-affinity rules");
    private static final List<String> EXISTING =
            List.of(GENERIC, "node(s) didn't satisfy existing pods anti-affinity rules");
    private static final List<String> FITS = List.of();

    private static final Node N1 =
            node("n1").label("zone", "z").label("host", "n1").build();
    private static final Node N2 =
            node("n2").label("zone", "y").label("host", "n2").build();
    private static final Node N3 = node("n3").build();
    private static final PodAffinityTerm ZONE_A = term("zone", "a");
    private static final PodAffinityTerm HOST_A = term("host", "a");

    private final MatchInterPodAffinity predicate = new MatchInterPodAffinity(Release.V1_17);

    private static PodAffinityTerm term(String key, String app, String... namespaces) {
        return new PodAffinityTerm(LabelSelector.of(Labels.of("app", app), List.of()), List.of(namespaces), key, null);
    }

    private PodFilter start(PodInfo pod, ClusterState cluster) {
        return predicate.start(PodContext.of(pod, cluster));
    }

    private static List<String> texts(PodFilter filter, NodeInfo node) {
        return filter.check(node).reasons().stream().map(FailureReason::text).toList();
    }

    /** Reasons on n1, n2 and n3. */
    private static List<List<String>> texts(PodFilter filter, ClusterState cluster) {
        return List.of(
                texts(filter, info(cluster, "n1")),
                texts(filter, info(cluster, "n2")),
                texts(filter, info(cluster, "n3")));
    }

    private List<List<String>> texts(PodInfo pod, ClusterState cluster) {
        return texts(start(pod, cluster), cluster);
    }

    @Test
    void facts() {
        assertEquals("MatchInterPodAffinity", predicate.name());
        assertEquals(Scope.CLUSTER, predicate.scope());
        assertTrue(predicate.needsMetadata());
    }

    @Test
    void existingAntiAffinityIsReportedBeforeTheOwn() {
        ClusterState cluster = cluster(
                N1,
                N2,
                N3,
                pod("e").label("app", "a").podAntiAffinity(ZONE_A).onNode("n1").build());
        PodInfo incoming = pod("p").label("app", "a").podAntiAffinity(ZONE_A).build();
        assertEquals(List.of(EXISTING, FITS, FITS), texts(incoming, cluster));
        // A pod without any affinity is kept away too, one of another label or namespace is not.
        assertEquals(
                List.of(EXISTING, FITS, FITS), texts(pod("q").label("app", "a").build(), cluster));
        assertEquals(List.of(FITS, FITS, FITS), texts(pod("q").label("app", "b").build(), cluster));
        assertEquals(
                List.of(FITS, FITS, FITS),
                texts(pod("q").namespace("x").label("app", "a").build(), cluster));
    }

    @Test
    void ownAntiAffinityByAnyTerm() {
        ClusterState cluster = cluster(
                N1,
                N2,
                N3,
                pod("e").label("app", "a").onNode("n1").build(),
                pod("f").label("app", "b").onNode("n2").terminating().build(),
                pod("g").label("app", "a").onNode("n3").build());
        assertEquals(
                List.of(ANTI, FITS, FITS),
                texts(pod("p").podAntiAffinity(ZONE_A).build(), cluster));
        assertEquals(
                List.of(ANTI, ANTI, FITS),
                texts(pod("p").podAntiAffinity(ZONE_A, term("host", "b")).build(), cluster));
        assertEquals(
                List.of(FITS, FITS, FITS),
                texts(pod("p").podAntiAffinity(term("zone", "a", "elsewhere")).build(), cluster));
        PodAffinityTerm nothing = new PodAffinityTerm(null, List.of(), "zone", null);
        PodAffinityTerm everything = new PodAffinityTerm(LabelSelector.EVERYTHING, List.of(), "zone", null);
        PodAffinityTerm noKey = new PodAffinityTerm(LabelSelector.EVERYTHING, List.of(), "", null);
        assertEquals(
                List.of(FITS, FITS, FITS),
                texts(pod("p").podAntiAffinity(nothing, noKey).build(), cluster));
        assertEquals(
                List.of(ANTI, ANTI, FITS),
                texts(pod("p").podAntiAffinity(everything).build(), cluster));
    }

    @Test
    void affinityWantsPodsThatMatchAllTerms() {
        PodAffinityTerm hostB = term("host", "b");
        ClusterState apart = cluster(
                N1,
                N2,
                N3,
                pod("e").label("app", "a").onNode("n1").build(),
                pod("f").label("app", "b").onNode("n1").build());
        assertEquals(
                List.of(FITS, AFFINITY, AFFINITY),
                texts(pod("p").podAffinity(ZONE_A).build(), apart));
        // Each term has a pod in place, but no pod matches both selectors.
        assertEquals(
                List.of(AFFINITY, AFFINITY, AFFINITY),
                texts(pod("p").podAffinity(ZONE_A, hostB).build(), apart));
        // Two pods that match all terms may serve one term each.
        Node shared = node("n4").label("zone", "z").label("host", "n2").build();
        ClusterState split = cluster(
                N1,
                N2,
                shared,
                pod("e").label("app", "a").onNode("n1").build(),
                pod("f").label("app", "a").onNode("n2").build());
        PodFilter filter = start(pod("p").podAffinity(ZONE_A, HOST_A).build(), split);
        assertEquals(FITS, texts(filter, info(split, "n4")));
    }

    @Test
    void theFirstOfAGroupGoesAnywhere() {
        PodInfo selfish = pod("p").label("app", "a").podAffinity(ZONE_A).build();
        ClusterState empty = cluster(N1, N2, N3);
        assertEquals(List.of(FITS, FITS, FITS), texts(selfish, empty));
        // The pod does not match itself.
        assertEquals(
                List.of(AFFINITY, AFFINITY, AFFINITY),
                texts(pod("p").podAffinity(ZONE_A).build(), empty));
        // A match on a node without the label does not count as a first member.
        ClusterState unlabelled =
                cluster(N1, N2, N3, pod("e").label("app", "a").onNode("n3").build());
        assertEquals(List.of(FITS, FITS, FITS), texts(selfish, unlabelled));
        ClusterState labelled =
                cluster(N1, N2, N3, pod("e").label("app", "a").onNode("n1").build());
        assertEquals(List.of(FITS, AFFINITY, AFFINITY), texts(selfish, labelled));
    }

    @Test
    void removingTheLastMatchMakesThePodTheFirst() {
        PodInfo last = pod("e").label("app", "a").onNode("n1").build();
        ClusterState cluster = cluster(N1, N2, N3, last);
        PodFilter filter =
                start(pod("p").label("app", "a").podAffinity(ZONE_A, HOST_A).build(), cluster);
        PodFilter copy = filter.copy();
        assertNull(copy.removePod(last, info(cluster, "n1")));
        assertEquals(List.of(FITS, FITS, FITS), texts(copy, cluster));
        assertEquals(List.of(FITS, AFFINITY, AFFINITY), texts(filter, cluster));
        PodFilter again = copy.copy();
        assertNull(again.addPod(last, info(cluster, "n1")));
        assertEquals(List.of(FITS, AFFINITY, AFFINITY), texts(again, cluster));
        assertEquals(List.of(FITS, FITS, FITS), texts(copy, cluster));
    }

    @Test
    void nominatedPodsCountByTheirOwnAntiAffinityOnly() {
        ClusterState cluster = cluster(N1, N2, N3);
        PodInfo nominated = pod("m").label("app", "a").nominatedTo("n1").build();
        PodInfo incoming = pod("p").label("app", "x").podAntiAffinity(HOST_A).build();
        PodFilter filter = start(incoming, cluster).copy();
        assertNull(filter.addPod(nominated, info(cluster, "n1")));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
        assertNull(filter.removePod(nominated, info(cluster, "n1")));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));

        PodInfo hostile =
                pod("h").podAntiAffinity(term("zone", "x")).nominatedTo("n2").build();
        assertNull(filter.addPod(hostile, info(cluster, "n2")));
        assertEquals(List.of(FITS, EXISTING, FITS), texts(filter, cluster));
        assertNull(filter.removePod(hostile, info(cluster, "n2")));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
    }

    @Test
    void existingAntiAffinityEndsWithItsLastPod() {
        // Two terms for the same pair: the pod leaves with both.
        PodInfo e = pod("e").podAntiAffinity(ZONE_A, ZONE_A).onNode("n1").build();
        PodInfo f = pod("f").podAntiAffinity(ZONE_A).onNode("n1").build();
        ClusterState cluster = cluster(N1, N2, N3, e, f);
        PodFilter filter = start(pod("p").label("app", "a").build(), cluster).copy();
        assertNull(filter.removePod(e, info(cluster, "n1")));
        assertEquals(List.of(EXISTING, FITS, FITS), texts(filter, cluster));
        assertNull(filter.removePod(f, info(cluster, "n1")));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
    }

    @Test
    void aPodAddedLaterCountsByEveryAntiAffinityTerm() {
        PodInfo victim = pod("v").label("app", "a").onNode("n1").build();
        Node sameHost = node("n4").label("host", "n1").build();
        ClusterState cluster = cluster(N1, N2, N3, sameHost, victim);
        // Of the two terms the victim matches the one by zone only.
        PodInfo incoming = pod("p").podAntiAffinity(ZONE_A, term("host", "b")).build();
        PodFilter filter = start(incoming, cluster).copy();
        NodeInfo n1 = info(cluster, "n1");
        NodeInfo n4 = info(cluster, "n4");
        assertEquals(FITS, texts(filter, n4));
        assertNull(filter.removePod(victim, n1));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
        assertNull(filter.addPod(victim, n1));
        assertEquals(ANTI, texts(filter, n1));
        assertEquals(ANTI, texts(filter, n4));
        assertNull(filter.removePod(victim, n1));
        assertEquals(FITS, texts(filter, n1));
        assertEquals(FITS, texts(filter, n4));
    }

    @Test
    void aPodAddedLaterThatMatchesNoAntiAffinityTermDoesNotCount() {
        ClusterState cluster = cluster(N1, N2, N3);
        PodInfo incoming = pod("p").podAntiAffinity(ZONE_A, term("host", "b")).build();
        PodFilter filter = start(incoming, cluster).copy();
        PodInfo other = pod("c").label("app", "c").onNode("n1").build();
        assertNull(filter.addPod(other, info(cluster, "n1")));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
        // Nor does it take anything away that others put there.
        PodInfo hit = pod("a").label("app", "a").onNode("n1").build();
        assertNull(filter.addPod(hit, info(cluster, "n1")));
        assertNull(filter.removePod(other, info(cluster, "n1")));
        assertEquals(List.of(ANTI, FITS, FITS), texts(filter, cluster));
    }

    @Test
    void anInvalidOwnAntiAffinityTermCountsNoPodAddedLater() {
        // Without any pod nobody has noticed the invalid term.
        ClusterState cluster = cluster(N1, N2, N3);
        PodFilter filter = start(
                        pod("p").podAntiAffinity(ZONE_A, invalid("host")).build(), cluster)
                .copy();
        assertNull(filter.addPod(pod("a").label("app", "a").onNode("n1").build(), info(cluster, "n1")));
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
    }

    @Test
    void aNominatedPodWithAnInvalidSelectorIsAnError() {
        ClusterState cluster = cluster(N1, N2, N3);
        PodFilter filter = start(pod("p").label("app", "a").build(), cluster).copy();
        PodInfo broken = pod("b").podAntiAffinity(invalid("zone")).build();
        @Nullable String error = filter.addPod(broken, info(cluster, "n1"));
        assertEquals("\"Foo\" is not a valid pod selector operator", error);
        assertEquals(List.of(FITS, FITS, FITS), texts(filter, cluster));
    }

    @Test
    void anEmptyAffinityObjectDemandsNothing() {
        ClusterState cluster =
                cluster(N1, N2, N3, pod("e").podAntiAffinity().onNode("n1").build());
        assertEquals(
                List.of(FITS, FITS, FITS),
                texts(pod("p").podAffinity().podAntiAffinity().build(), cluster));
    }

    static PodAffinityTerm invalid(String key) {
        return new PodAffinityTerm(
                new LabelSelector(List.of(LabelRequirement.ofLabelSelector("app", "Foo", List.of()))),
                List.of(),
                key,
                null);
    }
}
