package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The running scheduler seen through kubectl; skipped if there is no kubectl. */
class KubectlSchedulingTest {
    private static final Duration A_WHILE = Duration.ofMillis(700);

    private final LiveCluster live = new LiveCluster();
    private String kubectl = "";
    private Path directory = Path.of("");

    @BeforeEach
    void start(@TempDir Path temporary) throws IOException {
        Optional<File> found = Stream.of(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(place -> new File(place, "kubectl"))
                .filter(File::canExecute)
                .findFirst();
        assumeTrue(found.isPresent(), "no kubectl on this machine");
        kubectl = found.get().getPath();
        directory = temporary;
        live.cluster().writeKubeconfig(directory.resolve("config"));
        live.addNodes(2, "2");
        live.startScheduler(KubeConnection.fromKubeconfig(directory.resolve("config"), null));
    }

    @AfterEach
    void close() {
        live.close();
    }

    @Test
    void createsPodsAndSeesThemScheduled() throws Exception {
        assertEquals("pod/web created\n", run("create", "-f", pod("web", Manifest.SCHEDULER, "500m")));
        Duration time = live.awaitBound("web");
        assertTrue(time.compareTo(Duration.ofSeconds(2)) < 0, () -> "bound " + time + " after kubectl had returned");
        assertEquals(live.nodeOf("web"), run("get", "pod", "web", "-o", "jsonpath={.spec.nodeName}"));
        live.awaitEvents("web", "Scheduled");
        String description = run("describe", "pod", "web");
        assertTrue(description.contains("Successfully assigned default/web to " + live.nodeOf("web")), description);

        assertEquals("pod/theirs created\n", run("create", "-f", pod("theirs", "somebody-else", "500m")));
        Await.always(A_WHILE, "the other pod is not bound", () -> !live.isBound("theirs"), live::state);

        assertEquals("pod/large created\n", run("create", "-f", pod("large", Manifest.SCHEDULER, "3")));
        String message = "0/2 nodes are available: 2 Insufficient cpu.";
        assertEquals(message, live.awaitUnschedulable("large").path("message").asText());
        assertEquals(List.of(message), live.awaitEvents("large", "FailedScheduling"));
        String events = run("get", "events");
        assertTrue(events.contains("FailedScheduling") && events.contains(message), events);
        String pending = run("describe", "pod", "large");
        assertTrue(pending.contains(message), pending);
        String condition = "jsonpath={.status.conditions[?(@.type=='PodScheduled')].message}";
        assertEquals(message, run("get", "pod", "large", "-o", condition));

        Path node = directory.resolve("node.json");
        Files.writeString(node, Manifest.node("big", "4").toString());
        assertEquals("node/big created\n", run("create", "-f", node.toString()));
        live.awaitBound("large");
        assertEquals("big", run("get", "pod", "large", "-o", "jsonpath={.spec.nodeName}"));
        live.assertSound();
    }

    private String pod(String name, String scheduler, String cpu) throws IOException {
        Path file = directory.resolve(name + ".yaml");
        Files.writeString(file, """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                spec:
                  schedulerName: %s
                  containers:
                  - name: c
                    image: nginx
                    resources:
                      requests:
                        cpu: %s
                """.formatted(name, scheduler, cpu));
        return file.toString();
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                kubectl, "--kubeconfig", directory.resolve("config").toString(), "--cache-dir", directory.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "kubectl hangs");
        assertEquals(0, process.exitValue(), output);
        return output;
    }
}
