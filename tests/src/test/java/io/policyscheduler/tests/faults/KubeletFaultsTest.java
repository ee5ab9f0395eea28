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
    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultFixture::legacy), Named.of("today", FaultFixture::modern));
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
        fixture.server()
                .call(
                        "PATCH",
                        "/api/v1/namespaces/default/pods/" + pod + "/status",
                        "application/merge-patch+json",
                        "{\"status\":{\"phase\":\"Failed\",\"reason\":\"" + reason + "\"}}");
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void aPodThatTheKubeletFailsGivesItsRoomBackAndItsSuccessorGoesElsewhere(Supplier<ProfileSettings> profile) {
        fixture.addNodes(2, "1");
        fixture.start(profile.get());
        fixture.server().load(replica("web-1", "1"));
        fixture.awaitBound("web-1");
        String refusing = fixture.nodeOf("web-1");
        String other = refusing.equals("n0") ? "n1" : "n0";
        fixture.addPods("filler", 1, "1");
        fixture.awaitBound("filler0");
        assertEquals(other, fixture.nodeOf("filler0"));
        refuse("web-1", "OutOfcpu");
        fixture.await(
                "the event of the rejection",
                () -> !fixture.events("web-1", "NodeRefusedPod").isEmpty());
        assertEquals(
                "Node " + refusing + " rejected the pod (OutOfcpu): similar pods avoid the node for 10 s",
                fixture.events("web-1", "NodeRefusedPod").get(0).path("message").asText());
        fixture.server().load(replica("web-2", "1"));
        fixture.await(
                "the event of the successor",
                () -> fixture.condition("web-2", "PodScheduled")
                        .path("message")
                        .asText()
                        .contains("1 node(s) rejected a similar pod (OutOfcpu)"));
        assertEquals("", fixture.nodeOf("web-2"));
        fixture.addPods("unlike", 1, "1");
        fixture.awaitBound("unlike0");
        assertEquals(refusing, fixture.nodeOf("unlike0"), "others get the room at once");
        fixture.deleteNow("filler0");
        fixture.awaitBound("web-2");
        assertEquals(other, fixture.nodeOf("web-2"));
        assertNotEquals(refusing, fixture.nodeOf("web-2"));
    }
}
