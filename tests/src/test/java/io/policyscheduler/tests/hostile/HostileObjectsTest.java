package io.policyscheduler.tests.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever objects one tenant creates, the pods of all others are placed with almost the same number of attempts. */
class HostileObjectsTest {
    private static final int NORMAL_PODS = 100;
    /** A normal pod may be tried again because it lost a race with a change, but not more often than this on average. */
    private static final int ATTEMPTS_EACH = 2;

    private final HostileCluster hostile = new HostileCluster();

    @AfterEach
    void close() {
        hostile.close();
    }

    @Test
    void normalPodsArePlacedBesideTheWholeCorpusAndAfterARestart() {
        HostileReadingTest.corpus().forEach(hostile::store);
        hostile.addNormalPods("first", NORMAL_PODS);
        hostile.startScheduler();
        hostile.awaitNormalPods("first", NORMAL_PODS);
        hostile.startScheduler();
        hostile.addNormalPods("second", NORMAL_PODS);
        hostile.awaitNormalPods("second", NORMAL_PODS);
        assertPlacedWithLittleWork(2 * NORMAL_PODS);
    }

    @Test
    void normalPodsArePlacedWhileTheCorpusComesIn() {
        hostile.startScheduler();
        HostileReadingTest.corpus().forEach(hostile::store);
        hostile.addNormalPods("first", NORMAL_PODS);
        hostile.awaitNormalPods("first", NORMAL_PODS);
        assertPlacedWithLittleWork(NORMAL_PODS);
    }

    private void assertPlacedWithLittleWork(int normalPods) {
        Set<String> hosts = hostile.normalPodsByNode().keySet().stream()
                .filter(node -> !node.matches("n[0-9]"))
                .collect(Collectors.toSet());
        assertEquals(Set.of(), hosts, "normal pods on nodes that have no room, or of which nothing is known");
        int decisions = hostile.decisionsAboutNormalPods();
        assertTrue(decisions <= normalPods * ATTEMPTS_EACH, decisions + " attempts at " + normalPods + " normal pods");
        assertTrue(hostile.scheduler().isRunning());
    }
}
