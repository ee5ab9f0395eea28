package io.policyscheduler.cmd.embedded.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.ApiClient;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiscoveryTest {
    @ParameterizedTest
    @CsvSource({"1.17,v1.17.17,policy/v1beta1,v1 v1beta1", "1.34,v1.34.1,policy/v1,v1"})
    void describesTheRelease(Release release, String version, String policy, String storage) throws Exception {
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(release).start()) {
            ApiClient client = new ApiClient(cluster);
            assertEquals(version, client.get("/version").text("gitVersion"));
            assertEquals("v1", client.get("/api").body().at("/versions/0").asText());
            List<String> preferred = new ArrayList<>();
            client.get("/apis")
                    .body()
                    .path("groups")
                    .forEach(g -> preferred.add(Json.text(g, "preferredVersion", "groupVersion")));
            assertTrue(preferred.contains(policy), preferred::toString);
            List<String> versions = new ArrayList<>();
            client.get("/apis/storage.k8s.io")
                    .body()
                    .path("versions")
                    .forEach(v -> versions.add(Json.text(v, "version")));
            assertEquals(storage, String.join(" ", versions));
            assertEquals(policy, client.get("/apis/" + policy).text("groupVersion"));
            assertEquals(404, client.get("/apis/policy/v9").code());
            assertEquals(404, client.get("/apis/none").code());
        }
    }

    @Test
    void describesPods() throws Exception {
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            ApiClient client = new ApiClient(cluster);
            List<String> pods = new ArrayList<>();
            for (JsonNode resource : client.get("/api/v1").body().path("resources")) {
                if (Json.text(resource, "name").startsWith("pods")) {
                    pods.add(Json.text(resource, "name"));
                }
            }
            assertEquals(List.of("pods", "pods/binding", "pods/eviction", "pods/status"), pods);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void everyListedKindCanBeListed(Release release) throws Exception {
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(release).start()) {
            ApiClient client = new ApiClient(cluster);
            JsonNode paths = client.get("/openapi/v3").body().path("paths");
            for (ResourceType type : cluster.catalog().types()) {
                for (String version : type.versions()) {
                    String root = (type.group().isEmpty() ? "api/" : "apis/") + type.apiVersion(version);
                    assertEquals(
                            type.kind() + "List",
                            client.get("/" + root + "/" + type.plural()).text("kind"));
                    String document = Json.text(paths, root, "serverRelativeURL");
                    assertEquals("3.0.0", client.get(document).text("openapi"));
                }
            }
        }
    }
}
