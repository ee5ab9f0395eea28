package io.policyscheduler.cmd.kube.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.election.LeaderElector.Deadline;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockClient;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class LockClientTest {
    private static final String ENDPOINTS = "/api/v1/namespaces/ns/endpoints";
    private static final String CONFIG_MAPS = "/api/v1/namespaces/ns/configmaps";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";

    /** The requests, one per line, and their result. */
    private record Calls(String asked, String outcome) {}

    private static Deadline time() {
        return new Deadline("to write lease ns/n", Duration.ofSeconds(10), Ticker.systemTicker());
    }

    /** Reads, and writes what was read as its holder; the server gives each call the code of {@code METHOD PATH}, else 404. */
    private static Calls hold(ResourceLock kind, Map<String, Integer> codes) {
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(
                        codes.getOrDefault(request.method() + " " + request.path(), 404), "{\"metadata\":{}}"));
                KubeConnection connection = KubeConnection.fromUrl(server.url(), Duration.ofSeconds(5))) {
            LeaderElectionConfig settings = new LeaderElectionConfig(
                    kind, "ns", "n", "me", Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2), true);
            String outcome = held(new LockClient(connection, settings));
            List<String> asked = server.requests.stream()
                    .map(request -> request.method() + " " + request.path())
                    .toList();
            return new Calls(String.join("\n", asked), outcome);
        }
    }

    private static String held(LockClient lock) {
        try {
            LockState state = lock.read(time()).heldBy("me", Duration.ofSeconds(15), Instant.EPOCH);
            return String.valueOf(lock.write(state, time()));
        } catch (ApiIoException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "leases, " + LEASES + ",",
        "endpointsleases, " + ENDPOINTS + ", " + LEASES,
        "endpoints, " + ENDPOINTS + ",",
        "configmapsleases, " + CONFIG_MAPS + ", " + LEASES,
        "configmaps, " + CONFIG_MAPS + ",",
    })
    void objectsAreCreatedInTheOrderInWhichTheyAreRead(String text, String first, String second) {
        ResourceLock kind = ResourceLock.find(text).orElseThrow();
        Calls one = new Calls("GET " + first + "/n\nPOST " + first, "true");
        Calls both = new Calls("GET %s/n\nGET %s/n\nPOST %s\nPOST %s".formatted(first, second, first, second), "true");
        assertEquals(
                second == null ? one : both,
                hold(
                        kind,
                        second == null
                                ? Map.of("POST " + first, 201)
                                : Map.of("POST " + first, 201, "POST " + second, 201)));
    }

    /** The server's responses to GET, POST, and PUT of Endpoints and Lease, the requests besides the two reads, and the result. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 404 200 | 200 404 200 | PUT E/n, PUT L/n | true",
                "200 404 200 | 404 201 404 | PUT E/n, POST L | true",
                "404 201 404 | 200 404 200 | POST E, PUT L/n | true",
                "404 409 404 | 404 201 404 | POST E | false",
                "404 201 404 | 404 409 404 | POST E, POST L | false",
                "200 404 409 | 200 404 200 | PUT E/n | false",
                "200 404 200 | 200 404 409 | PUT E/n, PUT L/n | false",
                "200 404 403 | 200 404 200 | PUT E/n | PUT E/n: HTTP 403",
                "200 404 200 | 404 403 404 | PUT E/n, POST L | POST L: HTTP 403",
            })
    void whatFailsLeavesTheRestAsItIs(String endpoints, String lease, String asked, String outcome) {
        String[] first = endpoints.split(" ");
        String[] second = lease.split(" ");
        Calls calls = hold(
                ResourceLock.ENDPOINTS_LEASES,
                Map.of(
                        "GET " + ENDPOINTS + "/n", Integer.valueOf(first[0]),
                        "POST " + ENDPOINTS, Integer.valueOf(first[1]),
                        "PUT " + ENDPOINTS + "/n", Integer.valueOf(first[2]),
                        "GET " + LEASES + "/n", Integer.valueOf(second[0]),
                        "POST " + LEASES, Integer.valueOf(second[1]),
                        "PUT " + LEASES + "/n", Integer.valueOf(second[2])));
        String shown =
                calls.asked().replace(ENDPOINTS, "E").replace(LEASES, "L").replace("\n", ", ");
        assertEquals("GET E/n, GET L/n, " + asked, shown);
        String came = calls.outcome().replace(ENDPOINTS, "E").replace(LEASES, "L");
        assertTrue(came.startsWith(outcome), came);
    }

    @ParameterizedTest
    @CsvSource({"500, 200, GET E/n", "200, 403, 'GET E/n, GET L/n'"})
    void anErrorOfEitherReadEndsTheAttempt(int endpoints, int lease, String asked) {
        Calls calls = hold(
                ResourceLock.ENDPOINTS_LEASES,
                Map.of("GET " + ENDPOINTS + "/n", endpoints, "GET " + LEASES + "/n", lease));
        assertEquals(
                asked,
                calls.asked().replace(ENDPOINTS, "E").replace(LEASES, "L").replace("\n", ", "));
    }

    @Test
    void anAnnotationThatIsNotARecordIsTold() {
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(
                        200,
                        "{\"metadata\":{\"annotations\":{\"control-plane.alpha.kubernetes.io/leader\":\"nobody\"}}}"));
                KubeConnection connection = KubeConnection.fromUrl(server.url(), Duration.ofSeconds(5))) {
            LeaderElectionConfig settings = new LeaderElectionConfig(
                    ResourceLock.ENDPOINTS,
                    "ns",
                    "n",
                    "me",
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(2),
                    true);
            ApiIoException e =
                    assertThrows(ApiIoException.class, () -> new LockClient(connection, settings).read(time()));
            assertEquals(
                    "GET " + ENDPOINTS
                            + "/n: the annotation control-plane.alpha.kubernetes.io/leader is not a leader election record; remove it if no process is the leader",
                    e.getMessage());
        }
    }
}
