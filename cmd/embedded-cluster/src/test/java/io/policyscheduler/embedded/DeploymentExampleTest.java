package io.policyscheduler.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** Creates a Deployment over HTTP and waits for its pod. The README of this module shows this test. */
@EmbeddedCluster(release = "1.36")
class DeploymentExampleTest {
    private static final String DEPLOYMENT = """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
             "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "nginx"}]}}}}""";

    @Test
    void controllersCreateThePod(TestCluster cluster) throws Exception {
        URI deployments = cluster.url().resolve("/apis/apps/v1/namespaces/default/deployments");
        HttpRequest create = HttpRequest.newBuilder(deployments)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(DEPLOYMENT))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(create, BodyHandlers.ofString());
        assertEquals(201, response.statusCode(), response.body());
        cluster.await(
                "deployments.apps",
                "default",
                "web",
                web -> web.at("/status/replicas").asInt() == 1);
        assertEquals(
                "web", cluster.list("pods").get(0).at("/metadata/labels/app").asText());
    }
}
