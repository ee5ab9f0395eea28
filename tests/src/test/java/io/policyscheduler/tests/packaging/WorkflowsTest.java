package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Workflows run scripts, modules, profiles, and tests that exist, with the fewest rights. */
class WorkflowsTest {
    private static final Path ROOT = RepositoryFiles.root();
    private static final Path FOLDER = ROOT.resolve(".github/workflows");
    private static final Pattern SCRIPT = Pattern.compile("(?<![\\w$/.])((?:\\.ci|tests|docs|cmd)/[\\w./-]+)");
    private static final Pattern PROFILES = Pattern.compile("(?<=\\s)-P([\\w,]+)");
    private static final Pattern MODULES = Pattern.compile("(?<=\\s)-pl\\s+([\\w,/-]+)");
    private static final List<String> MODULE_OPTIONS = List.of(" -am ", " -Dsurefire.failIfNoSpecifiedTests=false");
    private static final Pattern COMMAND = Pattern.compile("`policy-scheduler ([a-z][^`]*)`");
    private static final Pattern TESTS = Pattern.compile("-Dtest='?([\\w,]+)");

    static List<Path> workflows() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    private static JsonNode read(Path workflow) throws IOException {
        return new YAMLMapper().readTree(workflow.toFile());
    }

    @Test
    void thereAreWorkflowsForBuildNightlyAndRelease() throws IOException {
        assertEquals(
                List.of("build.yml", "nightly.yml", "release.yml"),
                workflows().stream().map(file -> file.getFileName().toString()).toList());
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void commandsNameWhatExists(Path workflow) throws IOException {
        JsonNode jobs = read(workflow).path("jobs");
        assertTrue(!jobs.isEmpty(), workflow + " has no jobs");
        List<String> commands = new ArrayList<>();
        for (JsonNode job : jobs) {
            job.path("steps").forEach(step -> commands.add(step.path("run").asText()));
            job.at("/strategy/matrix/command").forEach(command -> commands.add(command.asText()));
        }
        String poms = Files.readString(ROOT.resolve("pom.xml"))
                + Files.readString(ROOT.resolve("cmd/app/pom.xml"))
                + Files.readString(ROOT.resolve("tests/pom.xml"));
        Set<String> tests = testNames();
        List<String> problems = new ArrayList<>();
        for (String command : commands) {
            each(SCRIPT, command, script -> Files.isExecutable(ROOT.resolve(script)), "no executable file ", problems);
            each(MODULES, command, module -> Files.exists(ROOT.resolve(module + "/pom.xml")), "no module ", problems);
            each(PROFILES, command, profile -> poms.contains("<id>" + profile + "</id>"), "no profile ", problems);
            each(TESTS, command, tests::contains, "no test ", problems);
            if (MODULES.matcher(command).find()) {
                // A fresh checkout has no built modules, and -am also runs modules without the named test.
                for (String option : MODULE_OPTIONS) {
                    if (!command.contains(option) && (command.contains("-Dtest=") || option.equals(" -am "))) {
                        problems.add("no option" + option + "next to -pl: " + command);
                    }
                }
            }
        }
        assertEquals(List.of(), problems, workflow::toString);
    }

    private interface Check {
        boolean exists(String name);
    }

    private static void each(Pattern pattern, String command, Check check, String problem, List<String> problems) {
        // Modules look like paths of scripts.
        String text = pattern == SCRIPT ? MODULES.matcher(command).replaceAll("") : command;
        Matcher matcher = pattern.matcher(" " + text);
        while (matcher.find()) {
            for (String name : matcher.group(1).split(",", -1)) {
                if (!check.exists(name)) {
                    problems.add(problem + name + ": " + command);
                }
            }
        }
    }

    private static Set<String> testNames() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            files.map(Path::toString)
                    .filter(file -> file.endsWith("Test.java"))
                    .forEach(file ->
                            names.add(file.substring(file.lastIndexOf('/') + 1, file.length() - ".java".length())));
        }
        return names;
    }

    /** What the issue forms and other pages of the project ask people to run. */
    @Test
    void commandsForReportersExist() throws IOException {
        List<String> commands = new ArrayList<>();
        try (Stream<Path> files = Files.walk(FOLDER.resolveSibling("."))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                COMMAND.matcher(Files.readString(file)).results().forEach(result -> commands.add(result.group(1)));
            }
        }
        assertTrue(commands.size() >= 4, commands::toString);
        for (String command : commands) {
            assertDoesNotThrow(() -> Main.commandLine().parseArgs(command.split(" ", -1)), command);
        }
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void jobsHaveALimitAndFewRights(Path workflow) throws IOException {
        JsonNode root = read(workflow);
        assertEquals("read", root.at("/permissions/contents").asText(), workflow + ": permissions.contents");
        for (JsonNode job : root.path("jobs")) {
            assertTrue(job.path("timeout-minutes").isInt(), workflow + ": a job without timeout-minutes");
            for (JsonNode step : job.path("steps")) {
                assertTrue(
                        step.has("run") != step.has("uses"), workflow + ": a step needs either run or uses: " + step);
                // Text of users in a command line would be executed.
                assertTrue(
                        !step.path("run").asText().contains("${{ github.event."), workflow + ": use env for " + step);
            }
        }
    }

    /** A tag can be moved to other code. The comment lets Dependabot and people see which version a digest is. */
    @ParameterizedTest
    @MethodSource("workflows")
    void actionsArePinnedByDigestWithTheVersion(Path workflow) throws IOException {
        List<String> uses = Files.readAllLines(workflow).stream()
                .map(String::strip)
                .filter(line -> line.matches("(- )?uses:.*"))
                .toList();
        assertTrue(!uses.isEmpty(), workflow + " uses no action");
        assertEquals(
                List.of(),
                uses.stream()
                        .filter(line -> !line.matches("(- )?uses: [\\w./-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"))
                        .toList(),
                workflow::toString);
    }
}
