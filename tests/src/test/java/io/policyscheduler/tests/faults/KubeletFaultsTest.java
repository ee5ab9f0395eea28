package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kubelets whose nodes have less room than the API server says. */
@Tag("faults")
@Timeout(120)
class KubeletFaultsTest {
    private final FaultWorld world = new FaultWorld();

    @AfterEach
    void close() {
        world.close();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultWorld::legacy), Named.of("today", FaultWorld::modern));
    }

    private static ObjectNode replica(String name, String cpu) {
        ObjectNode pod = Manifest.pod(name, cpu);
        pod.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", "ReplicaSet")
                .put("name", "web")
                .put("uid", "5f0d8a8e-0000-4000-8000-000000000001")
                .put("controller", true);
        return pod;
    }

    private void refuse(String pod, String reason) {
        world.server()
                .call(
                        "PATCH",
                        "/api/v1/namespaces/default/pods/" + pod + "/status",
                        "application/merge-patch+json",
                        "{\"status\":{\"phase\":\"Failed\",\"reason\":\"" + reason + "\"}}");
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void aPodThatTheKubeletFailsGivesItsRoomBackAndItsSuccessorGoesElsewhere(Supplier<ProfileSettings> profile) {
        world.addNodes(2, "1");
        world.start(profile.get());
        world.server().load(replica("web-1", "1"));
        world.awaitBound("web-1");
        String refusing = world.nodeOf("web-1");
        String other = refusing.equals("n0") ? "n1" : "n0";
        world.addPods("filler", 1, "1");
        world.awaitBound("filler0");
        assertEquals(other, world.nodeOf("filler0"));
        refuse("web-1", "OutOfcpu");
        world.await(
                "the refusal is told",
                () -> !world.events("web-1", "NodeRefusedPod").isEmpty());
        assertEquals(
                "Node " + refusing + " rejected the pod (OutOfcpu): similar pods avoid the node for 10 s",
                world.events("web-1", "NodeRefusedPod").get(0).path("message").asText());
        world.server().load(replica("web-2", "1"));
        world.await(
                "the successor is told why it waits",
                () -> world.condition("web-2", "PodScheduled")
                        .path("message")
                        .asText()
                        .contains("1 node(s) rejected a similar pod (OutOfcpu)"));
        assertEquals("", world.nodeOf("web-2"));
        world.addPods("unlike", 1, "1");
        world.awaitBound("unlike0");
        assertEquals(refusing, world.nodeOf("unlike0"), "others get the room at once");
        world.deleteNow("filler0");
        world.awaitBound("web-2");
        assertEquals(other, world.nodeOf("web-2"));
        assertNotEquals(refusing, world.nodeOf("web-2"));
    }
}
