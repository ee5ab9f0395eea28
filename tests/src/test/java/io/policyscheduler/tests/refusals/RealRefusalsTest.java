package io.policyscheduler.tests.refusals;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.TrustingClient;
import io.policyscheduler.tests.refusals.RefusedObjects.Asking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real kube-apiservers respond as recorded; {@code -Drenew=true} records the responses again. They are started separately from those that other tests
 * use.
 */
@Tag("real")
class RealRefusalsTest {
    @ParameterizedTest
    @CsvSource({"1.17, 24500", "1.20, 24550", "1.34, 24600", "1.36, 24650"})
    void answersAreThoseThatHaveBeenRecorded(String release, String port) throws IOException, InterruptedException {
        Map<String, String> environment = Map.of(
                "CLUSTER_PORT",
                port,
                "CLUSTER_HOME",
                RepositoryFiles.root().resolve("tests/target/real-refusals").toString(),
                "API_ARGS",
                "--allow-privileged=true");
        RealPrograms.down(release, environment);
        Path kubeconfig = RealPrograms.up(release, environment);
        try {
            JsonNode config = new YAMLMapper().readTree(kubeconfig.toFile());
            String url = config.at("/clusters/0/cluster/server").asText();
            String token = config.at("/users/0/user/token").asText();
            Asking server = Asking.http(url, TrustingClient.create(), token);
            List<String> answers = RefusedObjects.created(release, server);
            List<String> changes = RefusedChanges.answers(release, server);
            List<String> kinds =
                    KindRequests.RELEASES.contains(release) ? KindRequests.answers(release, server) : List.of();
            List<String> steps = release.equals("1.20")
                    ? new StepRequests(url, TrustingClient.create(), token).answers()
                    : List.of();
            if (Boolean.getBoolean("renew")) {
                Files.write(RefusedObjects.recording(release), answers);
                Files.write(RefusedChanges.recording(release), changes);
                if (!kinds.isEmpty()) {
                    Files.write(KindRequests.recording(release), kinds);
                }
                if (!steps.isEmpty()) {
                    Files.write(StepRequests.recording(release), steps);
                }
            }
            if (!kinds.isEmpty()) {
                assertEquals(String.join("\n", KindRequests.recorded(release)), String.join("\n", kinds));
            }
            if (!steps.isEmpty()) {
                assertEquals(String.join("\n", StepRequests.recorded(release)), String.join("\n", steps));
            }
            assertEquals(String.join("\n", RefusedChanges.recorded(release)), String.join("\n", changes));
            assertEquals(
                    String.join("\n", RefusedObjects.ordered(RefusedObjects.recorded(release))),
                    String.join("\n", RefusedObjects.ordered(answers)));
        } finally {
            RealPrograms.down(release, environment);
        }
    }
}
