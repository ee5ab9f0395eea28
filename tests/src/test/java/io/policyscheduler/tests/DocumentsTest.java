package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits the length of the short documents. */
class DocumentsTest {
    private static final int MOST_LINES_OF_A_MODULE = 45;
    private static final List<String> MODULES = List.of(
            "policy-engine",
            "policy-engine/model",
            "predicates",
            "priorities",
            "framework-adapter",
            "framework-adapter/plugin-api",
            "framework-adapter/core",
            "framework-adapter/insight",
            "docs/site",
            "cmd",
            "cmd/http-server",
            "cmd/embedded-cluster",
            "cmd/kube-client",
            "cmd/app",
            "cmd/embedded-engine",
            "tests");

    @Test
    void everyModuleIntroducesItselfShortly() throws IOException {
        for (String module : MODULES) {
            Path readme = RepositoryFiles.root().resolve(module).resolve("README.md");
            int lines = Files.readAllLines(readme).size();
            assertTrue(lines <= MOST_LINES_OF_A_MODULE, readme + " has " + lines + " lines");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "cmd/embedded-cluster, embedded/DeploymentExampleTest, @EmbeddedCluster(release",
        "cmd/embedded-engine, scheduling/ScheduleExampleTest, class ScheduleExampleTest"
    })
    void readmeShowsATestThatRuns(String name, String example, String start) throws IOException {
        Path module = RepositoryFiles.root().resolve(name);
        String test = Files.readString(module.resolve("src/test/java/io/policyscheduler/" + example + ".java"));
        String shown = "```java\n" + test.substring(test.indexOf(start)) + "```\n";
        String readme = Files.readString(module.resolve("README.md"));
        assertTrue(readme.contains(shown), name + "/README.md does not show " + shown);
    }
}
