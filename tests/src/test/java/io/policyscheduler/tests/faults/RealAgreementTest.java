package io.policyscheduler.tests.faults;

import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real kube-scheduler 1.36 selects one of the nodes that are best in {@code shadow modern}, for each of 200 pods. */
@Tag("real")
@Timeout(300)
class RealAgreementTest {
    private static final String RELEASE = "1.36";
    private static final int NODES = 12;
    private static final int PODS = 200;
    private static final List<String> CPUS = List.of("16", "32", "48");
    private static final List<String> REQUESTS = List.of("100m", "250m", "900m", "1");

    @Test
    void shadowAgreesWithEachPlacement(@TempDir Path folder) throws IOException, InterruptedException {
        try (RealServer server = RealServer.start(RELEASE)) {
            String token = String.valueOf(server.headers().get("Authorization")).replace("Bearer ", "");
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                users: [{name: u, user: {token: "%s"}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server.url(), token));
            for (int i = 0; i < NODES; i++) {
                server.load(Manifest.node("n" + i, CPUS.get(i % CPUS.size())));
            }
            try (Program shadow = Program.start(folder, "shadow", "modern", "--kubeconfig", kubeconfig.toString());
                    RealScheduler real = RealScheduler.start(
                            RELEASE,
                            folder.resolve("kube-scheduler.log"),
                            List.of("--kubeconfig=" + kubeconfig, "--leader-elect=false"))) {
                shadow.awaitOutput("watching");
                for (int i = 0; i < PODS; i++) {
                    server.load(Manifest.podOf("default-scheduler", "p" + i, REQUESTS.get(i % REQUESTS.size())));
                }
                Await.until(FaultFixture.PATIENCE, "all pods are bound", () -> server.bound() == PODS, real::output);
                shadow.signal("TERM");
                shadow.awaitOutput(PODS + " placements compared with modern: " + PODS + " agree (100.0 %)");
            }
        }
    }
}
