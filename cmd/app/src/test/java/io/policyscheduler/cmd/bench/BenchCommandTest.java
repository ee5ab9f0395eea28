package io.policyscheduler.cmd.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.snapshot.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest {
    private static CommandRun small(String... more) {
        List<String> args = new ArrayList<>(List.of("bench", "--nodes", "3", "--pods", "6", "--decisions", "4"));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    @Test
    void aRowAWorkload() {
        CommandRun run = small("--workload", "spread,anti-affinity-host", "--runs", "1");
        assertEquals(ExitCode.OK, run.code(), run.err());
        List<List<String>> rows =
                run.out().lines().map(line -> List.of(line.strip().split(" +"))).toList();
        assertEquals(
                "WORKLOAD SCHEDULER PLAIN PODS/S CPU US KEPT PODS/S CPU US GAIN PLACED", String.join(" ", rows.get(0)));
        assertEquals(
                List.of("spread 4", "anti-affinity-host 4"),
                rows.stream().skip(1).map(row -> row.get(0) + " " + row.get(7)).toList());
        // The gain of one run is that of its pair.
        double gain = Double.parseDouble(rows.get(1).get(4))
                / Double.parseDouble(rows.get(1).get(2));
        assertEquals(gain, Double.parseDouble(rows.get(1).get(6)), 0.02 * gain + 0.02);
    }

    @ParameterizedTest
    @CsvSource({"3, 3", "1, 1"})
    void forPrograms(String runs, int measured) throws IOException {
        CommandRun run = small("--workload", "basic", "--runs", runs, "-o", "json");
        assertEquals(ExitCode.OK, run.code(), run.err());
        JsonNode list = new ObjectMapper().readTree(run.out());
        assertEquals(1, list.size());
        JsonNode basic = list.get(0);
        List<String> fields = new ArrayList<>();
        basic.fieldNames().forEachRemaining(fields::add);
        assertEquals(
                List.of(
                        "workload",
                        "title",
                        "decider",
                        "podsPerSecond",
                        "cpuMicrosPerPod",
                        "placed",
                        "runs",
                        "paths",
                        "gain"),
                fields);
        assertEquals("basic", basic.path("workload").asText());
        assertEquals("equal pods", basic.path("title").asText());
        assertEquals(4, basic.path("placed").asInt());
        assertEquals(measured, basic.path("runs").size());
        assertTrue(basic.path("podsPerSecond").asDouble() > 0, run.out());
    }

    @Test
    void tablesAreRefreshedBesideTablesThatStay() throws IOException {
        CommandRun run = small("--workload", "basic", "--runs", "1", "--tables", "2", "-o", "json");
        assertEquals(ExitCode.OK, run.code(), run.err());
        JsonNode basic = new ObjectMapper().readTree(run.out()).get(0);
        assertEquals(4, basic.path("placed").asInt());
        assertEquals(1, basic.path("refreshedRuns").size());
        assertTrue(basic.path("refreshedRatio").asDouble() > 0, run.out());
        assertTrue(basic.path("refreshes").isInt(), run.out());
        List<String> head = small("--workload", "basic", "--runs", "1", "--tables", "1")
                .out()
                .lines()
                .map(line -> List.of(line.strip().split(" +")))
                .findFirst()
                .orElseThrow();
        assertEquals(
                List.of(
                        "WORKLOAD",
                        "SCHEDULER",
                        "PODS/S",
                        "MIN",
                        "MAX",
                        "CPU",
                        "US",
                        "PLACED",
                        "REFRESHES",
                        "REFRESHED"),
                head);
    }

    private static List<String> rows(CommandRun run) {
        assertEquals(ExitCode.OK, run.code(), run.err());
        return run.out()
                .lines()
                .skip(1)
                .map(line -> List.of(line.strip().split(" +")))
                .map(row -> row.get(0) + " " + row.get(1))
                .toList();
    }

    @Test
    void theProviderDecidesAllAndCurrentPluginsSome() {
        List<String> rows = rows(small("--runs", "1"));
        List<String> expected = new ArrayList<>();
        for (Workload workload : Workload.values()) {
            expected.add(workload + " DefaultProvider");
        }
        expected.addAll(List.of("basic modern", "mixed modern", "preemption modern"));
        assertEquals(expected, rows);
    }

    @Test
    void anythingMayDecide() {
        String policy = "policy:../../policy-files/demo/policy.json";
        assertEquals(
                List.of("spread modern"), rows(small("--runs", "1", "--workload", "spread", "--decider", "modern")));
        assertEquals(
                List.of("basic " + policy), rows(small("--runs", "1", "--workload", "basic", "--decider", policy)));
        assertEquals(
                Workload.values().length,
                rows(small("--runs", "1", "--provider", "DefaultProvider")).size());
    }

    @Test
    void growth() {
        CommandRun run = CommandRun.of("bench", "--scale", "2,3x5", "--decisions", "2", "--runs", "1");
        List<List<String>> lines =
                run.out().lines().map(line -> List.of(line.strip().split(" +"))).toList();
        assertEquals(
                "WORKLOAD SCHEDULER PATH NODES PODS PODS/S US/POD CPU US COST HEAP MB", String.join(" ", lines.get(0)));
        List<List<String>> kept =
                lines.stream().filter(line -> line.get(2).equals("kept")).toList();
        assertEquals(
                List.of("basic", "DefaultProvider", "kept", "2", "2"),
                kept.get(0).subList(0, 5));
        assertEquals("1.00", kept.get(0).get(8));
        assertEquals(
                List.of("basic", "DefaultProvider", "kept", "3", "5"),
                kept.get(1).subList(0, 5));
        assertEquals(5, lines.size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--decider modern --provider DefaultProvider | use only one of --scheduler, --provider",
                "--decider modern --tables 1 | use only one of --scheduler, --tables",
                "--scale 5 --viewed | --scale cannot be combined with --viewed",
                "--scale 5 --tables 2 | --scale cannot be combined with --tables",
                "--tables 2 --viewed | use only one of --tables, --viewed",
                "--scale=many | NODESxPODS",
            })
    void whatDoesNotGoTogether(String options, String expected) {
        CommandRun run = small(options.split(" "));
        assertEquals(ExitCode.USAGE, run.code(), run.err());
        assertTrue(run.err().lines().findFirst().orElse("").contains(expected), run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--workload | heavy | 2 | heavy",
                "--provider | DefaultProvidr | 3 | provider \"DefaultProvidr\" is not registered",
                "--nodes | many | 2 | many",
                "--tables | -1 | 2 | -1",
                "--decider | legacy:provider:DefaultProvider | 3 | is not decided by plugins as they are",
                "--decider | nonsense | 3 | nonsense",
            })
    void mistakes(String option, String value, int code, String expected) {
        CommandRun run = small(option, value);
        assertEquals(code, run.code(), run.err());
        assertTrue(run.err().startsWith("error: "), run.err());
        assertTrue(run.err().lines().findFirst().orElse("").contains(expected), run.err());
        assertEquals("", run.out());
    }
}
