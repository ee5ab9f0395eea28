package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real kube-scheduler of 1.34 and this program, given the same steps one after the other, reach the same states. */
@Tag("real")
@Timeout(300)
class RealQueueTest {
    /** What users do to a cluster, and what is told of it. */
    private interface Steps extends Function<FaultServer, List<String>> {}

    private static List<String> real(Path folder, Steps steps) throws Exception {
        try (RealServer server = RealServer.start("1.34")) {
            Path config = configuration(folder, server);
            try (RealControllers controllers =
                            RealControllers.start(folder.resolve("kubeconfig"), folder.resolve("controllers.log"));
                    RealScheduler scheduler = RealScheduler.start(
                            "1.34", folder.resolve("kube-scheduler.log"), List.of("--config=" + config))) {
                return steps.apply(server);
            }
        }
    }

    private static List<String> ours(Path folder, Steps steps) throws Exception {
        try (RealServer server = RealServer.start("1.34")) {
            configuration(folder, server);
            try (RealControllers controllers =
                            RealControllers.start(folder.resolve("kubeconfig"), folder.resolve("controllers.log"));
                    ModernScheduler ours = ModernScheduler.start(server)) {
                return steps.apply(server);
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

    private static void compare(Path folder, List<String> expected, Steps steps) throws Exception {
        List<String> real = real(folder, steps);
        assertEquals(String.join("\n", real), String.join("\n", ours(folder, steps)));
        assertEquals(String.join("\n", expected), String.join("\n", real));
    }

    @Test
    void podsGetAndWaitAsWithTheRealScheduler(@TempDir Path folder) throws Exception {
        compare(folder, QueueStates.EXPECTED, server -> new QueueScenario(server).run());
    }

    @Test
    void podsGetDevicesAsWithTheRealScheduler(@TempDir Path folder) throws Exception {
        compare(folder, ClaimStates.EXPECTED, server -> new ClaimScenario(server).run());
    }

    @Test
    void severalPodsGoAsWithTheRealScheduler(@TempDir Path folder) throws Exception {
        compare(folder, QueueStates.OF_VICTIMS, server -> new VictimScenario(server).run());
    }
}
