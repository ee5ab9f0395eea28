package io.policyscheduler.cmd.embedded;

import static io.policyscheduler.cmd.embedded.EmbeddedCluster.builder;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Binds a pod over HTTP, as a scheduler does, and lets the kubelet start it. The README of this module shows this test. */
class BindingExampleTest {
    private static final String NODE =
            "{kind: Node, apiVersion: v1, metadata: {name: n1}, status: {capacity: {cpu: 4, pods: 10}}}";
    private static final String POD = "{kind: Pod, apiVersion: v1, metadata: {name: web, namespace: default},"
            + " spec: {containers: [{name: web, image: nginx}]}}";
    private static final String BINDING = """
            {"kind": "Binding", "apiVersion": "v1", "metadata": {"name": "web"}, "target": {"kind": "Node", "name": "n1"}}""";

    @Test
    void kubeletStartsABoundPod() throws Exception {
        try (EmbeddedCluster cluster = builder().kubeletPeriod(Duration.ZERO).start()) {
            cluster.load(new YAMLMapper().readTree(NODE));
            cluster.load(new YAMLMapper().readTree(POD));
            URI binding = URI.create(cluster.url() + "/api/v1/namespaces/default/pods/web/binding");
            HttpRequest bind = HttpRequest.newBuilder(binding)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(BINDING))
                    .build();
            HttpResponse<String> response = HttpClient.newHttpClient().send(bind, BodyHandlers.ofString());
            assertEquals(201, response.statusCode(), response.body());
            cluster.tick();
            ObjectNode pod = cluster.get("pods", "default", "web").orElseThrow();
            assertEquals("Running", pod.at("/status/phase").asText());
        }
    }
}
