package io.policyscheduler.tests.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.StartedProgram;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} with 512 MB of heap on a cluster of 5,000 nodes and 8,000 pods that contains the whole corpus. */
class MemoryTest {
    private static final int NODES = 5_000;
    private static final int RUNNING = 8_000;
    private static final int PENDING = 50;
    private static final String MANAGED = "[{'manager':'kubelet','fieldsV1':{"
            + HostileObject.times(60, "'k:{#}':{'.':{},'f:name':{},'f:value':{}}") + "}}]";

    @Test
    void halfAGigabyteIsEnough(@TempDir Path folder) throws IOException, InterruptedException {
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(Release.V1_34).start()) {
            for (int i = 0; i < NODES; i++) {
                cluster.load(Manifest.node("n" + i, "64"));
            }
            ObjectNode managed = HostileObject.json("{'managedFields':" + MANAGED + "}");
            for (int i = 0; i < RUNNING; i++) {
                ObjectNode pod = Manifest.podOf("default-scheduler", "running" + i, "100m");
                pod.withObject("/spec").put("nodeName", "n" + i % NODES);
                pod.withObject("/metadata").set("managedFields", managed.get("managedFields"));
                cluster.load(pod);
            }
            HostileReadingTest.corpus()
                    .forEach(row ->
                            cluster.store().create(cluster.catalog().named(row.resource()), row.object(), false));
            for (int i = 0; i < PENDING; i++) {
                cluster.load(Manifest.pod("normal" + i, "100m"));
            }
            Path log = folder.resolve("program.log");
            Process program = start(cluster.url(), log);
            try {
                Await.until(
                        HostileCluster.WATCHDOG,
                        "all normal pods are placed",
                        () -> !program.isAlive() || isPlaced(cluster),
                        () -> output(log));
                assertTrue(program.isAlive(), () -> output(log));
            } finally {
                program.destroy();
                assertTrue(program.waitFor(20, TimeUnit.SECONDS), () -> output(log));
            }
        }
    }

    private static boolean isPlaced(EmbeddedControlPlane cluster) {
        for (int i = 0; i < PENDING; i++) {
            boolean isPlaced = cluster.get("pods", "default", "normal" + i)
                    .map(pod -> !pod.path("spec").path("nodeName").asText("").isEmpty())
                    .orElse(false);
            if (!isPlaced) {
                return false;
            }
        }
        return true;
    }

    private static Process start(String url, Path log) throws IOException {
        List<String> command = new ArrayList<>(StartedProgram.line("-Xmx512m", "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(List.of(
                "run",
                "--master",
                url,
                "--algorithm-provider",
                "DefaultProvider",
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--leader-elect=false"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static String output(Path log) {
        try {
            String text = Files.readString(log);
            return text.substring(Math.max(0, text.length() - 4_000));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
