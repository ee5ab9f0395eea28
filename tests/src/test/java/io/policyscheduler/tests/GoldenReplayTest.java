package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.replay.OutcomeComparison;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Decides recorded scenarios of the real v1.17.17 again, in both modes, and wants no difference at all. */
class GoldenReplayTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String SUFFIX = ".jsonl.gz";
    private static final String CRASHED = "v1.17 died";

    private final Replayer replayer = new Replayer();

    private static List<Path> copies() {
        Path folder = RepositoryFiles.root().resolve("tests/src/test/resources/golden");
        return RepositoryFiles.in(folder, SUFFIX);
    }

    @TestFactory
    Stream<DynamicTest> copiedRecordings() {
        return copies().stream().flatMap(this::tests);
    }

    /** Recordings that somebody put beside the repository are picked up without copying them. */
    @TestFactory
    Stream<DynamicTest> recordingsBesideTheRepository() {
        Path folder = RepositoryFiles.root().resolve("../shared/golden").normalize();
        if (!Files.isDirectory(folder)) {
            return Stream.of(
                    dynamicTest("skipped", () -> assumeTrue(false, "no recordings beside the repository: " + folder)));
        }
        Set<String> copied =
                copies().stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        return RepositoryFiles.in(folder, SUFFIX).stream()
                .filter(file -> !copied.contains(file.getFileName().toString()))
                .flatMap(this::tests);
    }

    @Test
    void everyCategoryIsCopied() {
        Map<String, Integer> scenarios = new TreeMap<>();
        for (Path file : copies()) {
            String name = file.getFileName().toString();
            scenarios.put(
                    name.substring(0, name.length() - SUFFIX.length()),
                    scenarios(file).size());
        }
        assertEquals(
                Map.ofEntries(
                        Map.entry("claims", 60),
                        Map.entry("custom-policy", 56),
                        Map.entry("disks", 60),
                        Map.entry("even-spread", 59),
                        Map.entry("everything", 59),
                        Map.entry("host-ports", 60),
                        Map.entry("images-avoid-limits", 60),
                        Map.entry("node-affinity", 60),
                        Map.entry("pod-affinity", 59),
                        Map.entry("policies", 147),
                        Map.entry("preemption", 80),
                        Map.entry("random-policy", 60),
                        Map.entry("resources", 60),
                        Map.entry("spread", 60),
                        Map.entry("taints", 58)),
                scenarios);
    }

    private Stream<DynamicTest> tests(Path file) {
        return Stream.of(ReplayMode.values())
                .map(mode -> dynamicTest(file.getFileName() + " " + mode.key(), () -> replay(file, mode)));
    }

    private void replay(Path file, ReplayMode mode) throws IOException {
        List<String> differences = new ArrayList<>();
        List<String> excepted = new ArrayList<>();
        int compared = 0;
        List<JsonNode> scenarios = scenarios(file);
        for (JsonNode scenario : scenarios) {
            String name = scenario.path("name").asText();
            assertEquals(Set.of(), replayer.missing(scenario), name);
            String exception = Replayer.excepted(scenario, mode);
            if (exception != null) {
                assertEquals(CRASHED, exception, name);
                excepted.add(name);
                // It still has to be decided: such a policy is accepted.
                assertTrue(!replayer.replay(scenario, mode).has("configError"), name);
                continue;
            }
            compared++;
            ObjectNode actual = replayer.replay(scenario, mode);
            for (String difference : OutcomeComparison.differences(scenario, mode, actual)) {
                differences.add(name + " " + difference);
            }
        }
        assertEquals(List.of(), differences);
        assertEquals(crashes(scenarios, mode), excepted);
        assertTrue(compared > 0, "nothing compared");
    }

    private static List<String> crashes(List<JsonNode> scenarios, ReplayMode mode) {
        return scenarios.stream()
                .filter(scenario -> scenario.path("expected").path(mode.key()).has("crash"))
                .map(scenario -> scenario.path("name").asText())
                .toList();
    }

    private static List<JsonNode> scenarios(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file));
                MappingIterator<JsonNode> lines =
                        MAPPER.readerFor(JsonNode.class).readValues(in)) {
            return lines.readAll();
        } catch (IOException e) {
            throw new IllegalStateException(file + ": " + e.getMessage(), e);
        }
    }
}
