package io.policyscheduler.tests.refusals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.TrustingClient;
import io.policyscheduler.tests.refusals.RefusedObjects.Asking;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real kube-apiservers still answer as they have been recorded; {@code -Drenew=true} records them again. They are started anew,
 * beside those that other tests use.
 */
@Tag("real")
class RealRefusalsTest {
    private static final Path SCRIPT =
            RepositoryFiles.root().resolve("../shared/real/real.sh").normalize();

    @ParameterizedTest
    @CsvSource({"1.17, 24500", "1.34, 24600"})
    void answersAreThoseThatHaveBeenRecorded(String release, String port) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(SCRIPT), () -> "no real programs beside the repository: " + SCRIPT);
        script("down", release, port);
        Path kubeconfig = Path.of(script("up", release, port).strip());
        try {
            JsonNode config = new YAMLMapper().readTree(kubeconfig.toFile());
            Asking server = Asking.http(
                    config.at("/clusters/0/cluster/server").asText(),
                    TrustingClient.create(),
                    config.at("/users/0/user/token").asText());
            List<String> answers = RefusedObjects.created(release, server);
            List<String> changes = RefusedChanges.answers(release, server);
            if (Boolean.getBoolean("renew")) {
                Files.write(RefusedObjects.recording(release), answers);
                Files.write(RefusedChanges.recording(release), changes);
            }
            assertEquals(String.join("\n", RefusedChanges.recorded(release)), String.join("\n", changes));
            assertEquals(
                    String.join("\n", RefusedObjects.ordered(RefusedObjects.recorded(release))),
                    String.join("\n", RefusedObjects.ordered(answers)));
        } finally {
            script("down", release, port);
        }
    }

    private static String script(String verb, String release, String port) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(SCRIPT.toString(), verb, release).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("REAL_PORT", port);
        builder.environment()
                .put(
                        "REAL_HOME",
                        RepositoryFiles.root()
                                .resolve("tests/target/real-refusals")
                                .toString());
        Process process = builder.start();
        try (InputStream out = process.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(SCRIPT + " " + verb + " " + release + " ended with " + process.exitValue());
            }
            return printed;
        }
    }
}
