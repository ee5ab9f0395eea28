package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects that no API server should return are skipped with a warning, and everything else continues. */
class MalformedObjectsTest {
    private final LiveCluster live = new LiveCluster();
    private final LogCapture log = new LogCapture();

    @AfterEach
    void close() {
        log.close();
        live.close();
    }

    @Test
    void malformedObjectsInAListAreSkipped() {
        storeMalformed();
        live.addNodes(3, "4");
        live.addPods("p", 10, "1");
        live.startScheduler();
        assertMalformedAreSkipped();
    }

    @Test
    void malformedObjectsInAWatchAreSkipped() {
        live.addNodes(3, "4");
        live.startScheduler();
        storeMalformed();
        live.addPods("p", 10, "1");
        assertMalformedAreSkipped();
    }

    private void assertMalformedAreSkipped() {
        for (int i = 0; i < 10; i++) {
            live.awaitBound("p" + i);
        }
        for (String name : new String[] {"bad-node", "default/bad-request", "default/bad-spec"}) {
            Await.until(
                    LiveCluster.PATIENCE,
                    "a warning names " + name,
                    () -> log.has("W101 skipped an unreadable object", name + " ("),
                    log::toString);
        }
        live.api().createPod(Manifest.pod("large", "9"));
        // The malformed node is ignored.
        assertEquals(
                "0/3 nodes are available: 3 Insufficient cpu.",
                live.awaitUnschedulable("large").path("message").asText());
        live.api().createNode(Manifest.node("big", "16"));
        live.awaitBound("large");
        assertEquals("", live.nodeOf("bad-request"));
        live.assertSound();
    }

    private void storeMalformed() {
        store("nodes", Manifest.node("bad-node", "4x"));
        store("pods", Manifest.pod("bad-request", "1 core"));
        ObjectNode pod = Manifest.pod("bad-spec", "1");
        pod.put("spec", "what is this?");
        store("pods", pod);
    }

    /** Stores an object without validation. */
    private void store(String resource, ObjectNode object) {
        ObjectNode metadata = (ObjectNode) object.path("metadata");
        metadata.put("uid", "uid-" + metadata.path("name").asText());
        metadata.put("creationTimestamp", "2024-01-01T00:00:00Z");
        object.remove("kind");
        object.remove("apiVersion");
        live.cluster().store().create(live.cluster().catalog().named(resource), object, false);
    }
}
