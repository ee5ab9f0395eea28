package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** kube-scheduler 1.34 and this program reach the same states in the same steps. {@code -Drenew=true} records the states of the real one. */
@Tag("real")
@Timeout(300)
class RealQueueTest {
    private static List<String> real(Path folder, Scenario scenario) throws Exception {
        try (RealServer server = RealServer.start("1.34")) {
            Path kubeconfig = kubeconfig(folder, server);
            try (RealControllers controllers = RealControllers.start(kubeconfig, folder.resolve("controllers.log"))) {
                return scenario.run(
                        server,
                        extenders -> RealScheduler.start(
                                "1.34",
                                folder.resolve("kube-scheduler.log"),
                                List.of("--config=" + configuration(folder, kubeconfig, extenders))));
            }
        }
    }

    private static List<String> ours(Path folder, Scenario scenario) throws Exception {
        try (RealServer server = RealServer.start("1.34");
                RealControllers controllers =
                        RealControllers.start(kubeconfig(folder, server), folder.resolve("controllers.log"))) {
            return scenario.run(server, extenders -> ModernScheduler.start(server, extenders));
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

    @ParameterizedTest
    @EnumSource
    void podsGetAndWaitAsWithTheRealScheduler(Scenario scenario, @TempDir Path folder) throws Exception {
        List<String> real = real(folder, scenario);
        if (Boolean.getBoolean("renew")) {
            scenario.renew(real);
        } else {
            assertEquals(String.join("\n", scenario.expected()), String.join("\n", real));
        }
        assertEquals(String.join("\n", real), String.join("\n", ours(folder, scenario)));
    }
}
