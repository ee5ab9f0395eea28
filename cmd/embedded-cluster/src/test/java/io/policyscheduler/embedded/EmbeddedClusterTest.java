package io.policyscheduler.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.embedded.EmbeddedCluster.Kubeconfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.support.AnnotationSupport;

@EmbeddedCluster(release = "1.17", controllers = false, background = false, load = "/nodes.yaml")
@TestMethodOrder(OrderAnnotation.class)
class EmbeddedClusterTest {
    private static final List<TestCluster> OF_METHODS = new ArrayList<>();
    private final TestCluster shared;

    EmbeddedClusterTest(TestCluster shared) {
        this.shared = shared;
    }

    @Test
    @Order(1)
    void classSharesOneCluster(TestCluster cluster, @Kubeconfig Path kubeconfig) throws Exception {
        assertSame(shared, cluster);
        assertEquals("1.17", cluster.release());
        assertEquals(cluster.kubeconfig(), kubeconfig);
        assertTrue(Files.readString(kubeconfig).contains("server: " + cluster.url()));
        assertEquals(2, cluster.list("nodes").size());
        assertTrue(version(cluster.url()).contains("\"gitVersion\":\"v1.17."), version(cluster.url()));
        cluster.create("{kind: Pod, apiVersion: v1, metadata: {name: web},"
                + " spec: {nodeName: n1, containers: [{name: web, image: nginx}]}}");
        assertEquals("Pending", phase(cluster));
        cluster.tick();
        assertEquals("Running", phase(cluster));
    }

    @Test
    @Order(2)
    @EmbeddedCluster(rbac = true, load = "/nodes.yaml")
    void methodHasItsOwnCluster(TestCluster cluster) {
        assertEquals("https", cluster.url().getScheme());
        assertTrue(cluster.get("pods", "default", "web").isEmpty());
        OF_METHODS.add(cluster);
    }

    @Test
    @Order(3)
    void clusterOfAMethodIsClosedAfterIt() {
        TestCluster closed = OF_METHODS.get(0);
        assertFalse(Files.exists(closed.kubeconfig()));
        assertThrows(
                java.net.ConnectException.class,
                () -> version(URI.create("http://127.0.0.1:" + closed.url().getPort())));
    }

    @Nested
    class WithinAnotherClass {
        @Test
        void findsTheClusterOfTheOuterClass(TestCluster cluster) {
            assertSame(shared, cluster);
        }
    }

    @Test
    @Order(4)
    void textThatIsNoManifestIsRejected() {
        assertThrows(IllegalArgumentException.class, () -> shared.create("{kind: ["));
        assertThrows(IllegalArgumentException.class, () -> shared.create("{kind: Unicorn, apiVersion: v1}"));
    }

    @EmbeddedCluster(release = "1.5")
    private static final class OfAnUnknownRelease {}

    @Test
    @Order(5)
    void unknownReleaseIsRejectedWithTheServedOnes() {
        EmbeddedCluster settings = AnnotationSupport.findAnnotation(OfAnUnknownRelease.class, EmbeddedCluster.class)
                .orElseThrow();
        ExtensionConfigurationException error = assertThrows(
                ExtensionConfigurationException.class, () -> EmbeddedCluster.Extension.release(settings.release()));
        String message = String.valueOf(error.getMessage());
        assertTrue(
                message.startsWith(
                        "@EmbeddedCluster(release = \"1.5\"): this release is not served; use one of 1.17, "),
                message);
    }

    private static String phase(TestCluster cluster) {
        return cluster.get("pods", "default", "web")
                .orElseThrow()
                .at("/status/phase")
                .asText();
    }

    private static String version(URI server) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/version")).build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofString())
                .body()
                .replace(" ", "");
    }
}
