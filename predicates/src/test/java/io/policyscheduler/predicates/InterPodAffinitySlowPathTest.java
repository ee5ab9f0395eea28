package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterPodAffinitySlowPathTest {
    private static final Node N1 =
            node("n1").label("zone", "z").label("host", "n1").build();
    private static final Node N2 =
            node("n2").label("zone", "y").label("host", "n2").build();
    private static final Node N3 = node("n3").build();
    private static final PodAffinityTerm INVALID = MatchInterPodAffinityTest.invalid("zone");

    private static PodAffinityTerm term(String key, String app) {
        return new PodAffinityTerm(LabelSelector.of(Labels.of("app", app), List.of()), List.of(), key, null);
    }

    /** As if some hard spread constraint could not be evaluated, which has no part in the comparison itself. */
    private static List<Verdict> verdicts(PodInfo pod, ClusterState cluster) {
        PodFilter filter = new MatchInterPodAffinity(Release.V1_17).start(new PodContext(pod, cluster, false));
        return List.of(
                filter.check(info(cluster, "n1")),
                filter.check(info(cluster, "n2")),
                filter.check(info(cluster, "n3")));
    }

    private static List<Verdict> everywhere(Verdict verdict) {
        return List.of(verdict, verdict, verdict);
    }

    @Test
    void existingAntiAffinity() {
        ClusterState cluster = cluster(
                N1,
                N2,
                N3,
                pod("e").podAntiAffinity(term("zone", "a")).onNode("n1").build());
        assertEquals(
                List.of(MatchInterPodAffinity.EXISTING_ANTI_AFFINITY_FAILS, Verdict.FITS, Verdict.FITS),
                verdicts(pod("p").label("app", "a").build(), cluster));
        assertEquals(everywhere(Verdict.FITS), verdicts(pod("p").build(), cluster));
    }

    @Test
    void aPodTakenFromTheNodeNoLongerCounts() {
        PodInfo e = pod("e").podAntiAffinity(term("zone", "a")).onNode("n1").build();
        ClusterState cluster = cluster(N1, N2, N3, e);
        PodInfo incoming = pod("p").label("app", "a").build();
        NodeInfo without = info(cluster, "n1").copy();
        without.removePod(e);
        PodFilter filter = new MatchInterPodAffinity(Release.V1_17).start(new PodContext(incoming, cluster, false));
        assertEquals(Verdict.FITS, filter.check(without));
    }

    @Test
    void aPodTakenFromTheNodeNoLongerMeetsTheOwnTerms() {
        PodInfo e = pod("e").label("app", "a").onNode("n1").build();
        ClusterState cluster = cluster(N1, N2, N3, e);
        // Namespace and name together tell who is still there.
        NodeInfo without = info(cluster, "n1").copy();
        without.removePod(e);
        without.addPod(pod("e").namespace("prod").onNode("n1").build());
        without.addPod(pod("f").onNode("n1").build());
        PodFilter avoiding = new MatchInterPodAffinity(Release.V1_17)
                .start(new PodContext(
                        pod("p").podAntiAffinity(term("host", "a")).build(), cluster, false));
        assertEquals(MatchInterPodAffinity.ANTI_AFFINITY_FAILS, avoiding.check(info(cluster, "n1")));
        assertEquals(Verdict.FITS, avoiding.check(without));
        PodFilter following = new MatchInterPodAffinity(Release.V1_17)
                .start(new PodContext(pod("p").podAffinity(term("host", "a")).build(), cluster, false));
        assertEquals(Verdict.FITS, following.check(info(cluster, "n1")));
        assertEquals(MatchInterPodAffinity.AFFINITY_FAILS, following.check(without));
    }

    @Test
    void anInvalidSelectorOfAnExistingPodIsAnErrorOnEveryNode() {
        ClusterState cluster = cluster(
                N1, N2, N3, pod("e").podAntiAffinity(INVALID).onNode("n1").build());
        PodInfo incoming = pod("p").build();
        assertFalse(PodContext.of(incoming, cluster).metadataAvailable());
        assertEquals(
                everywhere(Verdict.error("Failed to get all terms that match pod default/p: "
                        + "\"Foo\" is not a valid pod selector operator")),
                verdicts(incoming, cluster));
    }

    @Test
    void invalidOwnAffinityIsAnErrorOnceThereIsAPod() {
        PodInfo incoming = pod("p").podAffinity(INVALID).build();
        ClusterState cluster = cluster(N1, N2, N3, pod("e").onNode("n1").build());
        assertFalse(PodContext.of(incoming, cluster).metadataAvailable());
        String tail = ", because of PodAffinity: \"Foo\" is not a valid pod selector operator";
        assertEquals(
                List.of(
                        Verdict.error("Cannot schedule pod default/p onto node n1" + tail),
                        Verdict.error("Cannot schedule pod default/p onto node n2" + tail),
                        Verdict.error("Cannot schedule pod default/p onto node n3" + tail)),
                verdicts(incoming, cluster));
        assertEquals(everywhere(MatchInterPodAffinity.AFFINITY_FAILS), verdicts(incoming, cluster(N1, N2, N3)));
    }

    @Test
    void invalidOwnAntiAffinityBlocks() {
        PodInfo incoming = pod("p").podAntiAffinity(INVALID).build();
        ClusterState cluster = cluster(N1, N2, N3, pod("e").onNode("n1").build());
        assertFalse(PodContext.of(incoming, cluster).metadataAvailable());
        assertEquals(everywhere(MatchInterPodAffinity.ANTI_AFFINITY_FAILS), verdicts(incoming, cluster));
    }

    @Test
    void anEmptyTopologyKeyIsAnErrorOrBlocks() {
        ClusterState cluster =
                cluster(N1, N2, N3, pod("e").label("app", "a").onNode("n1").build());
        assertEquals(
                Verdict.error("Cannot schedule pod default/p onto node n1, because of PodAffinity: "
                        + "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity"),
                verdicts(pod("p").podAffinity(term("", "a")).build(), cluster).get(0));
        assertEquals(
                everywhere(MatchInterPodAffinity.ANTI_AFFINITY_FAILS),
                verdicts(pod("p").podAntiAffinity(term("", "a")).build(), cluster));
        // The key is not reached while the selector does not match.
        assertEquals(
                everywhere(Verdict.FITS),
                verdicts(pod("p").podAntiAffinity(term("", "b")).build(), cluster));
    }

    @Test
    void ownAntiAffinityNeedsAllTermsAndComesFirst() {
        ClusterState cluster =
                cluster(N1, N2, N3, pod("e").label("app", "a").onNode("n1").build());
        assertEquals(
                everywhere(Verdict.FITS),
                verdicts(
                        pod("p").podAntiAffinity(term("zone", "a"), term("host", "b"))
                                .build(),
                        cluster));
        PodInfo both = pod("p").podAffinity(term("zone", "b"))
                .podAntiAffinity(term("zone", "a"))
                .build();
        assertEquals(
                List.of(
                        MatchInterPodAffinity.ANTI_AFFINITY_FAILS,
                        MatchInterPodAffinity.AFFINITY_FAILS,
                        MatchInterPodAffinity.AFFINITY_FAILS),
                verdicts(both, cluster));
    }

    @Test
    void affinityNeedsOnePodForAllTermsAndTheExceptionNoMatchAtAll() {
        PodInfo selfish =
                pod("p").label("app", "a").podAffinity(term("zone", "a")).build();
        assertEquals(everywhere(Verdict.FITS), verdicts(selfish, cluster(N1, N2, N3)));
        assertEquals(
                everywhere(Verdict.FITS),
                verdicts(
                        selfish,
                        cluster(
                                N1,
                                N2,
                                N3,
                                pod("e").label("app", "b").onNode("n1").build())));
        assertEquals(
                List.of(Verdict.FITS, MatchInterPodAffinity.AFFINITY_FAILS, MatchInterPodAffinity.AFFINITY_FAILS),
                verdicts(
                        selfish,
                        cluster(
                                N1,
                                N2,
                                N3,
                                pod("e").label("app", "a").onNode("n1").build())));
        // Unlike with metadata, a match on a node without the label rules the exception out.
        assertEquals(
                everywhere(MatchInterPodAffinity.AFFINITY_FAILS),
                verdicts(
                        selfish,
                        cluster(
                                N1,
                                N2,
                                N3,
                                pod("e").label("app", "a").onNode("n3").build())));
    }
}
