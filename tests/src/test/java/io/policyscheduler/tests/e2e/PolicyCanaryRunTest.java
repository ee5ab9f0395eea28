package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --policy-canary}: a policy that makes pods wait is rolled back, and a better one is tried after it. */
class PolicyCanaryRunTest {
    private static final String CURRENT = """
            {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}], "priorities": []}""";
    private static final String NEEDS_RACK = """
            {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}, {"name": "InRack",
            "argument": {"labelsPresence": {"labels": ["rack"], "presence": true}}}], "priorities": []}""";
    /** Of 100 owners, half of which are in the share, more than two are. */
    private static final int MOST_PODS = 100;

    private final LiveCluster live = new LiveCluster();
    private final Path folder;

    PolicyCanaryRunTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Path write(String name, String text) throws IOException {
        Path written = Files.writeString(folder.resolve(name + ".new"), text);
        return Files.move(written, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void isRolledBackAndTriedAgainWhenItsFileChanges() throws IOException {
        live.addNodes(3, "64");
        try (Program program = Program.start(
                folder,
                "run",
                "--master",
                live.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--policy-config-file",
                write("current.json", CURRENT).toString(),
                "--policy-canary",
                write("canary.json", NEEDS_RACK).toString(),
                "--canary-share",
                "50%",
                "--canary-max-waiting",
                "2",
                "--status-address",
                "127.0.0.1:0")) {
            program.awaitOutput("status at");
            assertTrue(program.output().contains("canary: scheduling pods of 50% of the owners of "), program::output);
            assertEquals("1.0", program.metric("policy_scheduler_canary_active"));
            int pods = 0;
            while (pods < MOST_PODS && !program.output().contains("W137")) {
                live.api().createPod(Manifest.pod("p" + pods, "100m"));
                pods++;
            }
            program.awaitOutput("W137 the canary is rolled back, and the current policy decides all pods: 3 pods wait");
            program.awaitOutput("the canary is rolled back: policy generation 2 is now in effect");
            for (int i = 0; i < pods; i++) {
                live.awaitBound("p" + i);
            }
            program.awaitMetric("policy_scheduler_canary_active", "0.0");
            assertEquals("1.0", program.metric("policy_scheduler_canary_rollbacks_total"));
            JsonNode profile = Manifest.any(program.get("/ui/policy")).path(0);
            assertEquals(1, profile.path("canary").path("rollbacks").asInt(), profile.toString());
            Await.until(
                    LiveCluster.PATIENCE,
                    "the pods that waited have an event",
                    () -> live.cluster().list("events").stream()
                                    .filter(event ->
                                            event.path("reason").asText().equals("PolicyCanaryRolledBack"))
                                    .count()
                            == 3,
                    program::output);

            // A tenant reads the events of its pods, but not the names of other pods.
            live.cluster().list("events").stream()
                    .filter(event -> event.path("reason").asText().equals("PolicyCanaryRolledBack"))
                    .forEach(event -> assertEquals(
                            "the canary is rolled back, and the current policy decides this pod again: 3 pods wait because the"
                                    + " canary finds no node, more than --canary-max-waiting=2",
                            event.path("note").asText(event.path("message").asText())));

            write("canary.json", CURRENT);
            program.awaitMetric("policy_scheduler_canary_active", "1.0");
            program.awaitMetric("policy_scheduler_policy_generation", "3.0");
            write("current.json", CURRENT + "\n");
            program.awaitMetric("policy_scheduler_policy_generation", "4.0");
            assertEquals("1.0", program.metric("policy_scheduler_canary_active"));
        }
    }
}
