package io.policyscheduler.tests.deploy;

import io.policyscheduler.cmd.cluster.GeneralPredicatesAdmission;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.access.AuthorizationMode;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The embedded cluster with roles. */
final class EmbeddedRoleServer implements RoleServer {
    private static final ResourceType SERVICE_MONITORS = new ResourceType(
            "monitoring.coreos.com",
            List.of("v1"),
            "servicemonitors",
            "servicemonitor",
            "ServiceMonitor",
            List.of(),
            true,
            false);

    private final EmbeddedCluster cluster;
    private final Path kubeconfig;

    EmbeddedRoleServer(Path folder) {
        kubeconfig = folder.resolve("admin.kubeconfig");
        try {
            cluster = EmbeddedCluster.builder()
                    .authorization(AuthorizationMode.RBAC)
                    .moreKinds(List.of(SERVICE_MONITORS))
                    .nodeAdmission(new GeneralPredicatesAdmission(ReleaseProfile.MODERN.release()))
                    .longestGrace(Duration.ofMillis(300))
                    .start();
            cluster.writeKubeconfig(kubeconfig);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public List<Asked> asked(String user) {
        return cluster.requests().entries().stream()
                .filter(entry -> entry.user().equals(user))
                .map(entry -> Asked.of(entry.verb(), entry.group(), entry.resource(), entry.allowed(), entry.reason()))
                .toList();
    }

    @Override
    public void serveServiceMonitors() {
        // It does from the beginning.
    }

    @Override
    public void close() {
        cluster.close();
    }
}
