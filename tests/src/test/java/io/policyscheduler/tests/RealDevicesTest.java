package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.replay.OutcomeComparison;
import io.policyscheduler.cmd.replay.ReplayMode;
import io.policyscheduler.cmd.replay.Replayer;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks the real scheduler of 1.34.1 about random worlds with devices and claims, and wants the same outcome to the letter: verdicts,
 * texts, scores, allocations. The real program decides each world several times, since the order of pools and slices is chance there;
 * one that varies is left out. {@code -Dworlds=1000000} tries more worlds, {@code -Dfirst=...} begins with another seed,
 * {@code -Dseed=...} tries only one.
 */
@Tag("real")
class RealDevicesTest {
    private static final int WORLDS = 5_000;
    private static final int BATCH = 20;
    /** The real program mostly waits for its own caches. */
    private static final int PROCESSES = 12;

    private static final String REPETITIONS = "6";

    private final ObjectMapper mapper = new ObjectMapper();
    private final Replayer replayer = new Replayer();

    /** What became of a few worlds. */
    private record Findings(List<String> differences, int compared, int placed) {}

    @Test
    void devicesGoWhereTheRealSchedulerGivesThem(@TempDir Path folder) throws Exception {
        Path program = RealPrograms.program("oracle-dra-1.34");
        long first = Long.getLong("seed", Long.getLong("first", 1));
        long worlds = System.getProperty("seed") == null ? Integer.getInteger("worlds", WORLDS) : 1;
        List<String> differences = new ArrayList<>();
        int compared = 0;
        int placed = 0;
        ExecutorService pool = Executors.newFixedThreadPool(PROCESSES);
        try {
            List<Future<Findings>> batches = new ArrayList<>();
            for (long seed = first; seed < first + worlds; seed += BATCH) {
                long[] seeds = LongStream.range(seed, Math.min(seed + BATCH, first + worlds))
                        .toArray();
                batches.add(pool.submit(() -> compare(program, folder, seeds)));
            }
            for (Future<Findings> batch : batches) {
                Findings findings = batch.get();
                differences.addAll(findings.differences());
                compared += findings.compared();
                placed += findings.placed();
            }
        } finally {
            pool.shutdownNow();
        }
        assertEquals("", String.join("\n", differences.subList(0, Math.min(20, differences.size()))));
        if (worlds > 1) {
            int all = compared;
            int fitting = placed;
            assertTrue(
                    compared > worlds / 2 && placed > worlds / 5, () -> all + " worlds, " + fitting + " pods placed");
        }
    }

    private Findings compare(Path program, Path folder, long[] seeds) throws IOException, InterruptedException {
        List<String> differences = new ArrayList<>();
        int compared = 0;
        int placed = 0;
        int at = 0;
        while (at < seeds.length) {
            long[] left = LongStream.of(seeds).skip(at).toArray();
            List<JsonNode> answers = ask(program, folder.resolve("devices-" + left[0]), left);
            for (int i = 0; i < answers.size(); i++) {
                JsonNode outcome = answers.get(i).path("outcome");
                if (outcome.isMissingNode()) {
                    continue;
                }
                ObjectNode scenario = DeviceWorld.scenario(left[i]);
                scenario.putObject("expected").set(ReplayMode.MODERN.key(), outcome);
                ObjectNode ours = replayer.replay(scenario, ReplayMode.MODERN);
                for (String difference : OutcomeComparison.differences(scenario, ReplayMode.MODERN, ours)) {
                    differences.add("-Dseed=" + left[i] + " " + difference);
                }
                compared++;
                placed += outcome.findValues("bound").size();
            }
            // It gives up a world of which its caches do not settle, and all that follow.
            at += answers.size() + 1;
        }
        return new Findings(differences, compared, placed);
    }

    private List<JsonNode> ask(Path program, Path files, long[] seeds) throws IOException, InterruptedException {
        Path questions = Path.of(files + ".jsonl");
        Path answers = Path.of(files + ".answers");
        try (Writer out = Files.newBufferedWriter(questions)) {
            for (long seed : seeds) {
                out.write(DeviceWorld.scenario(seed).toString());
                out.write('\n');
            }
        }
        Process process = new ProcessBuilder(program.toString(), REPETITIONS)
                .redirectInput(questions.toFile())
                .redirectOutput(answers.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            process.waitFor();
            List<JsonNode> outcomes = new ArrayList<>();
            for (String line : Files.readAllLines(answers)) {
                outcomes.add(mapper.readTree(line));
            }
            return outcomes;
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(questions);
            Files.deleteIfExists(answers);
        }
    }
}
