package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real kube-scheduler of 1.34 and this program, given the same steps one after the other, reach the same states. */
@Tag("real")
@Timeout(300)
class RealQueueTest {
    private static List<String> real(Path folder) throws Exception {
        try (RealServer server = RealServer.start("1.34")) {
            Path config = configuration(folder, server);
            try (RealScheduler scheduler =
                    RealScheduler.start("1.34", folder.resolve("kube-scheduler.log"), List.of("--config=" + config))) {
                return new QueueScenario(server).run();
            }
        }
    }

    private static Path configuration(Path folder, RealServer server) throws IOException {
        String token = String.valueOf(server.headers().get("Authorization")).replace("Bearer ", "");
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                        apiVersion: v1
                        kind: Config
                        clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                        users: [{name: u, user: {token: "%s"}}]
                        contexts: [{name: x, context: {cluster: c, user: u}}]
                        current-context: x
                        """.formatted(server.url(), token));
        return Files.writeString(folder.resolve("config.yaml"), """
                        apiVersion: kubescheduler.config.k8s.io/v1
                        kind: KubeSchedulerConfiguration
                        clientConnection: {kubeconfig: "%s"}
                        leaderElection: {leaderElect: false}
                        profiles: [{schedulerName: policy-scheduler}]
                        """.formatted(kubeconfig));
    }

    @Test
    void podsGetAndWaitAsWithTheRealScheduler(@TempDir Path folder) throws Exception {
        List<String> real = real(folder);
        try (RealServer server = RealServer.start("1.34");
                ModernScheduler ours = ModernScheduler.start(server)) {
            assertEquals(String.join("\n", real), String.join("\n", new QueueScenario(server).run()));
        }
        assertEquals(String.join("\n", QueueStates.EXPECTED), String.join("\n", real));
    }
}
