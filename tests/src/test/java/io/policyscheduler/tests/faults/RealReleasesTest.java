package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Schedules pods by a policy on a real API server of each release whose programs are installed. */
@Tag("real")
class RealReleasesTest {
    private static final int NODES = 5;
    private static final int PODS = 100;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TestFactory
    Stream<DynamicTest> policySchedulesOnEachRelease(@TempDir Path folder) {
        List<String> releases = RealPrograms.releases();
        assumeFalse(
                releases.isEmpty(),
                "no kube-apiserver; set KUBERNETES_PROGRAMS or KUBEBUILDER_ASSETS as docs/testing.md describes");
        return releases.stream()
                .map(release -> DynamicTest.dynamicTest(release, () -> schedule(release, folder.resolve(release))));
    }

    private static void schedule(String release, Path folder) throws IOException {
        Path kubeconfig = RealPrograms.up(release, Map.of());
        try (RealServer server = RealServer.start(release);
                Program scheduler = Program.start(
                        Files.createDirectory(folder),
                        "run",
                        "--kubeconfig",
                        kubeconfig.toString(),
                        "--policy-config-file",
                        RepositoryFiles.root()
                                .resolve("policy-files/demo/policy.json")
                                .toString(),
                        "--status-address",
                        "127.0.0.1:0")) {
            for (int i = 0; i < NODES; i++) {
                ObjectNode node = Manifest.node("n" + i, "4");
                node.withObject("/metadata/labels").put("zone", "a"); // the policy requires it
                server.load(node);
            }
            for (int i = 0; i < PODS; i++) {
                server.load(Manifest.pod("p" + i, "100m"));
            }
            server.load(Manifest.pod("huge", "64"));
            Await.until(LIMIT, "all pods are bound", () -> server.bound() == PODS, scheduler::output);
            Await.until(
                    LIMIT,
                    "the pod that is too large is unschedulable",
                    () -> server.get("pods", "default", "huge")
                            .map(pod -> pod.at("/status/conditions").toString().contains("Insufficient cpu"))
                            .orElse(false),
                    scheduler::output);
            assertEquals(List.of(), server.violations());
            assertTrue(scheduler.metrics().contains("scheduler_schedule_attempts_total{"), scheduler::output);
        } finally {
            RealPrograms.down(release, Map.of());
        }
    }
}
