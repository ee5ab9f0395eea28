package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.ResultSchemasTest;
import io.policyscheduler.framework.insight.lab.ParameterSearch.Sobol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TuneTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder = Path.of("");

    /** Small pods all the time, and now and then one that needs a whole node: spreading the small ones makes the large ones wait. */
    @BeforeEach
    void files() throws IOException {
        StringBuilder nodes = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            nodes.append("{apiVersion: v1, kind: Node, metadata: {name: n" + i
                    + "}, status: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"20\"}}}\n---\n");
        }
        write("cluster.yaml", nodes.toString());
        StringBuilder arrivals = new StringBuilder("time,duration,cpu\n");
        for (int second = 0; second < 6000; second += 60) {
            arrivals.append(second).append(",240,1\n");
            if (second % 600 == 300) {
                arrivals.append(second).append(",200,4\n");
            }
        }
        write("arrivals.csv", arrivals.toString());
        write("policy.json", """
                {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}],
                 "priorities": [{"name": "LeastRequestedPriority", "weight": 10}, {"name": "MostRequestedPriority", "weight": 1}]}
                """);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private CommandRun tune(String file, String... more) throws IOException {
        write("tune.yaml", file);
        List<String> args = new ArrayList<>(List.of(
                "lab",
                "tune",
                folder.resolve("tune.yaml").toString(),
                "--cluster",
                folder.resolve("cluster.yaml").toString(),
                "--arrivals",
                folder.resolve("arrivals.csv").toString(),
                "--until",
                "6000s",
                "--warm-up",
                "0s",
                "--block",
                "10m",
                "--out",
                folder.resolve("out").toString()));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private JsonNode result() throws IOException {
        String result = Files.readString(folder.resolve("out/tune.json"));
        ResultSchemasTest.assertValid("lab-tune", result);
        return JSON.readTree(result);
    }

    @Test
    void findsWeightsThatLetFewerPodsWait() throws IOException {
        CommandRun run = tune("{policy: policy.json, minimize: pending.cpu.hours}", "--budget", "16");
        assertEquals("", run.err());
        JsonNode json = result();
        assertTrue(json.path("better").asBoolean(), run.out());
        assertEquals(
                "{\"search\":6,\"choice\":2,\"judgment\":2}",
                json.path("blocks").toString());
        assertTrue(
                json.path("candidates").asInt() >= 8 && json.path("candidates").asInt() <= 24, run.out());
        JsonNode weights =
                JSON.readTree(folder.resolve("out/policy.json").toFile()).path("priorities");
        assertTrue(
                weights.get(0).path("weight").asInt()
                        < weights.get(1).path("weight").asInt(),
                "packing is better here: " + weights);
        JsonNode goal = json.at("/goals/0");
        assertTrue(
                goal.path("heldOutAfter").asDouble()
                        < goal.path("heldOutBefore").asDouble(),
                goal.toString());
        // The same inputs give the same bytes.
        String first = Files.readString(folder.resolve("out/tune.json"));
        tune("{policy: policy.json, minimize: pending.cpu.hours}", "--budget", "16");
        assertEquals(first, Files.readString(folder.resolve("out/tune.json")));
    }

    /** Runs that are in the file are not repeated, also after a kill in the middle of a line, unless an input is another. */
    @ParameterizedTest
    @ValueSource(strings = {"pending.cpu.hours", "[pending.cpu.hours, balance.cpu]"})
    void continuesAnInterruptedSearch(String metrics) throws IOException {
        String file = "{policy: policy.json, minimize: " + metrics + "}";
        tune(file, "--budget", "16");
        Path log = folder.resolve("out/runs.jsonl");
        String result = Files.readString(folder.resolve("out/tune.json"));
        List<String> all = Files.readAllLines(log);
        String part = String.join("\n", all.subList(0, 9)) + "\n" + all.get(9).substring(0, 50);
        Files.writeString(log, part);
        Files.delete(folder.resolve("out/tune.json"));
        CommandRun continued = tune(file, "--budget", "16");
        assertEquals("continuing with the 8 runs in " + log + "\n", continued.err());
        assertEquals(result, Files.readString(folder.resolve("out/tune.json")));
        assertEquals(Set.copyOf(all), Set.copyOf(Files.readAllLines(log)));
        // A result that no run has shows that the file is used.
        Files.writeString(
                log, Files.readString(log).replaceAll("\"pending.cpu.hours\":[0-9.E-]+", "\"pending.cpu.hours\":1"));
        tune(file, "--budget", "16");
        assertEquals(1, result().at("/goals/0/heldOutBefore").asDouble());
        CommandRun other = tune(file, "--budget", "16", "--seed", "2");
        assertEquals("", other.err());
        assertTrue(result().at("/goals/0/heldOutBefore").asDouble() != 1);
    }

    @Test
    void saysIfNothingIsBetter() throws IOException {
        CommandRun run = tune("{policy: policy.json, minimize: pods.arrived}", "--budget", "6");
        assertTrue(run.out().startsWith("no candidate is better"), run.out());
        assertEquals(
                10,
                JSON.readTree(folder.resolve("out/policy.json").toFile())
                        .at("/priorities/0/weight")
                        .asInt());
    }

    /** Candidates are read as if they were the policy file, also its relative names, and do not repeat its warnings. */
    @Test
    void candidatesStandInForThePolicyFile() throws IOException {
        write("prices.csv", "node,price\nn0,1\nn1,2\n");
        write("priced.yaml", """
                kind: Policy
                apiVersion: v1
                predicates: [{name: PodFitsResources}, {name: EvenPodsSpread}]
                priorities:
                - {name: LeastRequestedPriority, weight: 1}
                - name: LeastPrice
                  weight: 2
                  argument: {rule: {expression: "100 - tables.price[node.name]"}}
                tables: {price: {file: prices.csv, default: 50}}
                """);
        CommandRun run = tune("{policy: priced.yaml, minimize: balance.cpu}", "--budget", "6");
        assertTrue(
                run.err()
                        .matches("\\Q" + folder.resolve("priced.yaml")
                                + "\\E:3:\\d+: warning W021: [^\n]*EvenPodsSpread [^\n]*\n"),
                run.err());
        assertEquals("LeastPrice", result().path("weights").get(1).path("name").asText());
    }

    /** The weights of each run of the search, in the order of the file. */
    private List<String> tried() throws IOException {
        List<String> tried = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("out/runs.jsonl"))) {
            String run = JSON.readTree(line).path("run").asText();
            if (run.endsWith(" 0+6 0")) {
                tried.add(run.substring(0, run.indexOf(']') + 1));
            }
        }
        return tried;
    }

    /** After the policy and seven points that cover the ranges, the search continues around those on the front. */
    @Test
    void severalGoalsHaveAFront() throws IOException {
        CommandRun run = tune("{policy: policy.json, minimize: [pending.cpu.hours, balance.cpu]}", "--budget", "24");
        assertEquals("", run.err());
        JsonNode json = result();
        JsonNode front = json.path("front");
        assertTrue(front.size() >= 2, run.out());
        for (int i = 1; i < front.size(); i++) {
            assertTrue(front.get(i).path("pending.cpu.hours").asDouble()
                    > front.get(i - 1).path("pending.cpu.hours").asDouble());
            assertTrue(
                    front.get(i).path("balance.cpu").asDouble()
                            < front.get(i - 1).path("balance.cpu").asDouble(),
                    front.toString());
        }
        int candidates = json.path("candidates").asInt();
        assertEquals(24, candidates, run.out());
        Sobol sobol = new Sobol(2, new SplittableRandom(1).split());
        Set<String> even = new HashSet<>(Set.of("[10, 1]"));
        for (int i = 1; i < 8; i++) {
            even.add(DoubleStream.of(sobol.next())
                    .mapToLong(x -> Math.round(Math.pow(100, x)))
                    .boxed()
                    .toList()
                    .toString());
        }
        List<String> tried = tried();
        assertEquals(even, Set.copyOf(tried.subList(0, 8)));
        // The same inputs give the same bytes.
        String first = Files.readString(folder.resolve("out/tune.json"));
        Files.delete(folder.resolve("out/runs.jsonl"));
        tune("{policy: policy.json, minimize: [pending.cpu.hours, balance.cpu]}", "--budget", "24");
        assertEquals(first, Files.readString(folder.resolve("out/tune.json")));
    }

    /** All points of the front keep the limit, and the search looks for such points. */
    @Test
    void aLimitCutsAFront() throws IOException {
        tune(
                "{policy: policy.json, minimize: [pending.cpu.hours, balance.cpu],"
                        + " limits: {balance.cpu: \"<= baseline\"}}",
                "--budget",
                "24");
        JsonNode json = result();
        double baseline = json.at("/goals/1/searchBefore").asDouble();
        assertTrue(json.path("front").size() > 0, json.toString());
        for (JsonNode point : json.path("front")) {
            assertTrue(point.path("balance.cpu").asDouble() <= baseline, point + " " + baseline);
        }
    }

    @Test
    void aLimitExcludesCandidates() throws IOException {
        tune(
                "{policy: policy.json, minimize: pending.cpu.hours, limits: {balance.cpu: \"<= baseline\"}}",
                "--budget",
                "12");
        JsonNode json = result();
        assertTrue(
                json.at("/weights/0/after").asInt()
                        > json.at("/weights/1/after").asInt(),
                json.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {minimize: wait.mean}|policy is missing
            {policy: policy.json}|must name one to three metrics
            {policy: policy.json, minimise: wait.mean}|unknown field "minimise"
            {policy: policy.json, minimize: wait.mean, knobs: [Other]}|the policy has no priority "Other"
            {policy: policy.json, minimize: wait.mean, knobs: {LeastRequestedPriority: [5, 1]}}|is not [LOW, HIGH]
            {policy: policy.json, minimize: no.metric}|the metric "no.metric" has no value
            {policy: policy.json, minimize: wait.mean, limits: {wait.p99: fast}}|is not a limit
            """)
    void namesWhatIsWrongWithAFile(String file, String problem) throws IOException {
        CommandRun run = tune(file, "--budget", "1");
        assertTrue(run.err().contains(problem), run.err());
    }
}
