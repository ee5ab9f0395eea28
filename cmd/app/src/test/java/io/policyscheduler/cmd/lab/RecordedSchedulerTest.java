package io.policyscheduler.cmd.lab;

import static io.policyscheduler.cmd.lab.RecordTest.OF_JOB;
import static io.policyscheduler.cmd.lab.RecordTest.OF_SET;
import static io.policyscheduler.cmd.lab.RecordTest.node;
import static io.policyscheduler.cmd.lab.RecordTest.pod;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs of the scheduler {@code recorded}, which follows a record. */
class RecordedSchedulerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant START = Instant.parse("2026-11-28T08:00:00Z");

    @TempDir
    private Path folder = Path.of("");

    private Path trace = Path.of("");
    private Instant now = START;

    private interface Story {
        void tell(ClusterRecorder recorder) throws IOException;
    }

    private void record(Path into, Story story) throws IOException {
        now = START;
        try (TraceWriter writer = TraceWriter.open(
                TraceFiles.of(Files.createDirectories(into)),
                Limits.NONE,
                "test",
                JsonNodeFactory.instance.objectNode(),
                now)) {
            story.tell(new ClusterRecorder(writer, () -> now, object -> object));
        }
    }

    private static void upsert(ClusterRecorder recorder, String name, String owner, String node, String phase)
            throws IOException {
        recorder.upserted(ResourceKind.PODS, live(name, owner, node, phase));
    }

    private static ObjectNode live(String name, String owner, String node, String phase) throws IOException {
        return pod(name, owner, node.isEmpty() ? "" : ", nodeName: " + node, "phase: " + phase);
    }

    private static String disrupted(String reason) {
        return "Running, conditions: [{type: DisruptionTarget, status: 'True', reason: " + reason + "}]";
    }

    private void end(ClusterRecorder recorder, String name, String owner, String node, String phase)
            throws IOException {
        recorder.deleted(ResourceKind.PODS, live(name, owner, node, phase));
    }

    private void at(long seconds) {
        now = START.plusSeconds(seconds);
    }

    /** Pods of one core on nodes of eight cores, for 200 seconds. */
    private void story(ClusterRecorder recorder) throws IOException {
        recorder.begin("v1.34.1");
        recorder.replaced(ResourceKind.NODES, List.of(node("a", ""), node("b", "")));
        recorder.replaced(
                ResourceKind.PODS, List.of(live("web", OF_SET, "a", "Running"), live("waits", OF_SET, "", "Pending")));
        at(10);
        upsert(recorder, "low", OF_SET, "", "Pending");
        upsert(recorder, "never", "", "", "Pending");
        at(12);
        upsert(recorder, "low", OF_SET, "a", "Pending");
        at(13);
        upsert(recorder, "low", OF_SET, "a", "Running");
        at(20);
        upsert(recorder, "waits", OF_SET, "b", "Pending");
        at(40);
        upsert(recorder, "report", OF_JOB, "", "Pending");
        upsert(recorder, "report", OF_JOB, "b", "Pending");
        at(45);
        upsert(recorder, "report", OF_JOB, "b", "Running");
        at(50);
        end(recorder, "low", OF_SET, "a", disrupted("PreemptionByScheduler"));
        at(60);
        end(recorder, "web", OF_SET, "a", "Running");
        at(70);
        upsert(recorder, "early", "", "", "Pending");
        at(75);
        // The watch of nodes is late.
        upsert(recorder, "early", "", "c", "Pending");
        at(80);
        recorder.upserted(ResourceKind.NODES, node("c", ""));
        at(90);
        upsert(recorder, "early", "", "c", "Running");
        at(100);
        upsert(recorder, "short", "", "", "Pending");
        at(105);
        end(recorder, "report", OF_JOB, "b", "Succeeded");
        at(110);
        upsert(recorder, "short", "", "b", "Pending");
        end(recorder, "short", "", "b", "Running");
        at(150);
        end(recorder, "early", "", "c", disrupted("EvictionByEvictionAPI"));
        upsert(recorder, "stuck", OF_SET, "", "Pending");
        at(180);
        end(recorder, "waits", OF_SET, "b", "Running");
        at(190);
        end(recorder, "never", "", "", "Pending");
        at(200);
        recorder.upserted(ResourceKind.NODES, node("c", "unschedulable: true"));
    }

    @BeforeEach
    void records() throws IOException {
        trace = folder.resolve("trace");
        record(trace, this::story);
    }

    private CommandRun lab(String command, String... more) {
        List<String> arguments = new ArrayList<>(List.of("lab", command));
        arguments.addAll(List.of(more));
        arguments.addAll(List.of("--trace", trace.toString()));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    /** Follows the lines of {@link #story}. */
    private static Map<String, @Nullable Double> metrics() {
        Map<String, @Nullable Double> metrics = new LinkedHashMap<>();
        // Two nodes for 200 s and one for 120 s. web, low, waits, report, and early have a node for 60, 38, 160, 65,
        // and 70 s.
        double capacity = 8 * (2 * 200 + 120);
        metrics.put("allocation.cpu.mean", (60 + 38 + 160 + 65 + 70) / capacity);
        metrics.put("allocation.cpu.max", 4 / 16.0);
        metrics.put("allocation.cpu.above90", 0.0);
        metrics.put("allocation.cpu.end", 0.0);
        Stream.of("mean", "max", "above90", "end").forEach(name -> metrics.put("allocation.memory." + name, 0.0));
        Stream.of("cpu", "memory", "measuredPods").forEach(name -> metrics.put("utilisation." + name, null));
        // 0, 2, 10, 10, and 20 s; two pods wait for more than 50 and 180 s.
        metrics.put("wait.mean", (6 * 2 + 5 * 8 + 3 * 10 + 2 * 160) / 7.0);
        metrics.put("wait.p50", 10.0);
        metrics.put("wait.p95", null);
        metrics.put("wait.p99", null);
        metrics.put("wait.max", 180.0);
        metrics.put("pending.cpu.hours", (2 + 20 + 10 + 10 + 180 + 50) / 3600.0);
        metrics.put("pending.memory.hours", 0.0);
        metrics.put("pods.arrived", 7.0);
        metrics.put("pods.placed", 5.0);
        metrics.put("pods.finished", 1.0);
        metrics.put("pods.removedPending", 1.0);
        metrics.put("unplaced.pods", 1.0);
        metrics.put("unplaced.cpu", 1.0);
        metrics.put("unplaced.memory", 0.0);
        metrics.put("slowdown.mean", 65 / 60.0);
        metrics.put("slowdown.p95", 65 / 60.0);
        Stream.of("total", "perCoreHour", "emptyNodes").forEach(name -> metrics.put("cost." + name, null));
        metrics.put("nodes.mean", 520 / 200.0);
        metrics.put("nodes.peak", 3.0);
        metrics.put("nodes.hours", 520 / 3600.0);
        metrics.put("disruption.preempted", 1.0);
        metrics.put("disruption.evicted", 1.0);
        metrics.put("disruption.nodeLost", 0.0);
        // The set replaces the preempted pod; nothing replaces the evicted one.
        metrics.put("disruption.restarted", 1.0);
        metrics.put("disruption.lost", 1.0);
        metrics.put("nodes.started", 0.0);
        metrics.put("nodes.stopped", 0.0);
        metrics.put("attempts.all", null);
        metrics.put("attempts.unschedulable", null);
        metrics.put("disruption.workLost.cpu.hours", ((50 - 13) + (150 - 90)) / 3600.0);
        // Pods on a, b, and c: 1 0, 2 0, 2 1, 2 2, 1 2, 0 2, 0 2 1, 0 1 1, 0 1 0.
        double deviations = 12 * 0.5
                + 8
                + 20 * 0.5
                + 10 * 0.5
                + 20
                + 25 * Math.sqrt(2 / 3.0)
                + 45 * Math.sqrt(2 / 9.0)
                + 30 * Math.sqrt(2 / 9.0);
        metrics.put("balance.cpu", deviations / 8 / 200);
        metrics.put("balance.memory", 0.0);
        metrics.put("fairness.namespaces", 1.0);
        metrics.put("frag.cpu", 0.0);
        metrics.put("frag.memory", 0.0);
        // web, low, and waits belong together: on a from 12 to 20 s, on a and b until 60 s.
        metrics.put("spread.oneNode", 8 / 48.0);
        metrics.put("spread.oneZone", 1.0);
        metrics.put("spread.largestZone", 1.0);
        metrics.put("agreement.node", 1.0);
        return metrics;
    }

    @Test
    void theMetricsAreThoseOfTheRecord() throws IOException {
        Path out = folder.resolve("out");
        CommandRun run = lab("run", "recorded", "--warm-up", "0s", "--out", out.toString(), "-o", "json");
        assertEquals("", run.err());
        ObjectNode expected = JsonNodeFactory.instance.objectNode();
        LabReport.put(expected, metrics());
        JsonNode result = JSON.readTree(run.out());
        assertEquals("recorded", result.path("scheduler").asText());
        assertEquals(
                JSON.readTree(expected.toString()).toPrettyString(),
                result.path("metrics").toPrettyString());
        assertEquals("""
            namespace,name,arrived,bound,ended,node,end
            shop,low,10,12,50,a,Preempted
            shop,web,0,0,60,a,Deleted
            shop,report,40,40,105,b,Succeeded
            shop,short,100,110,110,b,Deleted
            shop,early,70,80,150,c,Evicted
            shop,waits,0,20,180,b,Deleted
            shop,never,10,,190,,Deleted
            shop,stuck,150,,,,Pending
            """, LabCommandTest.unzipped(out.resolve("pods.csv.gz")));
        JsonNode cluster = JSON.readTree(lab("at", "85s", "recorded").out());
        List<String> nodes = new ArrayList<>();
        cluster.path("items").forEach(item -> {
            if (item.path("kind").asText().equals("Pod")) {
                nodes.add(item.at("/metadata/name").asText() + " "
                        + item.at("/spec/nodeName").asText());
            }
        });
        assertEquals(
                List.of("early c", "never ", "report b", "waits b"),
                nodes.stream().sorted().toList());
    }

    /** The shifts of the second run do not apply to what happened. */
    @Test
    void theRecordDiffersInNothingFromItself() throws IOException {
        List<byte[]> results = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            Path out = folder.resolve(name);
            CommandRun run = lab(
                    "compare",
                    "recorded",
                    "recorded",
                    "--warm-up",
                    "0s",
                    "--block",
                    "40s",
                    "--runs",
                    "2",
                    "--out",
                    out.toString());
            assertEquals(ExitCode.OK, run.code(), run.err());
            for (String file : List.of("result.json", "1/pods.csv.gz", "2/pods.csv.gz", "1/samples.csv.gz")) {
                results.add(Files.readAllBytes(out.resolve(file)));
            }
        }
        for (int i = 0; i < 4; i++) {
            assertArrayEquals(results.get(i), results.get(i + 4));
        }
        assertArrayEquals(results.get(1), results.get(2));
        JsonNode runs = JSON.readTree(results.get(0)).path("runs");
        ObjectNode expected = JsonNodeFactory.instance.objectNode();
        LabReport.put(expected, metrics());
        for (int i = 0; i < 2; i++) {
            assertEquals(
                    JSON.readTree(expected.toString()).toPrettyString(),
                    runs.path(i).path("metrics").toPrettyString());
        }
        JsonNode differences = runs.path(1).path("differences");
        assertTrue(differences.size() > 30, differences.toString());
        differences.forEach(difference -> assertEquals(0, difference.doubleValue(), differences.toString()));
    }

    /** Under modern, no pod waits, so that the pod that was preempted in the record runs until then. */
    @Test
    void anotherSchedulerIsComparedWithTheRecord() throws IOException {
        CommandRun run = lab("compare", "recorded", "modern", "--warm-up", "0s", "-o", "json");
        JsonNode differences = JSON.readTree(run.out()).path("runs").path(1).path("differences");
        assertEquals(0, differences.path("pods.arrived").asInt());
        assertEquals(2, differences.path("pods.placed").asInt(), "never and stuck");
        assertEquals(-1, differences.path("unplaced.pods").asInt());
        assertEquals(-1, differences.path("disruption.preempted").asInt());
        assertEquals(0.05 - 180, differences.path("wait.max").asDouble(), 1e-9);
        assertTrue(differences.path("attempts.all").isNull());
    }

    @ParameterizedTest
    @CsvSource({
        "--scale-load, --scale-load, 2",
        "--jitter, --jitter, 5s",
        "--extend km, --extend, km",
        "--fail, --fail, a@20s",
        "--drain, --drain, a@20s",
        "--spot, --spot, a=1/h",
        "--groups, --groups, groups.yaml"
    })
    void scenariosAreRejected(String named, String option, String value) {
        CommandRun run = lab("compare", "modern", "recorded", option, value);
        assertEquals(ExitCode.USAGE, run.code());
        assertEquals(
                "the scheduler recorded follows the trace, which " + named + " changes; omit one of them",
                run.err().lines().findFirst().orElse("").replaceFirst("^.*error: ", ""));
    }

    @Test
    void aTraceWithoutNodesOfPodsIsRejected() throws IOException {
        Path unbound = folder.resolve("unbound");
        record(unbound, recorder -> {
            recorder.begin("v1.34.1");
            recorder.replaced(ResourceKind.NODES, List.of(node("a", "")));
            recorder.replaced(ResourceKind.PODS, List.of(live("web", OF_SET, "a", "Running")));
            at(100);
            upsert(recorder, "stuck", OF_SET, "", "Pending");
        });
        Path imported = Files.createDirectories(folder.resolve("imported"));
        Files.writeString(imported.resolve("cluster.json"), "{\"kind\": \"List\", \"apiVersion\": \"v1\"}");
        Files.writeString(imported.resolve("arrivals.csv"), "time,cpu\n0,1\n");
        for (Path path : List.of(unbound, imported)) {
            CommandRun run = CommandRun.of("lab", "run", "recorded", "--trace", path.toString());
            assertEquals(ExitCode.BAD_INPUT, run.code());
            assertEquals(
                    path
                            + ": the trace does not contain the nodes of pods, which the scheduler recorded requires; use a"
                            + " trace of lab record\n",
                    run.err().replaceFirst("^.*error: ", ""));
        }
    }
}
