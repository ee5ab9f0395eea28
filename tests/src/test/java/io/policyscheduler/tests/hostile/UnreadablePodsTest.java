package io.policyscheduler.tests.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.e2e.Manifest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods on the server that cannot be parsed. */
class UnreadablePodsTest {
    private static final String DEEP = "[".repeat(5_000) + "]".repeat(5_000);

    private HostileCluster hostile = new HostileCluster();

    @AfterEach
    void close() {
        hostile.close();
    }

    private static HostileObject pod(String name, String node) {
        String spec = node.isEmpty() ? "" : ",'nodeName':'" + node + "'";
        return HostileObject.of("pods", name, "{'spec':{'schedulerName':'" + Manifest.SCHEDULER + "'" + spec + "}}")
                .withRaw("tolerations", DEEP);
    }

    private void remove(String name) {
        hostile.cluster()
                .store()
                .modify(
                        hostile.cluster().catalog().named("pods"),
                        HostileObject.NAMESPACE,
                        name,
                        false,
                        present -> null);
    }

    private void awaitUnreadable(int pods) {
        hostile.await(
                pods + " pods cannot be read",
                () -> hostile.scheduler().unreadableObjects().getOrDefault("Pod", 0) == pods);
    }

    @Test
    void theNodeOfOneTakesNoPodUntilItIsGone() {
        hostile.store(pod("listed", "n1"));
        hostile.startScheduler();
        hostile.store(pod("watched", "n2"));
        awaitUnreadable(2);
        hostile.addNormalPods("first", 40);
        hostile.awaitNormalPods("first", 40);
        assertFalse(hostile.normalPodsByNode().containsKey("n1"), hostile.normalPodsByNode()::toString);
        assertFalse(hostile.normalPodsByNode().containsKey("n2"), hostile.normalPodsByNode()::toString);
        remove("listed");
        awaitUnreadable(1);
        // A pod that fits on no other node.
        hostile.cluster().load(Manifest.podWithSelector("only-there", "1", "name", "n1"));
        hostile.await(
                "the node takes pods again", () -> hostile.nodeOf("only-there").equals("n1"));
    }

    @Test
    void aPodThatWaitsForAClosedNodeIsToldWhy() {
        hostile.store(pod("hostage-taker", "n1"));
        hostile.startScheduler();
        hostile.cluster().load(Manifest.podWithSelector("only-there", "1", "name", "n1"));
        hostile.await("its event", () -> !hostile.events("only-there").isEmpty());
        assertEquals(
                "0/10 nodes are available: 1 node(s) had a pod that cannot be read, 9 node(s) didn't match node selector.",
                hostile.events("only-there").get(0));
        remove("hostage-taker");
        hostile.await("the pod is placed", () -> hostile.nodeOf("only-there").equals("n1"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatWaitsIsSkippedWithAnEvent(boolean isThereFirst) {
        if (isThereFirst) {
            hostile.store(pod("waiting", ""));
        }
        hostile.startScheduler();
        if (!isThereFirst) {
            hostile.store(pod("waiting", ""));
        }
        hostile.await("its event", () -> !hostile.events("waiting").isEmpty());
        String message = hostile.events("waiting").get(0);
        assertTrue(message.startsWith("skipping an unreadable pod: "), message);
    }

    @Test
    void aFlagLetsTheNodeTakePods() {
        hostile.close();
        hostile = new HostileCluster(HostileCluster.provider(), true);
        hostile.store(pod("ignored", "n1"));
        hostile.startScheduler();
        awaitUnreadable(1);
        hostile.cluster().load(Manifest.podWithSelector("only-there", "1", "name", "n1"));
        hostile.await("the node takes pods", () -> hostile.nodeOf("only-there").equals("n1"));
    }
}
