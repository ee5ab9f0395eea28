package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void files() throws IOException {
        for (String trace : List.of("one", "two")) {
            Path dir = Files.createDirectories(folder.resolve(trace));
            Files.writeString(dir.resolve("cluster.json"), """
                    {"apiVersion": "v1", "kind": "List", "items": [
                     {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}},
                     {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}]}
                    """);
            Files.writeString(
                    dir.resolve("arrivals.csv"),
                    "time,duration,cpu\n0,100,1\n10,100,2\n20,100," + (trace.equals("one") ? 2 : 4) + "\n30,50,3\n");
            Files.writeString(
                    dir.resolve("policy.json"),
                    "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": \"PodFitsResources\"}],"
                            + " \"priorities\": [{\"name\": \"MostRequestedPriority\", \"weight\": 1}]}");
        }
        Files.writeString(folder.resolve("sweep.yaml"), """
                traces: {both: [one, two]}
                schedulers: [modern, "policy:{trace}/policy.json"]
                tieBreak: [first, random]
                seeds: 3
                """);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private CommandRun sweep(String out, String... more) {
        List<String> args =
                new ArrayList<>(List.of("lab", "sweep", path("sweep.yaml"), "--out", path(out), "--warm-up", "0s"));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    @Test
    void shardsInAnyOrderAndTwiceEqualTheWholeSweep() throws IOException {
        CommandRun whole = sweep("whole");
        assertEquals("", whole.err());
        assertTrue(whole.out().startsWith("made 24 of 24 runs"), whole.out());
        assertEquals(25, text("whole/sweep.csv").lines().count());
        for (int shard = 0; shard < 4; shard++) {
            CommandRun run = sweep("s" + shard, "--shard", shard + "/4");
            assertTrue(run.out().startsWith("made 6 of 24 runs"), run.out());
        }
        CommandRun merged = CommandRun.of(
                "lab", "merge", path("s2"), path("s0"), path("s3"), path("s2"), path("s1"), "--out", path("merged"));
        assertEquals("", merged.err());
        for (String file : List.of("sweep.csv", "sweep.json")) {
            assertEquals(text("whole/" + file), text("merged/" + file), file);
        }
        JsonNode groups = JSON.readTree(text("merged/sweep.json")).path("groups");
        assertEquals(4, groups.size());
        for (JsonNode group : groups) {
            assertEquals(6, group.path("runs").asInt(), "two traces and three seeds");
            assertEquals(4, group.at("/mean/pods.arrived").asInt());
        }
    }

    @Test
    void whatIsThereIsNotRunAgain() throws IOException {
        sweep("out");
        try (Stream<Path> runs = Files.list(folder.resolve("out/runs"))) {
            Files.delete(runs.sorted().findFirst().orElseThrow());
        }
        assertTrue(sweep("out").out().startsWith("made 1 of 24 runs; 23 were there before"));
        // Another policy is another run.
        Files.writeString(
                folder.resolve("one/policy.json"), text("one/policy.json").replace("Most", "Least"));
        assertTrue(sweep("out").out().startsWith("made 6 of 24 runs"));
    }

    @Test
    void differentResultsOfOneRunAreNotMerged() throws IOException {
        sweep("x", "--shard", "0/24");
        sweep("y", "--shard", "0/24");
        Path run;
        try (Stream<Path> runs = Files.list(folder.resolve("y/runs"))) {
            run = runs.findFirst().orElseThrow();
        }
        Files.writeString(run, Files.readString(run).replace("\"pods.arrived\" : 4", "\"pods.arrived\" : 5"));
        CommandRun merged = CommandRun.of("lab", "merge", path("x"), path("y"), "--out", path("z"));
        assertTrue(merged.err().contains("another directory has other metrics of the same run"), merged.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            traces: [one]|at least one trace and one scheduler are required
            {traces: [one], schedulers: [modern], seed: 1}|unknown field "seed"
            {traces: [one], schedulers: [modern], seeds: 0}|seeds must be 1 or more, not 0
            {traces: [one], schedulers: [modern], tieBreak: [last]}|there is no "last"
            {traces: [none], schedulers: [modern]}|none
            """)
    void namesWhatIsWrongWithAFile(String text, String problem) throws IOException {
        Files.writeString(folder.resolve("sweep.yaml"), text);
        CommandRun run = sweep("out");
        assertTrue(run.err().contains(problem), run.err());
    }

    @ParameterizedTest
    @CsvSource({"4/4", "1", "a/b", "0/0"})
    void namesAShardThatDoesNotExist(String shard) {
        CommandRun run = sweep("out", "--shard=" + shard);
        assertTrue(run.err().contains("is not I/N"), run.err());
    }
}
