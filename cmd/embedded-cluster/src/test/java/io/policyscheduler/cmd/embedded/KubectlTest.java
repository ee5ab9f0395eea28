package io.policyscheduler.cmd.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded cluster as kubectl sees it; skipped where there is no kubectl. */
class KubectlTest {
    private final List<EmbeddedControlPlane> clusters = new ArrayList<>();
    private String kubectl = "";
    private Path directory = Path.of("");

    @BeforeEach
    void findKubectl(@TempDir Path temporary) {
        directory = temporary;
        Optional<File> found = Optional.empty();
        for (String place : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            File file = new File(place, "kubectl");
            if (found.isEmpty() && file.canExecute()) {
                found = Optional.of(file);
            }
        }
        assumeTrue(found.isPresent(), "no kubectl on this machine");
        kubectl = found.get().getPath();
    }

    @AfterEach
    void close() {
        clusters.forEach(EmbeddedControlPlane::close);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void createsShowsAndDeletes(Release release) throws Exception {
        EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(release).start();
        clusters.add(cluster);
        cluster.writeKubeconfig(directory.resolve("config"));
        cluster.load(Manifests.node("n1"));
        Path manifest = directory.resolve("pod.yaml");
        Files.writeString(manifest, """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: web
                  labels: {app: web}
                spec:
                  nodeName: n1
                  containers:
                  - name: c
                    image: nginx
                """);

        assertEquals("pod/web created\n", run("create", "-f", manifest.toString()));
        cluster.kubelet().tick();
        ObjectNode event = Manifests.event("web.1", "web", "Scheduled", "Successfully assigned default/web to n1");
        String uid = Json.text(cluster.get("pods", "default", "web").orElseThrow(), "metadata", "uid");
        Json.child(event, "involvedObject").put("uid", uid);
        cluster.load(event);
        assertEquals(
                List.of("NAME", "READY", "STATUS", "RESTARTS", "AGE", "web", "1/1", "Running", "0"),
                words(run("get", "pods")).subList(0, 9));
        assertTrue(run("get", "pods", "-A", "-o", "wide").contains("NOMINATED NODE"));
        assertEquals("n1", run("get", "pod", "web", "-o", "jsonpath={.spec.nodeName}"));
        assertTrue(run("get", "pods", "-l", "app in (web)", "-o", "name").contains("pod/web"));
        assertTrue(run("get", "nodes").contains("n1     Ready"), () -> uncheckedRun("get", "nodes"));
        assertTrue(run("get", "events").contains("pod/web"));
        String description = run("describe", "pod", "web");
        assertTrue(description.contains("Successfully assigned default/web to n1"), description);
        assertTrue(run("describe", "node", "n1").contains("default                     web"));
        assertEquals("namespace/team created\n", run("create", "namespace", "team"));
        assertEquals(
                "priorityclass.scheduling.k8s.io/high created\n", run("create", "priorityclass", "high", "--value=5"));
        assertEquals(
                5,
                cluster.get("priorityclasses", "", "high")
                        .orElseThrow()
                        .path("value")
                        .asInt());
        assertEquals(
                "deployment.apps/site created\n",
                run("create", "deployment", "site", "--image=nginx:1", "--replicas=0", "--port=80"));
        ObjectNode deployment =
                cluster.get("deployments.apps", "default", "site").orElseThrow();
        assertEquals(0, deployment.at("/spec/replicas").asInt(-1));
        assertEquals(
                80,
                deployment
                        .at("/spec/template/spec/containers/0/ports/0/containerPort")
                        .asInt());
        assertEquals("pod/web labeled\n", run("label", "pod", "web", "tier=front"));
        assertEquals("node/n1 cordoned\n", run("cordon", "n1"));
        assertTrue(run("delete", "pod", "web").startsWith("pod \"web\" deleted"));
        assertTrue(cluster.get("pods", "default", "web").isEmpty());
    }

    private String uncheckedRun(String... arguments) {
        try {
            return run(arguments);
        } catch (IOException | InterruptedException e) {
            return String.valueOf(e);
        }
    }

    private static List<String> words(String text) {
        return List.of(text.trim().split("\\s+", -1));
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
