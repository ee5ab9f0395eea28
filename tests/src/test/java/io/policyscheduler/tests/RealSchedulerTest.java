package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.ReplayRules;
import io.policyscheduler.cmd.replay.Replayer;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks the real scheduler of 1.34.1 about random worlds: wherever it lets a pod go, the default policy lets it, and nowhere
 * else, by both executors. {@code -Dworlds=100000} tries more worlds, {@code -Dfirst=...} begins with another seed,
 * {@code -Dseed=...} tries only one.
 */
@Tag("real")
class RealSchedulerTest {
    private static final int WORLDS = 20_000;
    /** Worlds that one process of the real program is given. */
    private static final int BATCH = 50;
    /** The real program mostly waits for its own caches. */
    private static final int PROCESSES = 12;

    private static final List<ReplayMode> EXECUTORS = List.of(ReplayMode.FUNCTIONS, ReplayMode.FRAMEWORK);
    /** Plugins of the real scheduler that have to have a say in a thousand worlds, or the worlds try too little. */
    private static final Set<String> PLUGINS = Set.of(
            "InterPodAffinity",
            "NodeAffinity",
            "NodeName",
            "NodePorts",
            "NodeResourcesFit",
            "NodeUnschedulable",
            "NodeVolumeLimits",
            "PodTopologySpread",
            "SchedulingGates",
            "TaintToleration",
            "VolumeBinding",
            "VolumeRestrictions",
            "VolumeZone");

    private final ObjectMapper mapper = new ObjectMapper();
    private final Replayer replayer = new Replayer(ReplayRules.inClusterOf(Release.parse("1.34"), "DefaultProvider"));

    /** What became of a few worlds. */
    private record Findings(List<String> differences, Map<String, Integer> said) {}

    @Test
    void podsGoWhereTheRealSchedulerLetsThem(@TempDir Path folder) throws Exception {
        Path program = RealPrograms.program("oracle-1.34");
        long first = Long.getLong("seed", Long.getLong("first", 1));
        long worlds = System.getProperty("seed") == null ? Integer.getInteger("worlds", WORLDS) : 1;
        List<String> differences = new ArrayList<>();
        Map<String, Integer> said = new TreeMap<>();
        ExecutorService pool = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Future<Findings>> batches = new ArrayList<>();
            for (long seed = first; seed < first + worlds; seed += BATCH) {
                long[] seeds = LongStream.range(seed, Math.min(seed + BATCH, first + worlds))
                        .toArray();
                batches.add(pool.submit(() -> compare(program, folder, seeds)));
            }
            for (Future<Findings> batch : batches) {
                Findings findings = findings(batch);
                differences.addAll(findings.differences());
                findings.said().forEach((who, times) -> said.merge(who, times, Integer::sum));
            }
        } finally {
            pool.shutdownNow();
        }
        assertEquals("", String.join("\n", differences.subList(0, Math.min(20, differences.size()))));
        if (worlds >= 1000) {
            assertTrue(said.keySet().containsAll(PLUGINS), () -> "the worlds do not try enough: " + said);
        }
    }

    private static Findings findings(Future<Findings> batch) throws Exception {
        try {
            return batch.get();
        } catch (ExecutionException e) {
            throw new AssertionError(String.valueOf(e.getCause()), e);
        }
    }

    private Findings compare(Path program, Path folder, long[] seeds) throws IOException, InterruptedException {
        List<ObjectNode> scenarios =
                LongStream.of(seeds).mapToObj(NewerWorld::scenario).toList();
        List<JsonNode> real = ask(program, folder.resolve("worlds-" + seeds[0]), scenarios);
        Findings findings = new Findings(new ArrayList<>(), new TreeMap<>());
        for (int i = 0; i < seeds.length; i++) {
            String name = "-Dseed=" + seeds[i] + " ";
            ObjectNode scenario = scenarios.get(i);
            JsonNode outcome = real.get(i).path("outcome");
            assertEquals(scenario.path("pending").size(), outcome.path("pods").size(), () -> name + outcome);
            scenario.putObject("expected").set(ReplayMode.MODERN.key(), outcome);
            count(outcome, findings.said());
            for (ReplayMode mode : EXECUTORS) {
                for (String difference : Feasibility.differences(outcome, replay(scenario, mode, name))) {
                    findings.differences().add(name + mode.key() + ": " + difference);
                }
            }
        }
        return findings;
    }

    private JsonNode replay(JsonNode scenario, ReplayMode mode, String name) throws IOException {
        try {
            return replayer.replay(scenario, mode);
        } catch (RuntimeException e) {
            throw new AssertionError(name + mode.key() + ": " + e, e);
        }
    }

    private List<JsonNode> ask(Path program, Path files, List<ObjectNode> scenarios)
            throws IOException, InterruptedException {
        Path questions = Path.of(files + ".jsonl");
        Path answers = Path.of(files + ".answers");
        Path complaints = Path.of(files + ".log");
        try (Writer out = Files.newBufferedWriter(questions)) {
            for (ObjectNode scenario : scenarios) {
                out.write(scenario.toString());
                out.write('\n');
            }
        }
        Process process = new ProcessBuilder(program.toString(), "world")
                .redirectInput(questions.toFile())
                .redirectOutput(answers.toFile())
                .redirectError(complaints.toFile())
                .start();
        try {
            int exit = process.waitFor();
            List<JsonNode> outcomes = new ArrayList<>();
            for (String line : Files.readAllLines(answers)) {
                outcomes.add(mapper.readTree(line));
            }
            if (exit != 0 || outcomes.size() != scenarios.size()) {
                throw new IOException(files.getFileName() + ": " + program.getFileName() + " ended with " + exit
                        + " after " + outcomes.size() + " worlds: " + Files.readString(complaints));
            }
            return outcomes;
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(questions);
            Files.deleteIfExists(answers);
            Files.deleteIfExists(complaints);
        }
    }

    /** Who rejected something, and how many pods could go to some nodes but not to all. */
    private static void count(JsonNode outcome, Map<String, Integer> said) {
        for (JsonNode pod : outcome.path("pods")) {
            pod.findValues("plugin").forEach(plugin -> said.merge(plugin.asText(), 1, Integer::sum));
            if (!pod.path("feasible").isEmpty()) {
                said.merge(pod.path("failures").isEmpty() ? "fits everywhere" : "fits somewhere", 1, Integer::sum);
            }
        }
    }
}
