package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.ResultSchemasTest;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
                    "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": \"PodFitsResources\"},"
                            + " {\"name\": \"Small\", \"argument\": {\"rule\": {\"expression\":"
                            + " \"node.name != 'c'\"}}}],"
                            + " \"priorities\": [{\"name\": \"MostRequestedPriority\", \"weight\": 1}]}");
        }
        Files.writeString(folder.resolve("sweep.yaml"), """
            traces: {both: [one, two]}
            schedulers: [modern, "policy:{trace}/policy.json"]
            tieBreak: [first, random]
            seeds: 2
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
    void aPartHasNoPage() {
        CommandRun run = sweep("part", "--shard", "0/4", "--html", path("page.html"));
        assertEquals(
                "error: --html needs all runs; omit --shard, or set --html of lab merge",
                run.err().lines().findFirst().orElse(""));
        assertFalse(Files.exists(folder.resolve("page.html")));
    }

    /** Results are reused only if nothing that a scheduler depends on has changed. */
    @Test
    void aChangedLibraryOrOptionRunsAgain() throws IOException {
        Files.writeString(folder.resolve("rules.yaml"), "rules:\n- {name: Near, expression: node.name == 'a'}\n");
        String[] library = {"--rules", path("rules.yaml")};
        assertTrue(sweep("out", library).out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", library).out().startsWith("made 0 of 16 runs"));
        Files.writeString(folder.resolve("rules.yaml"), "rules:\n- {name: Near, expression: node.name == 'b'}\n");
        assertTrue(sweep("out", library).out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--strict-v1.17").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--release", "1.30").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--scale-load", "0.5").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--scale-load", "1.5").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--jitter", "5s").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--fail", "*@mtbf=1h,mttr=1m").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--fail", "*@mtbf=1h,mttr=2m").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--spot", "*=0.1/h").out().startsWith("made 16 of 16 runs"));
        assertTrue(sweep("out", "--extend", "km").out().startsWith("made 16 of 16 runs"));
    }

    @Test
    void shardsInAnyOrderAndTwiceEqualTheWholeSweep() throws IOException {
        CommandRun whole = sweep("whole");
        assertEquals("", whole.err());
        assertTrue(whole.out().startsWith("made 16 of 16 runs"), whole.out());
        assertEquals(17, text("whole/sweep.csv").lines().count());
        for (int shard = 0; shard < 4; shard++) {
            CommandRun run = sweep("s" + shard, "--shard", shard + "/4");
            assertTrue(run.out().startsWith("made 4 of 16 runs"), run.out());
        }
        CommandRun merged = CommandRun.of(
                "lab", "merge", path("s2"), path("s0"), path("s3"), path("s2"), path("s1"), "--out", path("merged"));
        assertEquals("", merged.err());
        for (String file : List.of("sweep.csv", "sweep.json")) {
            assertEquals(text("whole/" + file), text("merged/" + file), file);
        }
        ResultSchemasTest.assertValid("lab-sweep", text("merged/sweep.json"));
        ResultSchemasTest.assertValid("lab-sweep", "{\"runs\": 16, \"made\": 4}");
        JsonNode groups = JSON.readTree(text("merged/sweep.json")).path("groups");
        assertEquals(4, groups.size());
        for (JsonNode group : groups) {
            assertEquals(4, group.path("runs").asInt(), "two traces and two seeds");
            assertEquals(4, group.at("/mean/pods.arrived").asInt());
        }
    }

    /** The runs of seed 2 are those of the shards 1 and 3. */
    @Test
    void mergeNamesTheRunsOfMissingShards() throws IOException {
        for (int shard : new int[] {0, 2, 3}) {
            sweep("s" + shard, "--shard", shard + "/4");
        }
        // The last shard was killed before its first run.
        try (Stream<Path> runs = Files.list(folder.resolve("s3/runs"))) {
            for (Path run : runs.toList()) {
                Files.delete(run);
            }
        }
        Files.delete(folder.resolve("s3/runs"));
        CommandRun merged = CommandRun.of(
                "lab",
                "merge",
                path("s0"),
                path("s2"),
                path("s3"),
                path("s0"),
                "--out",
                path("merged"),
                "--html",
                path("page.html"));
        String warning =
                "W158 8 of 16 runs are missing, of shard 1/4 (seed 2), 3/4 (seed 2); run lab sweep with --shard"
                        + " again, or add its directory";
        assertEquals("warning: " + warning + "\n", merged.err());
        assertEquals(0, merged.code());
        assertTrue(text("page.html").contains("\"warnings\":[\"" + warning + "\"]"));
        sweep("s1", "--shard", "1/4");
        sweep("s3", "--shard", "3/8");
        CommandRun more =
                CommandRun.of("lab", "merge", path("s0"), path("s1"), path("s2"), path("s3"), "--out", path("merged"));
        // The second half of the last shard is missing. The plan of the first directory names its shard.
        assertEquals(
                "warning: W158 2 of 16 runs are missing, of shard 3/4 (seed 2); run lab sweep with --shard again, or add"
                        + " its directory\n",
                more.err());
    }

    @Test
    void manyMissingShardsAreCounted() {
        SweepPlan plan =
                new SweepPlan(List.of(new SweepPlan.Trace("g", "t")), List.of("a", "b"), List.of("first"), 5, 24, 12);
        List<SweepPlan.Run> runs = plan.runs();
        assertEquals(48, runs.size());
        assertEquals(Optional.empty(), SweepPlan.missing(List.of(plan), Set.copyOf(runs)));
        assertEquals(
                Optional.of(
                        "W158 48 of 48 runs are missing, of shard 0/12 (seeds 5, 17), 1/12 (seeds 6, 18), 2/12 (seeds 7,"
                                + " 19), 3/12 (seeds 8, 20), 4/12 (seeds 9, 21), 5/12 (seeds 10, 22), 6/12 (seeds 11, 23), 7/12"
                                + " (seeds 12, 24), 8/12 (seeds 13, 25), 9/12 (seeds 14, 26), and 2 more; run lab sweep with"
                                + " --shard again, or add its directory"),
                SweepPlan.missing(List.of(plan), Set.of()));
        // Seeds 5 to 7, 9, and 27 and 28 of the first scheduler, and 6 of the second.
        SweepPlan whole = new SweepPlan(plan.traces(), plan.schedulers(), plan.tieBreaks(), 5, 24, 1);
        Set<SweepPlan.Run> there = new HashSet<>(runs);
        for (int i : new int[] {0, 1, 2, 4, 22, 23, 25}) {
            there.remove(runs.get(i));
        }
        assertEquals(
                Optional.of(
                        "W158 7 of 48 runs are missing, of shard 0/1 (seeds 5 to 7, 9, 27 to 28); run lab sweep with"
                                + " --shard again, or add its directory"),
                SweepPlan.missing(List.of(whole, plan), there));
    }

    @Test
    void theBestSchedulerIsNamedForEachWayToBreakTies() throws IOException {
        Files.createDirectories(folder.resolve("out/runs"));
        String[] schedulers = {"a", "b"};
        double[][] allocated = {{0.95, 0.96, 0.90, 0.91}, {0.93, 0.93, 0.93, 0.93}};
        for (int scheduler = 0; scheduler < 2; scheduler++) {
            for (int run = 0; run < 4; run++) {
                Files.writeString(
                        folder.resolve("out/runs/" + scheduler + run + ".json"),
                        "{\"group\": \"g\", \"trace\": \"t\", \"scheduler\": \"" + schedulers[scheduler]
                                + "\", \"tieBreak\": \"" + (run < 2 ? "first" : "random") + "\", \"seed\": " + run
                                + ", \"metrics\": {\"allocation.gpu.end\": " + allocated[scheduler][run]
                                + ", \"wait.mean\": " + (scheduler == 0 ? run + 4 : 6) + "}}");
            }
        }
        CommandRun merged = CommandRun.of("lab", "merge", path("out"), "--out", path("merged"));
        assertEquals("", merged.err());
        List<String> lines = merged.out().lines().toList();
        assertEquals(
                List.of(
                        "TRACES BEST TIES: first TIES: random",
                        "g highest allocation.gpu.end a b",
                        "g lowest wait.mean a b (noise)"),
                lines.subList(lines.size() - 3, lines.size()).stream()
                        .map(line -> line.replaceAll(" +", " ").strip())
                        .toList());
        ResultSchemasTest.assertValid("lab-sweep", text("merged/sweep.json"));
    }

    /** The Job controller creates a pod for each shard; this test runs the arguments of the pods, and ends them. */
    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void anIndexedJobMakesTheShards() throws Exception {
        JsonNode job = new ObjectMapper(new YAMLFactory())
                .readTree(
                        Path.of("../../policy-files/deploy/lab/sweep-job.yaml").toFile());
        sweep("whole");
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().controllers(true).start()) {
            cluster.startControllers();
            cluster.load(job);
            List<ObjectNode> pods;
            do {
                TimeUnit.MILLISECONDS.sleep(20);
                pods = cluster.list("pods");
            } while (pods.size() < job.at("/spec/completions").asInt());
            for (ObjectNode pod : pods) {
                JsonNode container = pod.at("/spec/containers/0");
                String field =
                        container.at("/env/0/valueFrom/fieldRef/fieldPath").asText();
                String annotation = field.substring(field.indexOf('\'') + 1, field.lastIndexOf('\''));
                String index = pod.path("metadata")
                        .path("annotations")
                        .path(annotation)
                        .asText();
                List<String> args = new ArrayList<>();
                for (JsonNode arg : container.path("args")) {
                    args.add(arg.asText()
                            .replace("$(SHARD)", index)
                            .replace("/lab/results", path("shards/" + index))
                            .replace("/lab/", folder + "/"));
                }
                args.addAll(List.of("--warm-up", "0s"));
                assertEquals("", CommandRun.of(args.toArray(String[]::new)).err());
                String url = "/api/v1/namespaces/default/pods/"
                        + pod.at("/metadata/name").asText() + "/status";
                cluster.call(
                        "PATCH",
                        url,
                        "application/merge-patch+json",
                        "{\"status\":{\"phase\":\"Succeeded\"}}".getBytes(StandardCharsets.UTF_8));
            }
            ObjectNode done;
            do {
                TimeUnit.MILLISECONDS.sleep(20);
                done = cluster.get("jobs", "default", "lab-sweep").orElseThrow();
            } while (done.at("/status/succeeded").asInt() < 4);
            assertEquals("0-3", done.at("/status/completedIndexes").asText());
        }
        List<String> merge = new ArrayList<>(List.of("lab", "merge", "--out", path("merged")));
        for (int i = 0; i < 4; i++) {
            merge.add(path("shards/" + i));
        }
        assertEquals("", CommandRun.of(merge.toArray(String[]::new)).err());
        assertEquals(text("whole/sweep.csv"), text("merged/sweep.csv"));
    }

    @Test
    void whatIsThereIsNotRunAgain() throws IOException {
        sweep("out");
        try (Stream<Path> runs = Files.list(folder.resolve("out/runs"))) {
            Files.delete(runs.sorted().findFirst().orElseThrow());
        }
        assertTrue(sweep("out").out().startsWith("made 1 of 16 runs; 15 were there before"));
        // Another policy is another run.
        Files.writeString(
                folder.resolve("one/policy.json"), text("one/policy.json").replace("Most", "Least"));
        assertTrue(sweep("out").out().startsWith("made 4 of 16 runs"));
    }

    @Test
    void differentResultsOfOneRunAreNotMerged() throws IOException {
        sweep("x", "--shard", "0/16");
        sweep("y", "--shard", "0/16");
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
        {traces: [one], schedulers: [modern], tieBreak: random}|tieBreak: "random" is not a list of texts, such as [random]
        {traces: 5, schedulers: [modern]}|traces: 5 is not a list of texts
        {traces: {week: [{a: b}]}, schedulers: [modern]}|traces.week: [{"a":"b"}] is not a list of texts
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
