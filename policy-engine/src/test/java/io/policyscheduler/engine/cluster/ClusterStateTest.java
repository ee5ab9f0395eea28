package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.Clusters.info;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
    private final ClusterState state = new ClusterState();

    private static List<String> names(List<NodeInfo> nodes) {
        return nodes.stream().map(NodeInfo::name).toList();
    }

    private static PodInfo withAntiAffinity(String name, LabelSelector selector) {
        return pod(name)
                .onNode("n1")
                .podAntiAffinity(new PodAffinityTerm(selector, List.of(), "zone", null))
                .build();
    }

    @Test
    void podsMayComeBeforeTheirNode() {
        PodInfo early = pod("p").cpu("1").onNode("n1").build();
        state.addPod(early);
        state.startCycle();
        assertEquals(List.of(), state.nodes());
        assertNull(state.node("n1"));
        assertEquals(0, state.nodeCount());
        state.putNode(node("n1").build());
        state.startCycle();
        assertEquals(List.of("n1"), names(state.nodes()));
        assertEquals(List.of(early), info(state, "n1").pods());
        assertEquals(1, state.nodeCount());
    }

    @Test
    void podsOutliveTheirNode() {
        state.putNode(node("n1").build());
        PodInfo pod = pod("p").cpu("1").onNode("n1").build();
        state.addPod(pod);
        assertTrue(state.removeNode("n1"));
        assertNull(state.node("n1"));
        assertFalse(state.removeNode("n1"), "already gone");
        state.putNode(node("n1").build());
        assertEquals(List.of(pod), info(state, "n1").pods());
        state.removeNode("n1");
        assertTrue(state.removePod(pod));
        assertFalse(state.removePod(pod), "the name is forgotten with its last pod");
        state.putNode(node("n1").build());
        assertEquals(0, info(state, "n1").podCount());
    }

    @Test
    void whatIsUnknownCannotBeRemoved() {
        assertFalse(state.removeNode("n1"));
        assertFalse(state.removePod(pod("p").onNode("n1").build()));
        state.putNode(node("n1").build());
        assertFalse(state.removePod(pod("p").onNode("n1").build()));
        state.addPod(pod("p").onNode("n1").build());
        assertFalse(state.removePod(pod("p").onNode("n2").build()), "on another node");
        assertEquals(1, info(state, "n1").podCount());
    }

    @Test
    void aReplacedNodeKeepsItsPods() {
        state.putNode(node("n1").cpu("1").build());
        NodeInfo before = info(state, "n1");
        state.addPod(pod("p").onNode("n1").build());
        state.putNode(node("n1").cpu("2").build());
        assertSame(before, info(state, "n1"));
        assertEquals(2000, before.allocatable().milliCpu());
        assertEquals(1, before.podCount());
        assertEquals(1, state.nodeCount());
    }

    @Test
    void theOrderIsThatOfTheStartOfTheCycle() {
        state.putNode(node("n1").build());
        state.startCycle();
        state.putNode(node("n2").build());
        assertEquals(List.of("n1"), names(state.nodes()));
        state.removeNode("n1");
        assertEquals(List.of("n1"), names(state.nodes()));
        assertFalse(state.nodes().get(0).hasNode());
        state.startCycle();
        assertEquals(List.of("n2"), names(state.nodes()));
    }

    @Test
    void everyChangeOfANodeTakesTheNextGeneration() {
        state.putNode(node("n1").build());
        state.putNode(node("n2").build());
        long before = state.generation();
        state.addPod(pod("p").onNode("n1").build());
        assertEquals(before + 1, info(state, "n1").generation());
        assertEquals(before + 1, state.generation());
        assertTrue(info(state, "n2").generation() <= before);
        state.removePod(pod("p").onNode("n1").build());
        assertEquals(before + 2, info(state, "n1").generation());
        state.putNode(node("n2").build());
        assertEquals(before + 3, info(state, "n2").generation());
    }

    @Test
    void volumeCountsLastUntilTheNodeChanges() {
        state.putNode(node("n1").build());
        state.putNode(node("n2").build());
        info(state, "n1").setVolumeCounts(3, 1);
        info(state, "n2").setVolumeCounts(4, 2);
        state.addPod(pod("p").onNode("n1").build());
        state.startCycle();
        assertEquals(0, info(state, "n1").allocatableVolumes());
        assertEquals(4, info(state, "n2").allocatableVolumes());
    }

    @Test
    void nodesWithAffinityFollowPodsAndNodes() {
        PodInfo friendly = pod("a").podAffinity().onNode("n2").build();
        ClusterState some = cluster(
                node("n1").build(),
                node("n2").build(),
                node("n3").build(),
                pod("x").onNode("n1").build());
        assertEquals(List.of(), some.nodesWithAffinity());
        some.addPod(friendly);
        assertEquals(List.of("n2"), names(some.nodesWithAffinity()));
        some.addPod(pod("b").podAntiAffinity().onNode("n1").build());
        assertEquals(List.of("n1", "n2"), names(some.nodesWithAffinity()));
        some.removePod(friendly);
        assertEquals(List.of("n1"), names(some.nodesWithAffinity()));
        some.addPod(pod("c").podAffinity().onNode("n9").build());
        assertEquals(List.of("n1"), names(some.nodesWithAffinity()));
        some.putNode(node("n9").build());
        some.startCycle();
        assertEquals(List.of("n9", "n1"), names(some.nodesWithAffinity()));
        some.removeNode("n9");
        some.startCycle();
        assertEquals(List.of("n1"), names(some.nodesWithAffinity()));
    }

    @Test
    void countsPodsWhoseAntiAffinityCannotBeParsed() {
        PodInfo invalid = withAntiAffinity("bad", LabelSelector.of(Labels.of("a", "not legal"), List.of()));
        state.addPod(withAntiAffinity("good", LabelSelector.EVERYTHING));
        assertEquals(0, state.podsWithInvalidAntiAffinity());
        state.addPod(invalid);
        assertEquals(1, state.podsWithInvalidAntiAffinity());
        state.removePod(invalid);
        assertEquals(0, state.podsWithInvalidAntiAffinity());
    }

    @Test
    void podsAndNodesAreNoOtherObjects() {
        assertEquals(
                "not stored here: n1",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> state.putObject(node("n1").build()))
                        .getMessage());
        assertEquals(
                "not stored here: default/p",
                assertThrows(IllegalArgumentException.class, () -> state.removeObject(pod("p").build()))
                        .getMessage());
    }

    @Test
    void otherObjectsAreFound() {
        NamespaceInfo namespace = new NamespaceInfo("a", Labels.of("team", "x"));
        state.putObject(namespace);
        assertEquals(namespace, state.namespace("a"));
        state.removeObject(namespace);
        assertNull(state.namespace("a"));
        assertNotNull(state.assumedVolumes());
    }
}
