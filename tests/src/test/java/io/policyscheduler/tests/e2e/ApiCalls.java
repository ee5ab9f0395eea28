package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A user's API calls over HTTP; a response that is not a success fails the test. */
final class ApiCalls {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String NODES = "/api/v1/nodes";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int SUCCESS = 2;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ObjectMapper mapper = new ObjectMapper();
    private final String url;

    ApiCalls(String url) {
        this.url = url;
    }

    JsonNode createPod(JsonNode pod) {
        return post(PODS, pod);
    }

    JsonNode pod(String name) {
        return send("GET", PODS + "/" + name, "application/json", "");
    }

    /** Binds a pod, as a scheduler does. */
    void bind(String pod, String node) {
        post(
                PODS + "/" + pod + "/binding",
                Manifest.json("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'" + pod
                        + "'},'target':{'apiVersion':'v1','kind':'Node','name':'" + node + "'}}"));
    }

    void deletePod(String name) {
        send("DELETE", PODS + "/" + name, "application/json", "");
    }

    void createNode(JsonNode node) {
        post(NODES, node);
    }

    /** @param patch a merge patch; may use single quotes */
    void patchNode(String name, String patch) {
        mergePatch(NODES + "/" + name, patch);
    }

    void deleteNode(String name) {
        send("DELETE", NODES + "/" + name, "application/json", "");
    }

    JsonNode get(String path) {
        return send("GET", path, "application/json", "");
    }

    JsonNode post(String path, JsonNode body) {
        return send("POST", path, "application/json", body.toString());
    }

    void mergePatch(String path, String patch) {
        send("PATCH", path, "application/merge-patch+json", patch.replace('\'', '"'));
    }

    private JsonNode send(String method, String path, String contentType, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(PATIENCE)
                .header("Content-Type", contentType)
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            JsonNode answer = mapper.readTree(response.body());
            assertEquals(SUCCESS, response.statusCode() / 100, () -> method + " " + path + ": " + answer);
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
