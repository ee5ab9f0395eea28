package io.policyscheduler.cmd.playground;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.cmd.playground.Playground.SameOrigin;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;

/** A playground with an embedded cluster of its own, on a port. */
final class PlaygroundPort implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EmbeddedControlPlane cluster;
    private final Playground playground;
    private final OwnPage page;
    private final HttpClient http = HttpClient.newHttpClient();

    PlaygroundPort() throws IOException {
        cluster = EmbeddedControlPlane.builder()
                .serving(false)
                .kubeletPeriod(Duration.ZERO)
                .start();
        playground = new Playground(cluster, FeatureGates.defaults().at(Release.NEWEST), Clock.systemUTC());
        page = new OwnPage(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                JsonNodeFactory.instance::arrayNode,
                "first",
                Clock.systemUTC(),
                playground);
        playground.setListener(page.history());
    }

    EmbeddedControlPlane cluster() {
        return cluster;
    }

    String url() {
        return page.url();
    }

    /** Returns the response to a GET. */
    String get(String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create(page.url() + path)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    static ObjectNode body(String... fields) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < fields.length; i += 2) {
            body.put(fields[i], fields[i + 1]);
        }
        return body;
    }

    HttpResponse<String> send(String what, Object body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(page.url() + "playground/" + what))
                        .header(SameOrigin.HEADER, SameOrigin.VALUE)
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    JsonNode act(String what, Object body) throws IOException, InterruptedException {
        HttpResponse<String> response = send(what, body);
        assertEquals(200, response.statusCode(), response.body());
        JsonNode answer = JSON.readTree(response.body());
        assertFalse(answer.has("errors"), response.body());
        return answer;
    }

    JsonNode refused(String what, Object body) throws IOException, InterruptedException {
        HttpResponse<String> response = send(what, body);
        assertEquals(200, response.statusCode(), response.body());
        JsonNode errors = JSON.readTree(response.body()).path("errors");
        assertFalse(errors.isEmpty(), response.body());
        return errors;
    }

    void create(String text) throws IOException, InterruptedException {
        act("create", body("text", text));
    }

    static String node(String name, String cpu) {
        return "{apiVersion: v1, kind: Node, metadata: {name: " + name + "}, status: {allocatable: {cpu: \"" + cpu
                + "\", memory: 8Gi, pods: \"10\"}}}\n---\n";
    }

    static String pod(String name, String cpu) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: " + name
                + "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"" + cpu + "\"}}}]}}\n---\n";
    }

    @Override
    public void close() {
        page.close();
        playground.close();
        cluster.close();
    }
}
