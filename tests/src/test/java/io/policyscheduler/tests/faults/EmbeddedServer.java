package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cluster.GeneralPredicatesAdmission;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.e2e.FakeVolumeController;
import io.policyscheduler.tests.e2e.PlacementAudit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The embedded cluster with kubelets that check their pods. */
final class EmbeddedServer implements FaultServer {
    private final EmbeddedControlPlane cluster;
    private final PlacementAudit audit;
    private @Nullable FakeVolumeController volumes;

    EmbeddedServer() {
        this(false);
    }

    /** A cluster with the controllers that the steps need. */
    static EmbeddedServer withControllersFor(Scenario scenario) {
        // The disruption controller would overwrite the allowed disruptions that the steps set.
        boolean controllers = scenario == Scenario.CLAIMS;
        EmbeddedServer server = new EmbeddedServer(controllers);
        if (controllers) {
            server.cluster.startControllers();
        }
        if (scenario == Scenario.STORAGE) {
            server.volumes = FakeVolumeController.binding(server.cluster);
        }
        return server;
    }

    private EmbeddedServer(boolean controllers) {
        try {
            cluster = EmbeddedControlPlane.builder()
                    .release(Release.V1_34)
                    .nodeAdmission(new GeneralPredicatesAdmission(Release.V1_34))
                    .longestGrace(Duration.ofMinutes(1))
                    .controllers(controllers)
                    .bookmarkInterval(Duration.ofMillis(100))
                    .watchHistory(1_000_000)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        audit = new PlacementAudit(cluster);
    }

    @Override
    public String url() {
        return cluster.url();
    }

    @Override
    public HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @Override
    public Map<String, String> headers() {
        return Map.of();
    }

    @Override
    public void load(ObjectNode object) {
        cluster.load(object);
    }

    @Override
    public Optional<ObjectNode> get(String resource, String namespace, String name) {
        return cluster.get(resource, namespace, name);
    }

    @Override
    public List<ObjectNode> list(String resource) {
        return cluster.list(resource);
    }

    @Override
    public int call(String method, String path, String contentType, String body) {
        return cluster.call(method, path, contentType, body.getBytes(StandardCharsets.UTF_8))
                .code();
    }

    @Override
    public List<String> violations() {
        return audit.violations();
    }

    @Override
    public int bound() {
        return audit.bound();
    }

    @Override
    public void close() {
        if (volumes != null) {
            volumes.close();
        }
        cluster.close();
    }
}
