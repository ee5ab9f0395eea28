package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits the length of the short documents, and verifies what they and the list of behaviors in books name. */
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

    /** Each behavior that books describe and that was missing names tests and pages that exist, and limits.md has what stays different. */
    @Test
    void behaviorsOfBooksAreShown() throws IOException {
        Path root = RepositoryFiles.root();
        Set<String> tests;
        try (Stream<Path> files =
                Files.find(root, 20, (path, what) -> path.toString().endsWith("Test.java"))) {
            tests = files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }
        String limits = Files.readString(root.resolve("docs/limits.md"));
        List<String> rows =
                Files.readAllLines(root.resolve("tests/src/test/resources/historic/behaviors-1.17.txt")).stream()
                        .filter(line -> !line.startsWith("#"))
                        .toList();
        List<String> wrong = new ArrayList<>();
        for (String row : rows) {
            String[] columns = row.split(" \\|( |$)", -1);
            for (String shown : columns[2].split(" ")) {
                boolean exists = shown.contains("/") ? Files.exists(root.resolve(shown)) : tests.contains(shown);
                if (!exists) {
                    wrong.add(columns[0] + ": " + shown + " does not exist");
                }
            }
            if (!limits.contains(columns[3])) {
                wrong.add(columns[0] + ": docs/limits.md does not contain \"" + columns[3] + "\"");
            }
        }
        assertEquals(List.of(), wrong);
        assertEquals(33, rows.size());
    }
}
