package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.RealPrograms;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real kube-scheduler 1.17.17 on the embedded cluster, with protobuf: its lists, binds, events, and evictions work. Skipped without the program.
 */
@Timeout(180)
class StockSchedulerTest {
    private static ObjectNode forStock(ObjectNode pod) {
        pod.withObject("/spec").put("schedulerName", "default-scheduler");
        return pod;
    }

    @Test
    void schedulesAsOnARealServer(@TempDir Path folder) throws Exception {
        Path program = RealPrograms.program("kube-scheduler", "1.17");
        Path kubeconfig = folder.resolve("kubeconfig");
        File output = folder.resolve("log").toFile();
        try (LiveCluster live = new LiveCluster(Release.V1_17)) {
            live.cluster().writeKubeconfig(kubeconfig);
            live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
            live.addNodes(3, "4");
            Process scheduler = new ProcessBuilder(
                            program.toString(),
                            "--kubeconfig=" + kubeconfig,
                            "--leader-elect=true",
                            "--port=0",
                            "--secure-port=0",
                            "--v=2")
                    .redirectErrorStream(true)
                    .redirectOutput(output)
                    .start();
            try {
                for (int i = 0; i < 12; i++) {
                    live.cluster().load(forStock(Manifest.pod("p" + i, "1")));
                }
                for (int i = 0; i < 12; i++) {
                    live.awaitBound("p" + i);
                }
                live.cluster().load(forStock(Manifest.pod("large", "5")));
                assertEquals(
                        "0/3 nodes are available: 3 Insufficient cpu.",
                        live.awaitUnschedulable("large").path("message").asText());
                live.cluster().load(forStock(Manifest.podWithPriority("urgent", "2", "high")));
                live.awaitBound("urgent");
                Await.until(
                        LiveCluster.PATIENCE,
                        "events of all kinds are there",
                        () -> List.of("Scheduled", "FailedScheduling", "Preempted").stream()
                                .allMatch(reason -> hasEvent(live, reason)),
                        live::state);
            } finally {
                scheduler.destroy();
                assertTrue(scheduler.waitFor(20, TimeUnit.SECONDS), "kube-scheduler does not end");
            }
            assertTrue(live.cluster()
                    .get("leases.coordination.k8s.io", "kube-system", "kube-scheduler")
                    .isPresent());
            assertFalse(log(output).contains("could not find the requested resource"), log(output));
            assertFalse(log(output).contains("Failed to list"), log(output));
        }
    }

    private static boolean hasEvent(LiveCluster live, String reason) {
        return live.cluster().list("events").stream()
                .anyMatch(event -> event.path("reason").asText().equals(reason));
    }

    private static String log(File output) {
        try {
            return Files.readString(output.toPath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
