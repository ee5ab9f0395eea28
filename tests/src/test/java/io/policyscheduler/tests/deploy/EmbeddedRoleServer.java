package io.policyscheduler.tests.deploy;

import io.policyscheduler.cmd.cluster.GeneralPredicatesAdmission;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The embedded cluster with RBAC. */
final class EmbeddedRoleServer implements RoleServer {
    private static final List<ResourceType> MONITORING =
            List.of(monitoring("servicemonitors", "ServiceMonitor"), monitoring("prometheusrules", "PrometheusRule"));

    private final EmbeddedControlPlane cluster;
    private final Path kubeconfig;

    EmbeddedRoleServer(Path folder) {
        kubeconfig = folder.resolve("admin.kubeconfig");
        try {
            cluster = EmbeddedControlPlane.builder()
                    .authorization(AuthorizationMode.RBAC)
                    .moreKinds(MONITORING)
                    .nodeAdmission(new GeneralPredicatesAdmission(Release.NEWEST))
                    .longestGrace(Duration.ofMillis(300))
                    .start();
            cluster.writeKubeconfig(kubeconfig);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ResourceType monitoring(String plural, String kind) {
        return new ResourceType(
                "monitoring.coreos.com",
                List.of("v1"),
                plural,
                kind.toLowerCase(Locale.ROOT),
                kind,
                List.of(),
                true,
                false);
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public List<ReceivedRequest> asked(String user) {
        return cluster.requests().entries().stream()
                .filter(entry -> entry.user().equals(user))
                .map(entry -> ReceivedRequest.of(
                        entry.verb(), entry.group(), entry.resource(), entry.allowed(), entry.reason()))
                .toList();
    }

    @Override
    public void serveMonitoring() {
        // It is served from the start.
    }

    @Override
    public void close() {
        cluster.close();
    }
}
