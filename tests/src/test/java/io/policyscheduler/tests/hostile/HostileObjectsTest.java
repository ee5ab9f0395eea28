package io.policyscheduler.tests.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever objects one tenant creates, the pods of all others are placed with almost the same number of attempts. */
class HostileObjectsTest {
    private static final int INNOCENTS = 100;
    /** An innocent pod may be tried again because it lost a race with a change, but not more often than this on average. */
    private static final int ATTEMPTS_EACH = 2;

    private final HostileCluster hostile = new HostileCluster();

    @AfterEach
    void close() {
        hostile.close();
    }

    @Test
    void innocentPodsArePlacedBesideTheWholeCorpusAndAfterARestart() {
        HostileReadingTest.corpus().forEach(hostile::store);
        hostile.addInnocents("first", INNOCENTS);
        hostile.startScheduler();
        hostile.awaitInnocents("first", INNOCENTS);
        hostile.startScheduler();
        hostile.addInnocents("second", INNOCENTS);
        hostile.awaitInnocents("second", INNOCENTS);
        assertPlacedWithLittleWork(2 * INNOCENTS);
    }

    @Test
    void innocentPodsArePlacedWhileTheCorpusComesIn() {
        hostile.startScheduler();
        HostileReadingTest.corpus().forEach(hostile::store);
        hostile.addInnocents("first", INNOCENTS);
        hostile.awaitInnocents("first", INNOCENTS);
        assertPlacedWithLittleWork(INNOCENTS);
    }

    private void assertPlacedWithLittleWork(int innocents) {
        Set<String> hosts = hostile.innocentsByNode().keySet().stream()
                .filter(node -> !node.matches("n[0-9]"))
                .collect(Collectors.toSet());
        assertEquals(Set.of(), hosts, "innocent pods on nodes that have no room, or of which nothing is known");
        int decisions = hostile.decisionsAboutInnocents();
        assertTrue(decisions <= innocents * ATTEMPTS_EACH, decisions + " attempts at " + innocents + " innocent pods");
        assertTrue(hostile.scheduler().isRunning());
    }
}
