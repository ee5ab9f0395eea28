package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.TrustingClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The right to write the devices of a resource claim: since 1.36 it is a subresource of its own, which the shipped role includes. */
class ClaimBindingRightsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c1";
    private static final String OLD_ROLE = """
            {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: policy-scheduler}, rules: [
              {apiGroups: [resource.k8s.io], resources: [resourceclaims/status], verbs: [get, update, patch]}]}""";
    private static final String BINDING = """
            {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b},
             roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: policy-scheduler},
             subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: scheduler}]}""";
    private static final String CLAIM = """
            {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c1, namespace: default},
             spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}""";
    private static final String ALLOCATION = """
            {"devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "x"}]}}""";
    private static final String REFUSED =
            "ResourceClaim.resource.k8s.io \"c1\" is invalid: status.allocation: Forbidden: changing status.allocation or"
                    + " status.reservedFor requires resource=\"resourceclaims/binding\", verb=\"update\" permission: ";

    @ParameterizedTest
    @CsvSource({
        "1.34, true, 200",
        "1.34, false, 200",
        "1.35, false, 200",
        "1.36, true, 200",
        "1.36, false, 422",
    })
    void allocationTakesTheRightToBind(Release release, boolean isShipped, int code, @TempDir Path folder)
            throws IOException, InterruptedException {
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .release(release)
                .authorization(AuthorizationMode.RBAC)
                .start()) {
            cluster.load(
                    isShipped
                            ? YAML.readTree(RepositoryFiles.root()
                                    .resolve("policy-files/deploy/rights/cluster-role.yaml")
                                    .toFile())
                            : YAML.readTree(OLD_ROLE));
            cluster.load(YAML.readTree(BINDING));
            cluster.load(YAML.readTree(CLAIM));
            Path kubeconfig = folder.resolve("kubeconfig");
            cluster.writeKubeconfig(kubeconfig);
            String token =
                    YAML.readTree(kubeconfig.toFile()).at("/users/0/user/token").asText();
            HttpClient client = TrustingClient.create();
            ObjectNode allocated = cluster.get("resourceclaims", "default", "c1")
                    .orElseThrow()
                    .deepCopy()
                    .put("apiVersion", "resource.k8s.io/v1")
                    .put("kind", "ResourceClaim");
            allocated.withObjectProperty("status").set("allocation", JSON.readTree(ALLOCATION));
            HttpResponse<byte[]> answer = client.send(
                    HttpRequest.newBuilder(URI.create(cluster.url() + CLAIMS + "/status"))
                            .header("Authorization", "Bearer " + token)
                            .header("Impersonate-User", "scheduler")
                            .header("Content-Type", "application/json")
                            .PUT(HttpRequest.BodyPublishers.ofString(allocated.toString()))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            JsonNode body = JSON.readTree(answer.body());
            assertEquals(code, answer.statusCode(), body::toString);
            String message = body.path("message").asText();
            assertEquals(
                    code == 200 ? "" : REFUSED, message.substring(0, Math.min(REFUSED.length(), message.length())));
            boolean isAllocated = cluster.get("resourceclaims", "default", "c1")
                    .orElseThrow()
                    .at("/status/allocation")
                    .isObject();
            assertEquals(code == 200, isAllocated);
        }
    }
}
