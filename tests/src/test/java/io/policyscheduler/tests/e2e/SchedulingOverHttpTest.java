package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users change a cluster while the scheduler runs. */
class SchedulingOverHttpTest {
    private static final Duration A_WHILE = Duration.ofMillis(700);

    private final LiveCluster live = new LiveCluster();
    private final ApiCalls api = live.api();

    @BeforeEach
    void start() {
        live.startScheduler();
    }

    @AfterEach
    void close() {
        live.close();
    }

    @Test
    void bindsAPodWithinASecond() {
        live.addNodes(3, "4");
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String name = "p" + i;
            long start = System.nanoTime();
            api.createPod(Manifest.pod(name, "100m"));
            live.awaitBound(name);
            times.add(Duration.ofNanos(System.nanoTime() - start));
            assertEquals(
                    List.of("Successfully assigned default/" + name + " to " + live.nodeOf(name)),
                    live.awaitEvents(name, "Scheduled"));
        }
        times.sort(null);
        assertTrue(times.get(2).compareTo(Duration.ofSeconds(1)) < 0, () -> "creation to binding took " + times);
        live.assertSound();
    }

    @Test
    void leavesPodsOfOtherSchedulersAlone() {
        live.addNodes(3, "4");
        api.createPod(Manifest.podOf("default-scheduler", "theirs", "100m"));
        api.createPod(Manifest.pod("ours", "100m"));
        live.awaitBound("ours");
        Await.always(A_WHILE, "the other pod is not bound", () -> !live.isBound("theirs"), live::state);
        assertTrue(live.condition("theirs").isMissingNode());
        assertEquals(List.of(), live.events("theirs", "FailedScheduling"));
    }

    @Test
    void tellsExactlyWhyAPodFitsNowhereAndPlacesItWhenItDoes() {
        live.addNodes(2, "1");
        live.cluster().load(Manifest.node("big-tainted", "8"));
        live.cluster().load(Manifest.node("big-cordoned", "8"));
        api.patchNode("big-tainted", "{'spec':{'taints':[{'key':'team','value':'a','effect':'NoSchedule'}]}}");
        api.patchNode("big-cordoned", "{'spec':{'unschedulable':true}}");
        live.awaitSeen();
        api.createPod(Manifest.pod("large", "2"));

        JsonNode condition = live.awaitUnschedulable("large");
        String message = "0/4 nodes are available: 1 node(s) had taints that the pod didn't tolerate, "
                + "1 node(s) were unschedulable, 2 Insufficient cpu.";
        assertEquals("Unschedulable", condition.path("reason").asText());
        assertEquals(message, condition.path("message").asText());
        assertEquals(List.of(message), live.awaitEvents("large", "FailedScheduling"));
        assertEquals("", live.nodeOf("large"));

        api.createNode(Manifest.node("n9", "4"));
        live.awaitBound("large");
        assertEquals("n9", live.nodeOf("large"));
        Await.until(
                LiveCluster.PATIENCE,
                "the condition is True",
                () -> live.condition("large").path("status").asText().equals("True"),
                live::state);
        live.assertSound();
    }

    @Test
    void followsCordonAndUncordon() {
        live.addNodes(1, "4");
        api.patchNode("n0", "{'spec':{'unschedulable':true}}");
        live.awaitSeen();
        api.createPod(Manifest.pod("p", "1"));
        assertEquals(
                "0/1 nodes are available: 1 node(s) were unschedulable.",
                live.awaitUnschedulable("p").path("message").asText());
        api.patchNode("n0", "{'spec':{'unschedulable':null}}");
        live.awaitBound("p");
    }

    @Test
    void followsANodesLabels() {
        live.addNodes(2, "4");
        api.createPod(Manifest.podWithSelector("p", "1", "disk", "ssd"));
        assertEquals(
                "0/2 nodes are available: 2 node(s) didn't match node selector.",
                live.awaitUnschedulable("p").path("message").asText());
        api.patchNode("n1", "{'metadata':{'labels':{'disk':'ssd'}}}");
        live.awaitBound("p");
        assertEquals("n1", live.nodeOf("p"));
    }

    @Test
    void usesTheRoomOfADeletedPod() {
        live.addNodes(1, "4");
        api.createPod(Manifest.pod("first", "3"));
        live.awaitBound("first");
        api.createPod(Manifest.pod("second", "3"));
        assertEquals(
                "0/1 nodes are available: 1 Insufficient cpu.",
                live.awaitUnschedulable("second").path("message").asText());
        api.deletePod("first");
        live.awaitBound("second");
        live.assertSound();
    }

    @Test
    void forgetsADeletedNode() {
        live.addNodes(2, "1");
        api.createPod(Manifest.pod("large", "2"));
        assertEquals(
                "0/2 nodes are available: 2 Insufficient cpu.",
                live.awaitUnschedulable("large").path("message").asText());
        api.deleteNode("n0");
        live.awaitSeen();
        api.createPod(Manifest.pod("other", "2"));
        assertEquals(
                "0/1 nodes are available: 1 Insufficient cpu.",
                live.awaitUnschedulable("other").path("message").asText());
        api.createPod(Manifest.pod("small", "1"));
        live.awaitBound("small");
        assertEquals("n1", live.nodeOf("small"));
        assertFalse(live.isBound("large"));
    }

    @Test
    void countsThePodsOfOtherSchedulers() {
        live.addNodes(2, "4");
        for (int i = 0; i < 2; i++) {
            JsonNode pod = Manifest.podOf("default-scheduler", "theirs" + i, "3");
            pod.withObject("/spec").put("nodeName", "n" + i);
            api.createPod(pod);
        }
        for (int i = 0; i < 3; i++) {
            api.createPod(Manifest.pod("p" + i, "1"));
        }
        Await.until(
                LiveCluster.PATIENCE,
                "two of three pods are bound and one is found unschedulable",
                () -> List.of("p0", "p1", "p2").stream().filter(live::isBound).count() == 2
                        && List.of("p0", "p1", "p2").stream()
                                        .filter(p -> live.condition(p)
                                                .path("reason")
                                                .asText()
                                                .equals("Unschedulable"))
                                        .count()
                                == 1,
                live::state);
        live.assertSound();
    }
}
