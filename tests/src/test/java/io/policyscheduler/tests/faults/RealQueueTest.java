package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.RealPrograms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kube-scheduler and this program reach the same states in the same steps. {@code -Drenew=true} records the states of kube-scheduler 1.34.
 * Later patch releases of 1.34 have another message for taints and remove nominations, so that only {@link #RECORDED} is compared.
 */
@Tag("real")
@Timeout(300)
class RealQueueTest {
    private static final String RECORDED = "Kubernetes v1.34.1";

    private static List<String> real(Release release, Path folder, Scenario scenario) throws Exception {
        try (RealServer server = RealServer.start(release.toString())) {
            Path kubeconfig = kubeconfig(folder, server);
            try (RealControllers controllers = RealControllers.start(kubeconfig, folder.resolve("controllers.log"))) {
                return scenario.run(
                        server,
                        extenders -> RealScheduler.start(
                                release.toString(),
                                folder.resolve("kube-scheduler.log"),
                                List.of("--config=" + configuration(folder, kubeconfig, extenders))));
            }
        }
    }

    private static List<String> ours(Release release, Path folder, Scenario scenario) throws Exception {
        try (RealServer server = RealServer.start(release.toString());
                RealControllers controllers =
                        RealControllers.start(kubeconfig(folder, server), folder.resolve("controllers.log"))) {
            return scenario.run(server, extenders -> ModernScheduler.start(release, server, extenders));
        }
    }

    private static Path kubeconfig(Path folder, RealServer server) throws IOException {
        String token = String.valueOf(server.headers().get("Authorization")).replace("Bearer ", "");
        return Files.writeString(folder.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
            users: [{name: u, user: {token: "%s"}}]
            contexts: [{name: x, context: {cluster: c, user: u}}]
            current-context: x
            """.formatted(server.url(), token));
    }

    private static Path configuration(Path folder, Path kubeconfig, String extenders) throws IOException {
        return Files.writeString(folder.resolve("config.yaml"), """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            clientConnection: {kubeconfig: "%s"}
            leaderElection: {leaderElect: false}
            profiles: [{schedulerName: policy-scheduler}]
            extenders: %s
            """.formatted(kubeconfig, extenders));
    }

    private static boolean isRecorded() throws IOException {
        Process version = new ProcessBuilder(
                        RealPrograms.program("kube-scheduler", "1.34").toString(), "--version")
                .start();
        return new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .strip()
                .equals(RECORDED);
    }

    @ParameterizedTest
    @EnumSource
    void podsGetAndWaitAsRecorded(Scenario scenario, @TempDir Path folder) throws Exception {
        assumeTrue(isRecorded(), "the recording needs kube-scheduler of " + RECORDED);
        List<String> real = real(Release.V1_34, folder, scenario);
        if (Boolean.getBoolean("renew")) {
            scenario.renew(real);
        } else {
            assertEquals(String.join("\n", scenario.expected()), String.join("\n", real));
        }
        assertEquals(String.join("\n", real), String.join("\n", ours(Release.V1_34, folder, scenario)));
    }

    @ParameterizedTest
    @EnumSource
    void podsGetAndWaitAsInTheNewestRelease(Scenario scenario, @TempDir Path folder) throws Exception {
        assertEquals(
                String.join("\n", real(Release.NEWEST, folder, scenario)),
                String.join("\n", ours(Release.NEWEST, folder, scenario)));
    }
}
