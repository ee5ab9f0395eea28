package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.replay.OutcomeComparison;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Decides the recorded scenarios of kube-scheduler v1.17.17 (both executors), 1.34.1, and other releases again, and expects no difference. */
class GoldenReplayTest {
    private static final String CRASHED = "v1.17 died";

    private static final List<ReplayMode> OLD = List.of(ReplayMode.FUNCTIONS, ReplayMode.FRAMEWORK);
    private static final List<ReplayMode> MODERN = List.of(ReplayMode.MODERN);
    private static final List<ReplayMode> RELEASE = List.of(ReplayMode.RELEASE);

    private final Replayer replayer = new Replayer(ReplayRules.STRICT);

    @TestFactory
    Stream<DynamicTest> copiedRecordings() {
        return Recordings.copies("golden").stream().flatMap(file -> tests(file, OLD));
    }

    @TestFactory
    Stream<DynamicTest> copiedRecordingsOfCurrentReleases() {
        return Recordings.copies("golden/modern").stream().flatMap(file -> tests(file, MODERN));
    }

    @TestFactory
    Stream<DynamicTest> copiedRecordingsOfManyPods() {
        return Recordings.copies("golden/seq").stream().flatMap(file -> tests(file, modes(file)));
    }

    @TestFactory
    Stream<DynamicTest> copiedRecordingsWithClaims() {
        return Recordings.copies("golden/dra").stream().flatMap(file -> tests(file, MODERN));
    }

    @TestFactory
    Stream<DynamicTest> copiedRecordingsOfOtherReleases() {
        return Recordings.copies("golden/releases").stream().flatMap(file -> tests(file, RELEASE));
    }

    private static List<ReplayMode> modes(Path file) {
        return file.getFileName().toString().startsWith("117-") ? OLD : MODERN;
    }

    /** Also replays the recordings in {@code ../shared/golden}, if they exist. */
    @TestFactory
    Stream<DynamicTest> recordingsBesideTheRepository() {
        return beside("golden", OLD);
    }

    @TestFactory
    Stream<DynamicTest> recordingsOfCurrentReleasesBesideTheRepository() {
        return beside("golden/modern", MODERN);
    }

    /** Recordings of 1.18 to 1.22, with policies and default profiles. */
    @TestFactory
    Stream<DynamicTest> recordingsOfOtherReleasesBesideTheRepository() {
        List<Path> files = Recordings.beside("golden/releases");
        if (files == null) {
            return beside("golden/releases", RELEASE);
        }
        return files.stream()
                .filter(file -> file.getFileName().toString().startsWith("1."))
                .flatMap(file -> tests(file, RELEASE));
    }

    private Stream<DynamicTest> beside(String name, List<ReplayMode> modes) {
        List<Path> files = Recordings.beside(name);
        if (files == null) {
            return Stream.of(dynamicTest(
                    "skipped",
                    () -> assumeTrue(false, "no recordings beside the repository: " + Recordings.folderBeside(name))));
        }
        return files.stream().flatMap(file -> tests(file, modes));
    }

    @Test
    void everyCategoryIsCopied() {
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
                scenariosByCategory("golden"));
        assertEquals(
                Map.ofEntries(
                        Map.entry("claims", 40),
                        Map.entry("config", 20),
                        Map.entry("disks", 40),
                        Map.entry("even-spread", 40),
                        Map.entry("everything", 40),
                        Map.entry("host-ports", 40),
                        Map.entry("images-avoid-limits", 40),
                        Map.entry("node-affinity", 40),
                        Map.entry("pod-affinity", 40),
                        Map.entry("preemption", 40),
                        Map.entry("resources", 40),
                        Map.entry("spread", 40),
                        Map.entry("taints", 40)),
                scenariosByCategory("golden/modern"));
    }

    private static Map<String, Integer> scenariosByCategory(String folder) {
        Map<String, Integer> scenarios = new TreeMap<>();
        for (Path file : Recordings.copies(folder)) {
            String name = file.getFileName().toString();
            scenarios.put(
                    name.substring(0, name.length() - Recordings.SUFFIX.length()),
                    Recordings.scenarios(file).size());
        }
        return scenarios;
    }

    private Stream<DynamicTest> tests(Path file, List<ReplayMode> modes) {
        return modes.stream().map(mode -> dynamicTest(file.getFileName() + " " + mode.key(), () -> replay(file, mode)));
    }

    private void replay(Path file, ReplayMode mode) throws IOException {
        List<String> differences = new ArrayList<>();
        List<String> excepted = new ArrayList<>();
        int compared = 0;
        List<JsonNode> scenarios = Recordings.scenarios(file);
        for (JsonNode scenario : scenarios) {
            String name = scenario.path("name").asText();
            assertEquals(Set.of(), replayer.missing(scenario), name);
            String exception = Replayer.excepted(scenario, mode);
            if (exception != null) {
                assertEquals(CRASHED, exception, name);
                excepted.add(name);
                // Such a policy is accepted and must be decided.
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
}
