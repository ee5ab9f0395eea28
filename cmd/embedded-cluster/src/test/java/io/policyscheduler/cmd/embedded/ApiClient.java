package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A plain HTTP client of the embedded cluster. */
public final class ApiClient {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    public record Answer(int code, JsonNode body) {
        public String text(String... path) {
            return Json.text(body, path);
        }
    }

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final EmbeddedControlPlane cluster;

    public ApiClient(EmbeddedControlPlane cluster) {
        this.cluster = cluster;
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, "", null);
    }

    Answer post(String path, ObjectNode body) throws IOException, InterruptedException {
        return send("POST", path, "application/json", body);
    }

    Answer put(String path, ObjectNode body) throws IOException, InterruptedException {
        return send("PUT", path, "application/json", body);
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send("DELETE", path, "", null);
    }

    Answer patch(String type, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .header("Content-Type", "application/" + type + "+json")
                .method("PATCH", HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        return answer(client.send(request, HttpResponse.BodyHandlers.ofByteArray()));
    }

    Answer send(String method, String path, String contentType, @Nullable JsonNode body)
            throws IOException, InterruptedException {
        HttpRequest.BodyPublisher publisher = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body));
        HttpRequest.Builder request = request(path).method(method, publisher);
        if (!contentType.isEmpty()) {
            request.header("Content-Type", contentType);
        }
        return answer(client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray()));
    }

    Answer table(String path) throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")
                .build();
        return answer(client.send(request, HttpResponse.BodyHandlers.ofByteArray()));
    }

    private static Answer answer(HttpResponse<byte[]> response) throws IOException {
        return new Answer(response.statusCode(), Json.parse(response.body()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(cluster.url() + path)).timeout(PATIENCE);
    }

    Watch watch(String path) throws IOException, InterruptedException {
        HttpResponse<InputStream> response =
                client.send(request(path).build(), HttpResponse.BodyHandlers.ofInputStream());
        return new Watch(response.statusCode(), response.body());
    }

    /** An open watch. */
    static final class Watch implements AutoCloseable {
        private final int code;
        private final BufferedReader lines;

        private Watch(int code, InputStream body) {
            this.code = code;
            this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        }

        int code() {
            return code;
        }

        /** The next event; a missing node when the watch has ended. */
        JsonNode next() throws IOException {
            String line = lines.readLine();
            return Json.parse((line == null ? "" : line).getBytes(StandardCharsets.UTF_8));
        }

        /** The next event as {@code TYPE name}; empty when the watch has ended. */
        String nextText() throws IOException {
            JsonNode event = next();
            return event.isMissingNode()
                    ? ""
                    : Json.text(event, "type") + " " + Json.text(event, "object", "metadata", "name");
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }
}
