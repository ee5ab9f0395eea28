package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ApiDiscoveryTest {
    private static final List<String> BOTH = List.of("v1", "v1beta1");
    private final Map<String, String> answers = new HashMap<>(Map.of(
            "/version", "{\"gitVersion\":\"v1.17.17\"}",
            "/api", "{\"versions\":[\"v1\"]}",
            "/apis",
                    "{\"groups\":[{\"name\":\"policy\",\"versions\":[{\"groupVersion\":\"policy/v1beta1\"}]},"
                            + "{\"name\":\"storage.k8s.io\",\"versions\":[{\"groupVersion\":\"storage.k8s.io/v1\"},"
                            + "{\"groupVersion\":\"storage.k8s.io/v1beta1\"}]}]}",
            "/api/v1", "{\"resources\":[{\"name\":\"pods\"},{\"name\":\"pods/binding\"}]}",
            "/apis/policy/v1beta1", "{\"resources\":[{\"name\":\"poddisruptionbudgets\"}]}",
            "/apis/storage.k8s.io/v1", "{\"resources\":[{\"name\":\"storageclasses\"}]}",
            "/apis/storage.k8s.io/v1beta1", "{\"resources\":[{\"name\":\"csinodes\"},{\"name\":\"storageclasses\"}]}"));

    private FakeApiServer server() {
        return new FakeApiServer(request -> {
            String answer = answers.get(request.path());
            request.answer(answer == null ? 404 : 200, answer == null ? "{\"message\":\"not found\"}" : answer);
        });
    }

    @Test
    void choosesTheFirstVersionThatServesTheResource() throws IOException {
        try (FakeApiServer server = server();
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            ApiDiscovery discovery = ApiDiscovery.load(connection);
            assertEquals("v1.17.17", discovery.serverVersion());
            assertEquals(
                    Set.of("v1", "policy/v1beta1", "storage.k8s.io/v1", "storage.k8s.io/v1beta1"),
                    discovery.groupVersions());
            assertEquals(Optional.of("policy/v1beta1"), discovery.groupVersion("policy", "poddisruptionbudgets", BOTH));
            assertEquals(
                    Optional.of("/apis/storage.k8s.io/v1beta1/csinodes"),
                    discovery.path("storage.k8s.io", "csinodes", BOTH));
            assertEquals(
                    Optional.of("/apis/storage.k8s.io/v1/storageclasses"),
                    discovery.path("storage.k8s.io", "storageclasses", BOTH));
            assertEquals(Optional.of("/api/v1/pods"), discovery.path("", "pods", BOTH));
            assertEquals(Optional.empty(), discovery.path("storage.k8s.io", "csidrivers", BOTH));
            assertEquals(Optional.empty(), discovery.path("resource.k8s.io", "resourceclaims", BOTH));
            long asked = server.requests.stream()
                    .filter(r -> r.path().endsWith("storage.k8s.io/v1"))
                    .count();
            assertEquals(1, asked);
        }
    }

    @Test
    void versionIsOptionalTheRestIsNot() throws IOException {
        answers.remove("/version");
        try (FakeApiServer server = server();
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            assertEquals("unknown", ApiDiscovery.load(connection).serverVersion());
            answers.put("/api", "<html>");
            assertThrows(ApiIoException.class, () -> ApiDiscovery.load(connection));
            answers.put("/api", "{}");
            answers.remove("/apis");
            ApiIoException e = assertThrows(ApiIoException.class, () -> ApiDiscovery.load(connection));
            assertEquals("GET /apis: HTTP 404: not found", e.getMessage());
            assertEquals(404, e.code());
        }
    }
}
