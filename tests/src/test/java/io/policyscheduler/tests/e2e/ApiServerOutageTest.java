package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The API server stops while pods are being scheduled, and comes back. */
class ApiServerOutageTest {
    private static final Duration OUTAGE = Duration.ofMillis(800);

    @Test
    void goesOnAfterTwoOutages() throws IOException {
        try (LiveCluster live = new LiveCluster()) {
            live.addNodes(20, "4");
            live.startScheduler();
            for (int outage = 0; outage < 2; outage++) {
                int before = outage * 110;
                live.addPods("before" + outage + "-", 80, "200m");
                live.awaitBindings(before + 20);
                live.cluster().stopServing();
                // The scheduler gets no events for these and must list them afterwards.
                live.addPods("during" + outage + "-", 30, "200m");
                Await.until(
                        LiveCluster.PATIENCE,
                        "all watches have ended",
                        () -> live.cluster().openWatches() == 0,
                        live::state);
                Await.always(OUTAGE, "nobody is served", () -> live.cluster().openWatches() == 0, live::state);
                int bound = live.audit().bound();
                live.cluster().startServing();
                live.awaitBindings(bound + 1);
            }
            live.awaitAllBound(220);
            assertEquals(220, live.audit().bound());
            live.assertSound();
        }
    }

    @Test
    void noticesWhatWasDeletedDuringTheOutage() throws IOException {
        try (LiveCluster live = new LiveCluster();
                LogCapture log = new LogCapture()) {
            live.addNodes(2, "4");
            live.startScheduler();
            live.addPods("p", 8, "1");
            live.awaitAllBound(8);
            live.addPods("waiting", 1, "3");
            live.awaitUnschedulable("waiting0");
            live.cluster().stopServing();
            live.cluster().store().modify(live.cluster().catalog().named("nodes"), "", "n0", false, node -> null);
            for (int i = 0; i < 8; i++) {
                live.cluster()
                        .store()
                        .modify(live.cluster().catalog().named("pods"), "default", "p" + i, false, p -> null);
            }
            Await.until(
                    LiveCluster.PATIENCE,
                    "the outage is reported",
                    () -> log.has("W102 cannot watch nodes: ", "; retrying"),
                    log::toString);
            live.cluster().startServing();
            live.awaitBound("waiting0");
            assertEquals("n1", live.nodeOf("waiting0"));
            live.assertSound();
        }
    }

    /** As after etcd was replaced by an empty one: resource versions start over, and pods reuse names. */
    @Test
    void copesWithAServerThatHasForgottenEverything() {
        try (LiveCluster before = new LiveCluster()) {
            before.addNodes(10, "4");
            before.startScheduler();
            before.addPods("p", 100, "200m");
            before.awaitAllBound(100);
            before.assertSound();
            try (LiveCluster after = before.replaceServer()) {
                after.addNodes(5, "4");
                after.addPods("p", 60, "200m");
                Await.until(
                        LiveCluster.PATIENCE,
                        "all pods are bound on the new server",
                        () -> after.audit().bound() == 60,
                        () -> "new: " + after.state() + "; scheduler: " + before.state());
                after.api().createPod(Manifest.pod("large", "5"));
                String message = "0/5 nodes are available: 5 Insufficient cpu.";
                Await.until(
                        LiveCluster.PATIENCE,
                        "the five new nodes alone count",
                        () -> after.condition("large").path("message").asText().equals(message),
                        () -> after.condition("large") + "; scheduler: " + before.state());
                after.assertSound();
            }
        }
    }
}
