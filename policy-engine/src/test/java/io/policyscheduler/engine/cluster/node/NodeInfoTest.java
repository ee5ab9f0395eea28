package io.policyscheduler.engine.cluster.node;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeInfoTest {
    private final NodeInfo info = new NodeInfo("n1");

    private static List<String> names(List<PodInfo> pods) {
        return pods.stream().map(PodInfo::name).toList();
    }

    private static List<Long> sums(NodeInfo node) {
        return List.of(
                node.requestedMilliCpu(),
                node.requestedMemory(),
                node.requestedEphemeralStorage(),
                node.requestedScalar("a.com/gpu"),
                node.nonZeroMilliCpu(),
                node.nonZeroMemory());
    }

    @Test
    void aRemovedPodIsReplacedByTheLast() {
        for (String name : List.of("a", "b", "c", "d")) {
            info.addPod(pod(name).build());
        }
        assertNotNull(info.removePod(pod("b").build()));
        assertEquals(List.of("a", "d", "c"), names(info.pods()));
        assertNotNull(info.removePod(pod("c").build()));
        assertEquals(List.of("a", "d"), names(info.pods()));
        assertNotNull(info.removePod(pod("a").build()));
        assertEquals(List.of("d"), names(info.pods()));
        assertEquals(1, info.podCount());
        assertEquals("d", info.pod(0).name());
        assertNotNull(info.removePod(pod("d").build()));
        assertEquals(List.of(), info.pods());
    }

    @Test
    void sumsBeyond64BitsStopAtTheEndAndComeBack() {
        PodInfo small = pod("small").requests("1m", "1000").build();
        PodInfo huge = pod("huge")
                .requests("9223372036854775807m", "9223372036854775807")
                .build();
        info.addPod(small);
        info.addPod(huge);
        assertEquals(Long.MAX_VALUE, info.requestedMemory());
        assertEquals(Long.MAX_VALUE, info.copy().nonZeroMilliCpu());
        assertEquals(Long.MIN_VALUE + 999L, RequestRules.EXACTLY_V1_17.memory(info));
        info.removePod(huge);
        assertEquals(1000, info.requestedMemory());
        assertEquals(1000, info.currentRequests().memory());
    }

    @Test
    void podsWithAffinityKeepTheirOwnOrder() {
        info.addPod(pod("plain").build());
        info.addPod(pod("a").podAffinity().build());
        info.addPod(pod("b").podAntiAffinity().build());
        info.addPod(pod("c").podAffinity().podAntiAffinity().build());
        assertEquals(List.of("a", "b", "c"), names(info.podsWithAffinity()));
        info.removePod(pod("a").build());
        assertEquals(List.of("c", "b"), names(info.podsWithAffinity()));
        assertEquals(List.of("plain", "c", "b"), names(info.pods()));
    }

    @Test
    void podsAreOneByUid() {
        info.addPod(pod("a").uid("1").cpu("1").build());
        assertNull(info.removePod(pod("a").uid("2").cpu("1").build()));
        assertNotNull(info.removePod(pod("renamed").uid("1").cpu("1").build()));
        assertEquals(0, info.podCount());
    }

    @Test
    void sumsFollowThePods() {
        PodInfo full = pod("full")
                .requests("500m", "1Gi")
                .ephemeralStorage("1k")
                .scalar("a.com/gpu", 2)
                .build();
        PodInfo bare = pod("bare").build();
        PodInfo zero = pod("zero").requests("0", "0").scalar("a.com/gpu", 0).build();
        info.addPod(full);
        info.addPod(bare);
        info.addPod(zero);
        assertEquals(List.of(500L, 1L << 30, 1000L, 2L, 600L, (1L << 30) + 209_715_200L), sums(info));
        info.removePod(full);
        assertEquals(List.of(0L, 0L, 0L, 0L, 100L, 209_715_200L), sums(info));
        info.removePod(bare);
        info.removePod(zero);
        assertEquals(List.of(0L, 0L, 0L, 0L, 0L, 0L), sums(info));
    }

    @Test
    void removalSubtractsWhatTheGivenObjectAsksFor() {
        info.addPod(pod("a").cpu("1").build());
        info.removePod(pod("a").cpu("300m").build());
        assertEquals(700, info.requestedMilliCpu());
    }

    @Test
    void anUnknownPodChangesNothing() {
        info.addPod(pod("a").cpu("1").hostPort("", "", 80).build());
        assertNull(info.removePod(pod("b").cpu("1").hostPort("", "", 80).build()));
        assertEquals(1000, info.requestedMilliCpu());
        assertTrue(info.portConflict(HostPort.of("", "", 80)));
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, TCP,  80, true",
        "'',      UDP,  80, true",
        "1.2.3.4, UDP,  80, true",
        "1.2.3.5, UDP,  80, false",
        "'',      SCTP, 80, false",
        "'',      TCP,  81, false",
    })
    void portConflicts(String ip, String protocol, int port, boolean conflict) {
        assertFalse(info.portConflict(HostPort.of(ip, protocol, port)));
        info.addPod(pod("a").hostPort("", "TCP", 80).build());
        info.addPod(pod("b").hostPort("1.2.3.4", "UDP", 80).build());
        assertEquals(conflict, info.portConflict(HostPort.of(ip, protocol, port)));
    }

    @Test
    void portsAreASetWithoutCounts() {
        PodInfo first = pod("a").hostPort("", "", 80).build();
        info.addPod(first);
        info.addPod(pod("b").hostPort("", "", 80).build());
        info.removePod(first);
        assertFalse(info.portConflict(HostPort.of("", "", 80)), "the second pod's port is free too, as in v1.17");
    }

    @Test
    void portsOfInitContainersDoNotCount() {
        HostPort port = HostPort.of("", "", 80);
        info.addPod(pod("a").initContainer("x", port).build());
        assertFalse(info.portConflict(port));
    }

    @Test
    void aCopyIsIndependent() {
        info.setNode(node("n1").cpu("4").build(), Map.of("x", new ImageState(1, 1)));
        PodInfo kept = pod("a").cpu("1")
                .scalar("a.com/gpu", 1)
                .hostPort("", "", 80)
                .podAffinity()
                .build();
        info.addPod(kept);
        NodeInfo copy = info.copy();
        copy.removePod(kept);
        copy.addPod(pod("b").cpu("2").hostPort("", "", 90).podAffinity().build());
        assertEquals(List.of("a"), names(info.pods()));
        assertEquals(List.of("a"), names(info.podsWithAffinity()));
        assertEquals(1000, info.requestedMilliCpu());
        assertEquals(1, info.requestedScalar("a.com/gpu"));
        assertTrue(info.portConflict(HostPort.of("", "", 80)));
        assertFalse(info.portConflict(HostPort.of("", "", 90)));
        assertEquals(List.of("b"), names(copy.pods()));
        assertEquals(List.of("b"), names(copy.podsWithAffinity()));
        assertEquals(2000, copy.requestedMilliCpu());
        assertEquals(0, copy.requestedScalar("a.com/gpu"));
        assertEquals(info.node(), copy.node());
        assertEquals(info.images(), copy.images());
        copy.setNode(null, Map.of());
        assertTrue(info.hasNode());
    }

    @Test
    void volumeCountsAreSharedWithCopiesAndResetWithTheNode() {
        info.setVolumeCounts(3, 1);
        NodeInfo copy = info.copy();
        assertEquals(List.of(3L, 1L), List.of(copy.allocatableVolumes(), copy.requestedVolumes()));
        copy.setVolumeCounts(5, 2);
        assertEquals(List.of(5L, 2L), List.of(info.allocatableVolumes(), info.requestedVolumes()));
        info.setNode(node("n1").build(), Map.of());
        assertEquals(List.of(0L, 0L), List.of(copy.allocatableVolumes(), copy.requestedVolumes()));
    }

    @Test
    void aNodeWithoutObject() {
        assertFalse(info.hasNode());
        assertEquals(
                "node n1 has no object",
                assertThrows(IllegalStateException.class, info::node).getMessage());
        info.setNode(node("n1").cpu("2").pods(5).build(), Map.of());
        assertTrue(info.hasNode());
        assertEquals(ResourceVector.of(2000, 0, 0, 5, Map.of()), info.allocatable());
        assertEquals("NodeInfo[n1, 0 pods]", info.toString());
    }
}
