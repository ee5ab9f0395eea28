package io.policyscheduler.cmd.kube.election;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.election.LeaderElector.ElectionEvents;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.junit.jupiter.api.Test;

/** Events about the objects of a lock. */
class ElectionEventsTest {
    /** A lock of two objects has an event for each. Their names differ, and contain the time in nanoseconds. */
    @Test
    void eachObjectOfTheLockHasAnEvent() {
        List<String> written = new ArrayList<>();
        KubeConnection connection = KubeConnection.inProcess(
                call -> {
                    Buffer body = new Buffer();
                    call.request().body().writeTo(body);
                    JsonNode event = new ObjectMapper().readTree(body.readUtf8());
                    written.add(call.request().url().encodedPath() + " "
                            + event.path("metadata").path("name").asText() + " "
                            + event.path("involvedObject").path("kind").asText() + " "
                            + event.path("message").asText());
                    return new Response.Builder()
                            .request(call.request())
                            .protocol(Protocol.HTTP_1_1)
                            .code(201)
                            .message("")
                            .body(ResponseBody.create("{}", null))
                            .build();
                },
                pause -> {});
        LeaderElectionConfig settings = new LeaderElectionConfig(
                ResourceLock.ENDPOINTS_LEASES,
                "ns",
                "n",
                "me",
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                true);
        Clock clock = Clock.fixed(Instant.ofEpochSecond(1, 0xff), ZoneOffset.UTC);
        ElectionEvents events = new ElectionEvents(connection, settings, "policy-scheduler", "host", clock);
        events.becameLeader();
        events.stoppedLeading();
        String second = Long.toHexString(1_000_000_000L + 0xff);
        String next = Long.toHexString(1_000_000_000L + 0x100);
        String path = "/api/v1/namespaces/ns/events n.";
        assertEquals(
                List.of(
                        path + second + " Endpoints me became leader",
                        path + next + " Lease me became leader",
                        path + second + " Endpoints me stopped leading",
                        path + next + " Lease me stopped leading"),
                written);
    }
}
