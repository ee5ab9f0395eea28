package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watches that end, are rejected, or have lost their position, while pods are created and deleted. */
class WatchFaultsTest {
    private static final int ROUNDS = 3;
    private static final int PODS_A_ROUND = 30;

    private final LiveCluster live = new LiveCluster();

    @BeforeEach
    void start() {
        live.addNodes(20, "4");
        live.startScheduler();
    }

    @AfterEach
    void close() {
        live.close();
    }

    @Test
    void watchesThatCloseEverySecond() {
        live.cluster().faults().closeWatchesAfter(Duration.ofSeconds(1));
        rounds(() -> {}, Duration.ofMillis(900));
    }

    @Test
    void watchesThatCloseAllTheTime() {
        live.cluster().faults().closeWatchesAfter(Duration.ofMillis(50));
        rounds(() -> {}, Duration.ofMillis(100));
    }

    @Test
    void expiredVersions() {
        live.cluster().faults().closeWatchesAfter(Duration.ofMillis(300));
        rounds(
                () -> {
                    live.cluster().faults().expireNextWatches(3);
                    live.audit().read();
                    live.cluster().store().compact();
                },
                Duration.ofMillis(300));
    }

    @Test
    void refusedListsAndWatches() {
        live.cluster().faults().closeWatchesAfter(Duration.ofMillis(300));
        rounds(
                () -> {
                    live.cluster().faults().respond("GET", "/api/v1/(pods|nodes)", 1, 500);
                    live.cluster().faults().respond("GET", "/api/v1/(pods|nodes)", 1, 429);
                },
                Duration.ofMillis(300));
    }

    /** In every round, pods are created, some of the last round are deleted, and one node is replaced. */
    private void rounds(Runnable fault, Duration pause) {
        int left = 0;
        for (int round = 0; round < ROUNDS; round++) {
            live.addPods("r" + round + "-", PODS_A_ROUND, "200m");
            left += PODS_A_ROUND;
            fault.run();
            if (round > 0) {
                for (int i = 0; i < 10; i++) {
                    live.api().deletePod("r" + (round - 1) + "-" + i);
                    left--;
                }
            }
            live.cluster().load(Manifest.node("extra" + round, "4"));
            int all = left;
            Await.always(
                    pause,
                    "the audit is content",
                    () -> live.audit().violations().isEmpty(),
                    live::state);
            live.awaitAllBound(all);
        }
        live.cluster().faults().clear();
        assertEquals(ROUNDS * PODS_A_ROUND, live.audit().bound(), live::state);
        live.api().createPod(Manifest.podWithSelector("last", "100m", "name", "extra" + (ROUNDS - 1)));
        live.awaitBound("last");
        live.assertSound();
    }
}
