package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CheckServiceAffinityTest {
    private static final Node R1 =
            node("n1").label("region", "r1").label("rack", "k1").build();
    private static final Node R1B = node("n2").label("region", "r1").build();
    private static final Node R2 =
            node("n3").label("region", "r2").label("rack", "k1").build();
    private static final Node BARE = node("n4").build();
    private static final ServiceInfo SERVICE = new ServiceInfo("default", "s", Labels.of("app", "a"));
    private static final PodInfo PEER = pod("e").label("app", "a").onNode("n1").build();
    private static final PodInfo INCOMING = pod("p").label("app", "a").build();

    private static CheckServiceAffinity by(String... labels) {
        AlgorithmConfig d = AlgorithmConfig.defaults();
        return new CheckServiceAffinity(new AlgorithmConfig(
                d.presentLabels(),
                d.absentLabels(),
                List.of(labels),
                d.preferPresentLabels(),
                d.preferAbsentLabels(),
                d.antiAffinityLabels(),
                d.ratioShape(),
                d.ratioResources(),
                d.ignoredResources(),
                d.hardPodAffinityWeight(),
                d.gates(),
                d.environment(),
                Set.of()));
    }

    private static List<Boolean> fits(PodFilter filter, ClusterState cluster) {
        return List.of("n1", "n2", "n3", "n4").stream()
                .map(name -> filter.check(info(cluster, name)).fits())
                .toList();
    }

    private static List<Boolean> fits(CheckServiceAffinity predicate, PodInfo pod, ClusterState cluster) {
        return fits(predicate.start(PodContext.of(pod, cluster)), cluster);
    }

    @Test
    void facts() {
        assertEquals("CheckServiceAffinity", by().name());
        assertEquals(Scope.CLUSTER, by().scope());
        assertTrue(by().needsMetadata());
    }

    @Test
    void followsThePeer() {
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE, PEER);
        assertEquals(List.of(true, true, false, false), fits(by("region"), INCOMING, cluster));
        assertEquals(List.of(true, false, false, false), fits(by("region", "rack"), INCOMING, cluster));
        // A label that the peer's node lacks demands nothing.
        assertEquals(List.of(true, true, false, false), fits(by("region", "shelf"), INCOMING, cluster));
        assertEquals(
                new Verdict(List.of(FailureReason.resolvable("node(s) didn't match service affinity")), null),
                Checks.verdict(by("region"), INCOMING, cluster, "n3"));
    }

    @Test
    void theNodeSelectorGoesFirst() {
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE, PEER);
        PodInfo pinned = pod("p").label("app", "a").nodeSelector("region", "r2").build();
        assertEquals(List.of(false, false, true, false), fits(by("region"), pinned, cluster));
        // The rack still comes from the peer.
        assertEquals(List.of(false, false, true, false), fits(by("region", "rack"), pinned, cluster));
        // Other entries of the nodeSelector are not looked at here.
        PodInfo other = pod("p").label("app", "a").nodeSelector("disk", "ssd").build();
        assertEquals(List.of(true, true, false, false), fits(by("region"), other, cluster));
    }

    @Test
    void withoutServiceOrPeerOnlyTheNodeSelectorCounts() {
        ClusterState noService = cluster(R1, R1B, R2, BARE, PEER);
        assertEquals(List.of(true, true, true, true), fits(by("region"), INCOMING, noService));
        PodInfo pinned = pod("p").label("app", "a").nodeSelector("region", "r2").build();
        assertEquals(List.of(false, false, true, false), fits(by("region", "rack"), pinned, noService));
        assertEquals(
                List.of(true, true, true, true), fits(by("region"), INCOMING, cluster(R1, R1B, R2, BARE, SERVICE)));
        assertEquals(
                List.of(false, false, true, false),
                fits(by("region", "rack"), pinned, cluster(R1, R1B, R2, BARE, SERVICE)));
        assertEquals(List.of(true, true, true, true), fits(by(), INCOMING, cluster(R1, R1B, R2, BARE, SERVICE, PEER)));
    }

    @Test
    void peersHaveAllLabelsOfThePodInItsNamespace() {
        PodInfo labelled = pod("p").label("app", "a").label("tier", "x").build();
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE, PEER);
        assertEquals(List.of(true, true, true, true), fits(by("region"), labelled, cluster));
        ClusterState foreign = cluster(
                R1,
                R1B,
                R2,
                BARE,
                SERVICE,
                pod("e").namespace("prod").label("app", "a").onNode("n1").build());
        assertEquals(List.of(true, true, true, true), fits(by("region"), INCOMING, foreign));
        // A pod without labels has everybody as a peer.
        ClusterState open = cluster(
                R1,
                R1B,
                R2,
                BARE,
                new ServiceInfo("default", "all", Labels.EMPTY),
                pod("e").onNode("n3").build());
        assertEquals(List.of(false, false, true, false), fits(by("region"), pod("p").build(), open));
    }

    @Test
    void theFirstPeerInNodeOrderDecides() {
        PodInfo second = pod("f").label("app", "a").onNode("n3").build();
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE, second, PEER);
        PodFilter filter = by("region").start(PodContext.of(INCOMING, cluster));
        assertEquals(List.of(true, true, false, false), fits(filter, cluster));
        // Taken from the node in question only, the first peer leaves the decision about this node to the second.
        NodeInfo without = info(cluster, "n1").copy();
        without.removePod(PEER);
        assertEquals(false, filter.check(without).fits());
        // So it does when others stay there.
        without.addPod(pod("stranger").onNode("n1").build());
        assertEquals(false, filter.check(without).fits());
        PodFilter copy = filter.copy();
        assertNull(copy.removePod(PEER, info(cluster, "n1")));
        assertEquals(List.of(false, false, true, false), fits(copy, cluster));
        assertNull(copy.addPod(PEER, info(cluster, "n1")));
        assertEquals(List.of(false, false, true, false), fits(copy, cluster));
        assertEquals(List.of(true, true, false, false), fits(filter, cluster));
    }

    @Test
    void aNominatedPeerAloneIsAnError() {
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE);
        PodFilter copy = by("region").start(PodContext.of(INCOMING, cluster)).copy();
        assertNull(copy.addPod(pod("stranger").nominatedTo("n1").build(), info(cluster, "n1")));
        assertNull(copy.addPod(
                pod("m").namespace("prod").label("app", "a").nominatedTo("n1").build(), info(cluster, "n1")));
        assertEquals(List.of(true, true, true, true), fits(copy, cluster));
        assertNull(copy.addPod(pod("m").label("app", "a").nominatedTo("n1").build(), info(cluster, "n1")));
        assertEquals(Verdict.error("nodeinfo not found for node name \"\""), copy.check(info(cluster, "n1")));
    }

    @Test
    void peersAreNotLookedUpWhenTheNodeSelectorSaysAll() {
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE);
        PodInfo pinned = pod("p").label("app", "a").nodeSelector("region", "r2").build();
        PodFilter copy = by("region").start(PodContext.of(pinned, cluster)).copy();
        assertNull(copy.addPod(pod("m").label("app", "a").nominatedTo("n1").build(), info(cluster, "n1")));
        assertEquals(List.of(false, false, true, false), fits(copy, cluster));
    }

    @Test
    void peersAreRemovedByNamespaceAndName() {
        PodInfo second = pod("f").label("app", "a").onNode("n3").build();
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE, PEER, second);
        PodFilter copy = by("region").start(PodContext.of(INCOMING, cluster)).copy();
        NodeInfo n1 = info(cluster, "n1");
        assertNull(copy.removePod(pod("stranger").label("app", "a").onNode("n1").build(), n1));
        assertNull(copy.removePod(
                pod("e").namespace("prod").label("app", "a").onNode("n1").build(), n1));
        assertNull(copy.removePod(second, info(cluster, "n3")));
        assertEquals(List.of(true, true, false, false), fits(copy, cluster));
        assertNull(copy.removePod(PEER, n1));
        assertEquals(List.of(true, true, true, true), fits(copy, cluster));
    }

    @Test
    void withoutMetadataPeersAreListedAnew() {
        ClusterState cluster = cluster(R1, R1B, R2, BARE, SERVICE, PEER);
        PodFilter copy =
                by("region").start(new PodContext(INCOMING, cluster, false)).copy();
        assertEquals(List.of(true, true, false, false), fits(copy, cluster));
        assertNull(copy.removePod(PEER, info(cluster, "n1")));
        assertNull(copy.addPod(pod("m").label("app", "a").nominatedTo("n1").build(), info(cluster, "n1")));
        assertEquals(List.of(true, true, false, false), fits(copy, cluster));
        NodeInfo without = info(cluster, "n1").copy();
        without.removePod(PEER);
        assertTrue(copy.check(without).fits());
    }
}
