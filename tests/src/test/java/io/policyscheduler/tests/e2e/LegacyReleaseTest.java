package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.release.Release;
import org.junit.jupiter.api.Test;

/** A cluster of 1.17. */
class LegacyReleaseTest {
    @Test
    void schedulesOnRelease117() {
        try (LiveCluster live = new LiveCluster(Release.V1_17);
                LogCapture log = new LogCapture()) {
            live.addNodes(5, "4");
            live.startScheduler();
            live.addPods("p", 100, "200m");
            live.awaitAllBound(100);
            live.api().createPod(Manifest.pod("large", "5"));
            assertEquals(
                    "0/5 nodes are available: 5 Insufficient cpu.",
                    live.awaitUnschedulable("large").path("message").asText());
            JsonNode budgets = live.api().get("/apis/policy/v1beta1/poddisruptionbudgets");
            assertEquals("PodDisruptionBudgetList", budgets.path("kind").asText());
            assertTrue(!log.has("poddisruptionbudgets"), log::toString);
            live.assertSound();
        }
    }
}
