package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.cli.ResultSchemasTest;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.cmd.lab.ClusterRecorder.MergePatch;
import io.policyscheduler.cmd.lab.RecordCommand.UsageRecorder;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.server.TestAuthority;
import io.policyscheduler.cmd.snapshot.Anonymizer.AnonymousStream;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.cmd.table.PodUsage;
import io.policyscheduler.cmd.table.PodUsage.PrometheusServer;
import io.policyscheduler.cmd.table.PodUsage.Use;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.lab.ClusterTrace;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class RecordTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Instant START = Instant.parse("2026-11-28T08:00:00Z");

    @TempDir
    private Path folder = Path.of("");

    private Instant now = START;

    private static ObjectNode yaml(String text) throws IOException {
        return (ObjectNode) YAML.readTree(text);
    }

    static ObjectNode node(String name, String more) throws IOException {
        return yaml("{metadata: {name: " + name + "}, spec: {" + more
                + "}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 20}, conditions: [{type: Ready, status: 'True',"
                + " lastHeartbeatTime: '2026-11-28T08:00:00Z'}]}}");
    }

    static ObjectNode pod(String name, String metadata, String spec, String status) throws IOException {
        return yaml("{metadata: {name: " + name + ", namespace: shop, uid: u-" + name + metadata
                + "}, spec: {containers: [{name: c, image: registry.example/secret, env: [{name: PASSWORD, value: x}],"
                + " resources: {requests: {cpu: 1}}}]" + spec + "}, status: {" + status + "}}");
    }

    static final String OF_SET =
            ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: rs, controller: true}]";
    static final String OF_JOB =
            ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: report, uid: job, controller: true}]";

    private interface Story {
        void tell(ClusterRecorder recorder) throws IOException;
    }

    private void record(UnaryOperator<@Nullable ObjectNode> names, Story story) throws IOException {
        try (TraceWriter trace = TraceWriter.open(
                TraceFiles.of(folder), Limits.NONE, "test", JsonNodeFactory.instance.objectNode(), now)) {
            story.tell(new ClusterRecorder(trace, () -> now, names));
        }
    }

    /** A command with the options of the laboratory. */
    @Command
    private static final class Opening {
        @Mixin
        private LabOptions options = new LabOptions();
    }

    /** A sweep opens many traces with the same options. */
    @Test
    void aRecordHasNoTablesOfATraceThatWasOpenedBefore() throws IOException {
        Path record = Files.createDirectories(folder.resolve("record"));
        try (TraceWriter trace = TraceWriter.open(
                TraceFiles.of(record), Limits.NONE, "test", JsonNodeFactory.instance.objectNode(), now)) {
            day(new ClusterRecorder(trace, () -> now, object -> object));
        }
        Path dump = Files.createDirectories(folder.resolve("dump"));
        Files.writeString(
                dump.resolve("cluster.json"),
                "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": ["
                        + "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"a\"}},"
                        + " {\"kind\": \"ConfigMap\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"prices\","
                        + " \"namespace\": \"shop\"}, \"data\": {\"p.yaml\": \"a: 0.5\"}}]}");
        Files.writeString(dump.resolve("arrivals.csv"), "time,cpu\n0,1\n");
        Path policy = Files.writeString(
                folder.resolve("policy.yaml"),
                "---\n{kind: Policy, apiVersion: v1,"
                        + " tables: {price: {configMap: {namespace: shop, name: prices, key: p.yaml}}}, predicates:"
                        + " [{name: Cheap, argument: {rule: {expression: '(tables.price[node.name] or 9) < 1'}}}]}");
        Opening opening = new Opening();
        new CommandLine(opening).parseArgs();
        Progress progress = new Progress(new PrintWriter(new StringWriter()), false, () -> START);
        List<String> names = List.of("policy:" + policy);
        opening.options.open(dump, names, progress, new Warnings(progress));
        InputException refused = assertThrows(
                InputException.class, () -> opening.options.open(record, names, progress, new Warnings(progress)));
        assertEquals(
                policy
                        + ":2:41: R030: table price: configmap shop/prices[p.yaml] cannot be read: there is no cluster"
                        + " to read it from; or give its values: --table price=FILE",
                refused.getMessage());
    }

    private void at(long seconds) {
        now = START.plusSeconds(seconds);
    }

    /** A set of two pods, a job, a gated pod, a static pod, nodes that come, change, and go. */
    private void day(ClusterRecorder recorder) throws IOException {
        recorder.begin("v1.34.1");
        recorder.replaced(ResourceKind.NODES, List.of(node("a", ""), node("b", "")));
        recorder.replaced(
                ResourceKind.PODS,
                List.of(
                        pod("web-1", OF_SET, ", nodeName: a", "phase: Running"),
                        pod("waits", OF_SET, "", "phase: Pending")));
        at(10);
        recorder.upserted(ResourceKind.PODS, pod("report", OF_JOB, "", "phase: Pending"));
        recorder.upserted(ResourceKind.PODS, pod("web-2", OF_SET, "", "phase: Pending"));
        at(11);
        recorder.upserted(ResourceKind.PODS, pod("report", OF_JOB, ", nodeName: b", "phase: Pending"));
        at(12);
        recorder.upserted(ResourceKind.PODS, pod("report", OF_JOB, ", nodeName: b", "phase: Running"));
        at(20);
        recorder.upserted(ResourceKind.PODS, pod("gated", "", ", schedulingGates: [{name: quota}]", "phase: Pending"));
        recorder.upserted(ResourceKind.PODS, pod("never", "", ", schedulingGates: [{name: quota}]", "phase: Pending"));
        at(30);
        recorder.upserted(ResourceKind.NODES, node("c", ""));
        recorder.upserted(ResourceKind.NODES, node("b", "unschedulable: true"));
        recorder.upserted(ResourceKind.NODES, node("b", "unschedulable: true"));
        at(50);
        recorder.upserted(ResourceKind.PODS, pod("gated", "", "", "phase: Pending"));
        at(70);
        recorder.upserted(ResourceKind.PODS, pod("static", "", ", nodeName: a", "phase: Pending"));
        at(112);
        recorder.deleted(ResourceKind.PODS, pod("report", OF_JOB, ", nodeName: b", "phase: Succeeded"));
        at(120);
        recorder.deleted(ResourceKind.PODS, pod("web-1", OF_SET, ", nodeName: a", "phase: Running"));
        recorder.deleted(ResourceKind.PODS, pod("web-2", OF_SET, "", "phase: Pending"));
        at(130);
        recorder.deleted(ResourceKind.NODES, node("b", ""));
        recorder.deleted(ResourceKind.PODS, pod("static", "", ", nodeName: a", "phase: Running"));
        at(200);
        recorder.upserted(ResourceKind.PODS, pod("gated", "", ", nodeName: c", "phase: Pending"));
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (TraceFiles.TraceFile file : TraceFiles.of(folder).list()) {
            TraceReader.read(file, text -> true, line -> lines.add(line.fields().toString()));
        }
        return lines;
    }

    private static String seconds(long nanos) {
        return nanos == ClusterTrace.NONE ? "-" : String.valueOf(nanos / 1_000_000_000);
    }

    /** Returns where a pod was bound in the record; empty for nowhere. */
    private static String node(Arrival arrival) {
        ClusterTrace.Placement recorded = arrival.recorded();
        return recorded == null ? "" : recorded.node();
    }

    private static String text(Arrival arrival) {
        return arrival.name() + " at " + seconds(arrival.atNanos()) + " for " + seconds(arrival.durationNanos())
                + " until "
                + seconds(arrival.endNanos()) + (arrival.restarts() ? " restarts" : "") + " on "
                + node(arrival);
    }

    @Test
    void readsTheLivesOfPodsAndTheChangesOfNodes() throws IOException {
        record(object -> object, this::day);
        RecordedTrace record = RecordedTrace.open(folder);
        assertEquals("v1.34.1", record.serverVersion());
        List<String> warnings = new ArrayList<>();
        RecordedTrace.Contents contents = record.contents(FeatureGates.defaults(), warnings::add);
        assertEquals(List.of(), warnings);
        assertEquals(List.of(), contents.notes());
        assertEquals(START, contents.start());
        assertEquals("200", seconds(contents.endNanos()));
        assertEquals(
                List.of(
                        "report at 10 for 100 until - restarts on b",
                        "web-2 at 10 for - until 120 restarts on ",
                        "gated at 50 for - until - on c"),
                contents.arrivals().stream().map(RecordTest::text).toList());
        assertEquals(
                List.of("30 NodeUpserted", "30 NodeUpserted", "70 PodUpserted", "130 NodeDeleted"),
                contents.changes().stream()
                        .map(change -> seconds(change.atNanos()) + " "
                                + change.change().getClass().getSimpleName())
                        .toList());
        assertEquals(
                List.of("u-web-1 120", "u-static 130"),
                contents.departures().stream()
                        .map(departure -> departure.uid() + " " + seconds(departure.atNanos()))
                        .toList());
        assertEquals(6, contents.objects().size(), "two pods, three nodes, and the static pod");
        // Pods of one template share it, and have no environment.
        assertEquals(
                1,
                lines().stream()
                        .filter(line -> line.contains("\"tpl\"") && line.contains("\"id\""))
                        .count());
        assertFalse(lines().toString().contains("PASSWORD"));
    }

    @Test
    void runsARecord() throws IOException {
        record(object -> object, this::day);
        CommandRun run =
                CommandRun.of("lab", "run", "modern", "--trace", folder.toString(), "--warm-up", "0s", "-o", "json");
        assertEquals("", run.err());
        JsonNode metrics = JSON.readTree(run.out()).path("metrics");
        assertEquals(
                5,
                metrics.path("pods.arrived").asInt(),
                "three arrivals, one that waits at the start, and one again after its node is gone");
        assertEquals(1, metrics.path("pods.finished").asInt());
        assertEquals(2, metrics.path("nodes.peak").asInt(), "b is cordoned when c comes");
        assertTrue(metrics.path("agreement.node").isNumber());
        JsonNode shown = shown();
        assertEquals(5, shown.at("/parts/0/arrivals").asInt());
        assertEquals(
                "{\"Deleted\":3,\"Succeeded\":1}", shown.at("/parts/0/ends").toString());
        assertEquals(
                "{\"Node add\":1,\"Node delete\":1,\"Node update\":1}",
                shown.at("/parts/0/changes").toString());
        CommandRun dump = CommandRun.of("lab", "at", "100s", "modern", "--trace", folder.toString());
        List<String> names = new ArrayList<>();
        JSON.readTree(dump.out())
                .path("items")
                .forEach(item -> names.add(item.at("/metadata/name").asText()));
        assertEquals(
                List.of("a", "b", "c", "gated", "report", "static", "waits", "web-1", "web-2"),
                names.stream().sorted().toList());
    }

    /** The run from second 40 on is that of a recorder that began then. */
    @Test
    void startsAtALaterMoment() throws IOException {
        record(object -> object, this::day);
        RecordedTrace.Contents contents =
                RecordedTrace.open(folder).contents(FeatureGates.defaults(), warning -> {}, START.plusSeconds(40));
        assertEquals(START.plusSeconds(40), contents.start());
        assertEquals("160", seconds(contents.endNanos()));
        assertEquals(
                List.of("Node a", "Node b true", "Pod web-1 a", "Pod waits ", "Pod report b", "Pod web-2 ", "Node c"),
                contents.ofSnapshot().stream().map(RecordTest::text).toList());
        assertEquals(
                List.of("gated at 10 for - until - on c"),
                contents.arrivals().stream().map(RecordTest::text).toList());
        assertEquals(
                List.of("30 PodUpserted", "90 NodeDeleted"),
                contents.changes().stream()
                        .map(change -> seconds(change.atNanos()) + " "
                                + change.change().getClass().getSimpleName())
                        .toList());
        assertEquals(
                List.of("u-web-1 80 Deleted", "u-report 72 Succeeded", "u-web-2 80 Deleted", "u-static 90 Deleted"),
                contents.departures().stream()
                        .map(departure -> departure.uid() + " " + seconds(departure.atNanos()) + " " + departure.how())
                        .toList());
    }

    private static String text(ClusterObject object) {
        if (object instanceof PodInfo pod) {
            return "Pod " + pod.name() + " " + pod.nodeName();
        }
        return object instanceof Node node
                ? "Node " + node.name() + (node.unschedulable() ? " true" : "")
                : object.resourceKind() + " " + object.name();
    }

    @Test
    void runsFromALaterMoment() throws IOException {
        record(object -> object, this::day);
        CommandRun run = CommandRun.of(
                "lab",
                "run",
                "modern",
                "--trace",
                folder.toString(),
                "--from",
                START.plusSeconds(40).toString(),
                "--until",
                "100s",
                "--warm-up",
                "0s",
                "-o",
                "json");
        assertEquals("", run.err());
        JsonNode result = JSON.readTree(run.out());
        assertEquals("2026-11-28T08:00:40Z", result.at("/trace/start").asText());
        assertEquals(60, result.at("/window/toSeconds").asInt());
        assertEquals(3, result.at("/metrics/pods.arrived").asInt(), "waits, web-2, and gated");
        String recorded = podsAt("recorded", "100s");
        assertEquals("gated , report b, static a, waits , web-1 a, web-2 ", recorded);
        assertEquals(recorded, podsAt("recorded", "60s", "--from", "40s"));
    }

    /** The times of the page and of its commands count from the start of the run. */
    @Test
    void aPageOfALaterRunNamesItsMoments() throws IOException {
        record(object -> object, this::day);
        Path page = folder.resolve("page.html");
        CommandRun run = CommandRun.of(
                "lab",
                "run",
                "modern",
                "--trace",
                folder.toString(),
                "--from",
                "40s",
                "--until",
                "100s",
                "--warm-up",
                "0s",
                "--html",
                page.toString());
        assertEquals("", run.err());
        String time = "0.05s";
        String text = Files.readString(page);
        assertTrue(
                text.contains("\"peaks\":[{\"at\":0.05,\"pods\":2,\"command\":\"policy-scheduler lab at " + time
                        + " modern --trace " + folder + " --from 40s --until 100s --warm-up 0s\"}"),
                () -> text.substring(text.indexOf("\"peaks\"")));
        // Two pods wait until 40.05 s, when they are bound.
        assertEquals(
                "report b, waits , web-1 a, web-2 ",
                podsAt("modern", time, "--from", "40s", "--until", "100s", "--warm-up", "0s"));
    }

    /** Returns the pods of {@code lab at} with their nodes. */
    private String podsAt(String scheduler, String time, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of("lab", "at", time, scheduler, "--trace", folder.toString()));
        args.addAll(List.of(options));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertEquals(0, run.code(), run.err());
        List<String> pods = new ArrayList<>();
        JSON.readTree(run.out()).path("items").forEach(item -> {
            if (item.path("kind").asText().equals("Pod")) {
                pods.add(item.at("/metadata/name").asText() + " "
                        + item.at("/spec/nodeName").asText());
            }
        });
        return String.join(", ", pods.stream().sorted().toList());
    }

    @ParameterizedTest
    @CsvSource({
        "'--from 1h', 3, '2026-11-28T09:00:00Z is not in the record, which starts at 2026-11-28T08:00:00Z and ends at 2026-11-28T08:03:20Z'",
        "'--from 2026-11-28T07:59:59Z', 3, '2026-11-28T07:59:59Z is not in the record'",
        "'--from 60s --until 60s', 3, 'the run from 2026-11-28T08:01:00Z has no length; set a --from before --until'",
        "'--from 25:00', 2, '\"25:00\" is neither a time since the start'"
    })
    void startsOutsideOfTheRecordAreRejected(String options, int code, String problem) throws IOException {
        record(object -> object, this::day);
        List<String> args = new ArrayList<>(List.of("lab", "run", "modern", "--trace", folder.toString()));
        args.addAll(List.of(options.split(" ")));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertEquals(code, run.code(), run.err());
        assertTrue(run.err().contains(problem), run.err());
    }

    /** Nodes of 24 cores for 200 s. The use of a pod without a node is not recorded, nor that of an unknown pod. */
    @Test
    void measuresTheUseOfPods() throws IOException {
        record(new AnonymousStream("0123456789abcdef".getBytes(StandardCharsets.UTF_8), Set.of()), recorder -> {
            recorder.begin("v1.34.1");
            recorder.replaced(ResourceKind.NODES, List.of(node("a", ""), node("b", "")));
            recorder.replaced(
                    ResourceKind.PODS,
                    List.of(
                            pod("web", OF_SET, ", nodeName: a", "phase: Running"),
                            pod("waits", OF_SET, ", nodeSelector: {a: b}", "phase: Pending")));
            Use use = new Use(1.25, 1 << 30);
            recorder.used(
                    Map.of("shop/web", use, "shop/waits", use, "shop/other", use, "other/web", use),
                    Duration.ofSeconds(50));
            at(41);
            recorder.used(Map.of("shop/web", new Use(0.1 + 0.2, 5.5)), Duration.ofSeconds(50));
            at(200);
            recorder.upserted(ResourceKind.NODES, node("c", ""));
        });
        assertEquals(
                List.of(
                        "{\"line\":\"use\",\"t\":0,\"uid\":\"u-web\",\"cpu\":1.25,\"mem\":1073741824,\"for\":50}",
                        "{\"line\":\"use\",\"t\":41,\"uid\":\"u-web\",\"cpu\":0.3,\"mem\":6,\"for\":50}"),
                lines().stream().filter(line -> line.contains("\"use\"")).toList());
        CommandRun run =
                CommandRun.of("lab", "run", "modern", "--trace", folder.toString(), "--warm-up", "0s", "-o", "json");
        assertEquals("", run.err());
        JsonNode metrics = JSON.readTree(run.out()).path("metrics");
        assertEquals(
                (1.25 * 41 + 0.3 * 50) / (16 * 200),
                metrics.path("utilisation.cpu").asDouble(),
                1e-12);
        assertEquals(91 / 200.0, metrics.path("utilisation.measuredPods").asDouble(), 1e-12);
        JsonNode shown = shown();
        assertEquals(2, shown.at("/parts/0/useSamples").asInt());
        assertEquals(1, shown.at("/parts/0/measuredPods").asInt());
        assertTrue(CommandRun.of("lab", "show", folder.toString())
                .out()
                .contains("  measured use: 2 samples of 1 pods\n"));
    }

    /** An outage of Prometheus is reported once, and again after the next success. */
    @Test
    void anOutageOfPrometheusDoesNotStopTheRecord() throws IOException {
        AtomicInteger code = new AtomicInteger(503);
        HttpServer prometheus = prometheus(code);
        record(object -> object, recorder -> {
            day(recorder);
            long before = recorder.lines();
            AtomicReference<RuntimeException> failure = new AtomicReference<>();
            String url = "http://127.0.0.1:" + prometheus.getAddress().getPort();
            try (UsageRecorder uses = new UsageRecorder(
                    PodUsage.ofPrometheus(new PrometheusServer(url, null, null), Duration.ofMinutes(5)),
                    recorder,
                    Thread::new,
                    failure)) {
                uses.measure(Duration.ofMinutes(10));
                assertEquals("down", uses.newTrouble().orElseThrow());
                uses.measure(Duration.ofMinutes(10));
                assertEquals(Optional.empty(), uses.newTrouble());
                assertEquals(before, recorder.lines());
                code.set(200);
                uses.measure(Duration.ofMinutes(10));
                assertEquals(Optional.empty(), uses.newTrouble());
                assertEquals(before + 1, recorder.lines());
                code.set(503);
                uses.measure(Duration.ofMinutes(10));
                assertTrue(uses.newTrouble().isPresent());
                assertNull(failure.get());
            }
        });
        prometheus.stop(0);
    }

    /** Answers that the pod gated of shop, and the pod before of default, use 0.5. */
    private static HttpServer prometheus(AtomicInteger code) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve(server, code, "null");
        return server;
    }

    private static void serve(HttpServer server, AtomicInteger code, String authorization) {
        server.createContext("/api/v1/query", exchange -> {
            boolean known = authorization.equals(
                    String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            int answered = known ? code.get() : 401;
            String text = answered == 200
                    ? "{'status':'success','data':{'resultType':'vector','result':["
                            + "{'metric':{'key':'shop/gated'},'value':[1,'0.5']},"
                            + "{'metric':{'key':'default/before'},'value':[1,'0.5']}]}}"
                    : "{'status':'error','error':'down'}";
            byte[] body = text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answered, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @Test
    void rejectsFilesOfTheSourceOfUse() throws IOException {
        String url = "https://127.0.0.1:1";
        Path missing = folder.resolve("missing");
        Path other = Files.writeString(folder.resolve("other"), "no certificate");
        Map<String, String> problems = Map.of(
                "--usage-bearer-token-file=" + missing,
                "--usage-bearer-token-file: " + missing + ": no such file",
                "--usage-ca-file=" + missing,
                "--usage-ca-file: server " + url + ": " + missing + ": no such file",
                "--usage-ca-file=" + other,
                "--usage-ca-file: server " + url + ": tls: No certificate data found");
        problems.forEach((option, problem) -> {
            CommandRun run = CommandRun.of(
                    "lab",
                    "record",
                    "--out",
                    folder.toString(),
                    "--master",
                    url,
                    "--usage",
                    "prometheus:" + url,
                    option);
            assertEquals("error: " + problem + "\n", run.err());
            assertEquals(ExitCode.BAD_INPUT, run.code());
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        --usage=prometheus|'prometheus' is neither metrics nor prometheus:URL, such as prometheus:http://localhost:9090
        --usage=prometheus:ftp://a|'prometheus:ftp://a' is neither metrics nor prometheus:URL, such as prometheus:http://localhost:9090
        --usage-every=9s|'9s' is less than 10s
        --usage-ca-file=ca.pem|--usage-ca-file requires --usage prometheus:URL
        --usage-bearer-token-file=token|--usage-bearer-token-file requires --usage prometheus:URL
        """)
    void rejectsSourcesOfUse(String option, String reason) {
        CommandRun run = CommandRun.of("lab", "record", "--out", folder.toString(), option);
        assertTrue(run.err().contains(reason), run.err());
        assertEquals(ExitCode.USAGE, run.code());
    }

    private String recordedAt(String time) throws IOException {
        CommandRun run = CommandRun.of("lab", "at", time, "--trace", folder.toString());
        assertEquals("", run.err());
        List<String> objects = new ArrayList<>();
        for (JsonNode object : JSON.readTree(run.out()).path("items")) {
            JsonNode status = object.path("status");
            objects.add((object.at("/metadata/name").asText() + " "
                            + object.at("/spec/nodeName").asText() + " "
                            + status.path("startTime").asText() + " "
                            + object.at("/metadata/deletionTimestamp").asText())
                    .strip()
                    .replaceAll(" +", " "));
        }
        return String.join(", ", objects);
    }

    /** Without a scheduler, the cluster as it was. */
    @Test
    void aMomentOfTheRecordedCluster() throws IOException {
        record(object -> object, recorder -> {
            day(recorder);
            at(210);
            recorder.upserted(
                    ResourceKind.PODS,
                    pod("gated", ", deletionTimestamp: '2026-11-28T08:03:30Z'", ", nodeName: c", "phase: Pending"));
            at(220);
            recorder.upserted(ResourceKind.NODES, node("d", ""));
        });
        assertEquals("a, b, web-1 a, waits", recordedAt("5s"));
        assertEquals(
                "a, b, web-1 a, waits, report b 2026-11-28T08:00:12Z, web-2, gated, never, c",
                recordedAt(START.plusSeconds(60).toString()));
        assertEquals("a, waits, gated c 2026-11-28T08:03:30Z, never, c", recordedAt("215s"));
        assertEquals(recordedAt("60s"), recordedAt("08:01"));
        assertEquals(recordedAt("215s"), recordedAt("08:03:35"));
        assertEquals(
                "error: 2026-11-29T07:59:59Z is not in the record, which starts at 2026-11-28T08:00:00Z and ends at"
                        + " 2026-11-28T08:03:40Z\n",
                CommandRun.of("lab", "at", "07:59:59", "--trace", folder.toString())
                        .err());
        assertEquals(
                "error: 2026-11-28T09:00:00Z is not in the record, which starts at 2026-11-28T08:00:00Z and ends at"
                        + " 2026-11-28T08:03:40Z\n",
                CommandRun.of("lab", "at", "1h", "--trace", folder.toString()).err());
        assertEquals(
                "error: 2026-11-28T07:00:00Z is not in the record, which starts at 2026-11-28T08:00:00Z\n",
                CommandRun.of("lab", "at", "2026-11-28T07:00:00Z", "--trace", folder.toString())
                        .err());
        Path moment = folder.resolve("moment.json");
        CommandRun.of("lab", "at", "60s", "--trace", folder.toString(), "--output-file", moment.toString());
        CommandRun simulated = CommandRun.of("simulate", "--scheduler", "modern", "--cluster", moment.toString());
        assertTrue(simulated.out().contains("shop/waits"), simulated.out() + simulated.err());
        Path arrivals = Files.createDirectories(folder.resolve("arrivals"));
        assertTrue(CommandRun.of("lab", "at", "60s", "--trace", arrivals.toString())
                .err()
                .startsWith("error: a SCHEDULER is required, because only traces of lab record contain the nodes"));
    }

    private JsonNode shown() throws IOException {
        String shown =
                CommandRun.of("lab", "show", folder.toString(), "-o", "json").out();
        ResultSchemasTest.assertValid("lab-show", shown);
        return JSON.readTree(shown);
    }

    @Test
    void aSecondRecorderBeginsAnotherPart() throws IOException {
        record(object -> object, this::day);
        at(500);
        record(object -> object, recorder -> {
            recorder.begin("v1.34.1");
            recorder.resumedAfter(START.plusSeconds(200));
            recorder.replaced(ResourceKind.NODES, List.of(node("a", "")));
            recorder.replaced(ResourceKind.PODS, List.of());
            at(900);
            recorder.upserted(ResourceKind.PODS, pod("late", OF_SET, "", "phase: Pending"));
        });
        RecordedTrace.Contents contents = RecordedTrace.open(folder).contents(FeatureGates.defaults(), warning -> {});
        assertEquals(START.plusSeconds(500), contents.start());
        assertEquals(
                List.of("late at 400 for - until - restarts on "),
                contents.arrivals().stream().map(RecordTest::text).toList());
        assertTrue(contents.notes().toString().contains("has 2 parts"), contents.notes()::toString);
        JsonNode shown = shown();
        assertEquals(300, shown.at("/parts/1/gapSeconds").asInt());
    }

    /** Cuts the file of a killed recorder at each of its last 300 bytes. */
    @Test
    void aKilledRecorderLosesOnlyWhatWasNotFlushed() throws IOException {
        List<Integer> flushed = new ArrayList<>();
        Path file = folder.resolve("2026-11-28T08-0001.jsonl.gz");
        byte[] whole;
        byte[] description;
        try (TraceWriter trace = TraceWriter.open(
                TraceFiles.of(folder), Limits.NONE, "test", JsonNodeFactory.instance.objectNode(), now)) {
            ClusterRecorder recorder = new ClusterRecorder(trace, () -> now, object -> object);
            begin(recorder);
            for (int i = 0; i < 20; i++) {
                at(i);
                bind(recorder, "p" + i, "a");
                recorder.flush();
                flushed.add((int) Files.size(file));
            }
            whole = Files.readAllBytes(file);
            description = Files.readAllBytes(folder.resolve("trace.json"));
        }
        assertTrue(flushed.get(0) < whole.length - 300 && flushed.get(17) > whole.length - 300, flushed::toString);
        for (int length = whole.length - 300; length <= whole.length; length++) {
            String where = "cut at " + length + " of " + flushed;
            Path cut = Files.createDirectories(folder.resolve("cut-" + length));
            Files.write(cut.resolve("trace.json"), description);
            Files.write(cut.resolve(file.getFileName()), Arrays.copyOf(whole, length));
            int size = length;
            int complete = (int) flushed.stream().filter(end -> end <= size).count();
            List<String> bound = binds(cut);
            assertEquals(IntStream.range(0, bound.size()).mapToObj(i -> "p" + i).toList(), bound, where);
            assertTrue(bound.size() >= complete, where);
            // The process began a file, and was killed before it wrote a line.
            Files.createFile(cut.resolve("2026-11-28T09-0001.jsonl.gz"));
            Instant last = RecordCommand.lastLine(TraceFiles.of(cut), problem -> fail(where + ": " + problem));
            assertTrue(last != null && !last.isBefore(START.plusSeconds(complete - 1)), where);
            at(3600);
            try (TraceWriter trace = TraceWriter.open(
                    TraceFiles.of(cut), Limits.NONE, "test", JsonNodeFactory.instance.objectNode(), now)) {
                begin(new ClusterRecorder(trace, () -> now, object -> object));
            }
            assertEquals(bound, binds(cut), where);
            assertEquals(START, RecordedTrace.open(cut).start(), where);
        }
        Path other = Files.writeString(folder.resolve("2026-11-28T09-0001.jsonl.gz"), "no trace");
        List<String> problems = new ArrayList<>();
        assertEquals(START.plusSeconds(19), RecordCommand.lastLine(TraceFiles.of(folder), problems::add));
        assertEquals(List.of(other + ":1: not a file of a trace"), problems);
    }

    /** Returns the names of the pods that were bound to node a in the longest part. */
    private static List<String> binds(Path record) {
        return RecordedTrace.open(record).contents(FeatureGates.defaults(), warning -> {}).arrivals().stream()
                .filter(arrival -> node(arrival).equals("a"))
                .map(Arrival::name)
                .toList();
    }

    /** Nodes a and b of 8 cores, and a pod of 1 core on a that is there from the start. */
    private void begin(ClusterRecorder recorder) throws IOException {
        begin(recorder, "v1.36.2");
    }

    private void begin(ClusterRecorder recorder, String version) throws IOException {
        recorder.begin(version);
        recorder.replaced(ResourceKind.NODES, List.of(node("a", ""), node("b", "")));
        recorder.replaced(ResourceKind.PODS, List.of(pod("first", "", ", nodeName: a", "phase: Running")));
    }

    private static void bind(ClusterRecorder recorder, String name, String node) throws IOException {
        recorder.upserted(ResourceKind.PODS, pod(name, "", "", "phase: Pending"));
        recorder.upserted(ResourceKind.PODS, pod(name, "", ", nodeName: " + node, "phase: Pending"));
    }

    private String shadow(int code, Story story) throws IOException {
        return shadow("v1.36.2", code, story);
    }

    private String shadow(String version, int code, Story story) throws IOException {
        record(object -> object, recorder -> {
            begin(recorder, version);
            at(10);
            story.tell(recorder);
        });
        CommandRun run = CommandRun.of("lab", "shadow", "modern", "--trace", folder.toString());
        assertEquals("", run.err());
        assertEquals(code, run.code(), run.out());
        return run.out();
    }

    private static String compared(int binds, int agree, String share, int reordered, int earlier) {
        return "compared " + binds + " binds with modern: " + agree + " agree (" + share + " %), of these " + reordered
                + " in another order and " + earlier + " on an earlier state; 0 not decided\n";
    }

    @Test
    void aRecordWithoutBindsIsNoAgreement() throws IOException {
        record(object -> object, this::begin);
        CommandRun run = CommandRun.of("lab", "shadow", "modern", "--trace", folder.toString());
        assertEquals(
                "error: " + folder
                        + ": the record has no bind to compare; record a cluster for longer while pods are bound, or"
                        + " select other pods\n",
                run.err());
        assertEquals(ExitCode.BAD_INPUT, run.code());
        Path missing = folder.resolve("missing");
        assertEquals(
                "error: no such directory: " + missing + "\n",
                CommandRun.of("lab", "shadow", "modern", "--trace", missing.toString())
                        .err());
    }

    @Test
    void comparesEachBindOnTheRecordedCluster() throws IOException {
        assertEquals(
                "shop/second is on a: another node (b): b scores 6 more in total (NodeResourcesFit +7, others -1)\n"
                        + compared(2, 1, "50.0", 0, 0),
                shadow(1, recorder -> {
                    bind(recorder, "best", "b");
                    at(20);
                    recorder.deleted(ResourceKind.PODS, pod("best", "", ", nodeName: b", "phase: Pending"));
                    at(30);
                    bind(recorder, "second", "a");
                }));
    }

    /** 4 cores of a are in use, so that four pods go to b before the next one goes to a. Its bind overtakes theirs. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void aBindMayOvertakeMany(int secondsLater) throws IOException {
        String expected = compared(5, 5, "100.0", 1, 0);
        assertEquals(expected, shadow(0, recorder -> {
            recorder.upserted(ResourceKind.PODS, requesting("first", 4, ", nodeName: a", ""));
            at(20);
            bind(recorder, "overtakes", "a");
            at(20 + secondsLater);
            for (int i = 0; i < 4; i++) {
                bind(recorder, "p" + i, "b");
            }
        }));
    }

    /** Node b is cordoned until a moment before the bind to a. */
    @Test
    void aDecisionMayPrecedeTheLastChanges() throws IOException {
        Story change = recorder -> {
            recorder.upserted(ResourceKind.NODES, node("b", "unschedulable: true"));
            at(20);
            recorder.upserted(ResourceKind.NODES, node("b", ""));
        };
        assertEquals(compared(1, 1, "100.0", 0, 1), shadow(0, recorder -> {
            change.tell(recorder);
            bind(recorder, "stale", "a");
        }));
    }

    /** Eight binds before, in all orders on each of the later states, would be too many comparisons. */
    @Test
    void manyChangesMayFollowADecision() throws IOException {
        assertEquals(compared(9, 9, "100.0", 0, 1), shadow(0, recorder -> {
            recorder.upserted(ResourceKind.NODES, node("b", "unschedulable: true"));
            at(20);
            for (int i = 0; i < 8; i++) {
                bind(recorder, "early" + i, "a");
                recorder.deleted(ResourceKind.PODS, pod("early" + i, "", ", nodeName: a", "phase: Pending"));
            }
            at(30);
            recorder.upserted(ResourceKind.NODES, node("b", ""));
            for (int i = 0; i < 200; i++) {
                recorder.upserted(ResourceKind.NODES, cordoned("c" + i));
            }
            bind(recorder, "stale", "a");
        }));
    }

    @Test
    void aDecisionConsidersOldChanges() throws IOException {
        assertEquals(
                "shop/late is on a: another node (b): b scores 6 more in total (NodeResourcesFit +7, others -1)\n"
                        + compared(1, 0, "0.0", 0, 0),
                shadow(1, recorder -> {
                    recorder.upserted(ResourceKind.NODES, node("b", "unschedulable: true"));
                    at(20);
                    recorder.upserted(ResourceKind.NODES, node("b", ""));
                    at(23);
                    bind(recorder, "late", "a");
                }));
    }

    private static ObjectNode withImage(String name) throws IOException {
        ObjectNode node = node(name, "");
        node.withObject("/status")
                .withArray("images")
                .addObject()
                .put("sizeBytes", 800_000_000)
                .putArray("names")
                .add("registry.example/secret:latest");
        return node;
    }

    private static final String EMPTIER =
            "shop/new is on a: another node (b): b scores 13 more in total (NodeResourcesFit +7,"
                    + " NodeResourcesBalancedAllocation +6)\n";

    /** Of two nodes with an image, b had it first, so that kube-scheduler counts one node for b and two for a until b changes. */
    @ParameterizedTest
    @ValueSource(strings = {"v1.28.1", "v1.34.9"})
    void imagesAreCountedAtAChangeOfANode(String version) throws IOException {
        String result = shadow(version, 0, recorder -> {
            recorder.upserted(ResourceKind.NODES, withImage("b"));
            recorder.upserted(ResourceKind.NODES, withImage("a"));
            at(20);
            bind(recorder, "new", "a");
        });
        assertEquals(
                compared(1, 1, "100.0", 0, 0)
                        .replace("earlier state", "earlier state and 1 with earlier counts of images"),
                result);
    }

    /** The kubelets of nodes that are there from the start have sent their status since the images changed. */
    @Test
    void imagesOfTheStartAreCountedForAllNodes() throws IOException {
        record(object -> object, recorder -> {
            recorder.begin("v1.22.6");
            recorder.replaced(ResourceKind.NODES, List.of(withImage("b"), withImage("a")));
            recorder.replaced(ResourceKind.PODS, List.of(pod("first", "", ", nodeName: a", "phase: Running")));
            at(10);
            bind(recorder, "new", "a");
        });
        CommandRun run = CommandRun.of("lab", "shadow", "modern", "--trace", folder.toString());
        assertEquals(EMPTIER + compared(1, 0, "0.0", 0, 0), run.out());
    }

    /** A pod of 8 cores is nominated to the empty node b, so that others go to a; then it is bound there. */
    @Test
    void nominatedPodsUseResources() throws IOException {
        String large = ", priority: 10, overhead: {cpu: 7}";
        assertEquals(compared(2, 2, "100.0", 0, 0), shadow(0, recorder -> {
            recorder.upserted(ResourceKind.PODS, pod("large", "", large, "phase: Pending, nominatedNodeName: b"));
            at(20);
            bind(recorder, "small", "a");
            at(30);
            recorder.upserted(ResourceKind.PODS, pod("large", "", large + ", nodeName: b", "phase: Pending"));
        }));
        assertFalse(lines().toString().contains("\"node\":\"\""), "the bind ends the nomination");
    }

    /** Both nodes are feasible, but later releases evaluate the nominated node first. */
    @Test
    void aPodMayUseItsNominatedNode() throws IOException {
        assertEquals(compared(1, 1, "100.0", 0, 0), shadow(0, recorder -> {
            recorder.upserted(ResourceKind.PODS, pod("pod", "", "", "phase: Pending, nominatedNodeName: a"));
            at(20);
            recorder.upserted(ResourceKind.PODS, pod("pod", "", ", nodeName: a", "phase: Pending"));
        }));
    }

    /** Topology spread does not count terminating pods. */
    @Test
    void terminatingPodsAreRecorded() throws IOException {
        String labels = ", labels: {app: web}";
        String spread =
                ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule,"
                        + " labelSelector: {matchLabels: {app: web}}}]";
        String deleted = labels + ", deletionTimestamp: '2026-11-28T08:00:10Z'";
        assertEquals(compared(2, 2, "100.0", 0, 0), shadow(0, recorder -> {
            for (String name : List.of("a", "b")) {
                ObjectNode labeled = node(name, "");
                labeled.withObject("/metadata").putObject("labels").put("host", name);
                recorder.upserted(ResourceKind.NODES, labeled);
            }
            at(20);
            recorder.upserted(ResourceKind.PODS, pod("one", labels, spread, "phase: Pending"));
            recorder.upserted(ResourceKind.PODS, pod("one", labels, spread + ", nodeName: b", "phase: Pending"));
            at(30);
            recorder.upserted(ResourceKind.PODS, pod("one", deleted, spread + ", nodeName: b", "phase: Pending"));
            recorder.upserted(ResourceKind.NODES, cordoned("a"));
            at(40);
            recorder.upserted(ResourceKind.PODS, pod("two", labels, spread, "phase: Pending"));
            recorder.upserted(ResourceKind.PODS, pod("two", labels, spread + ", nodeName: b", "phase: Pending"));
        }));
    }

    /** The pod of 1 core on a becomes one of 4 cores, so that the next pod prefers b, where 2 cores are in use. */
    @Test
    void resizesCountFromTheirTime() throws IOException {
        assertEquals(compared(2, 2, "100.0", 0, 0), shadow(0, recorder -> {
            recorder.upserted(ResourceKind.PODS, pod("two", "", ", overhead: {cpu: 1}", "phase: Pending"));
            recorder.upserted(ResourceKind.PODS, pod("two", "", ", overhead: {cpu: 1}, nodeName: b", "phase: Pending"));
            at(20);
            recorder.upserted(ResourceKind.PODS, requesting("first", 4, ", nodeName: a", ""));
            at(30);
            bind(recorder, "next", "b");
        }));
    }

    private static ObjectNode requesting(String name, int cpu, String spec, String status) throws IOException {
        ObjectNode pod = pod(name, ", labels: {app: web}", spec, "phase: Running" + status);
        ((ObjectNode) pod.at("/spec/containers/0/resources/requests")).put("cpu", cpu);
        return pod;
    }

    private static String using(int cpu, int allocated) {
        return ", containerStatuses: [{name: c, allocatedResources: {cpu: " + allocated
                + "}, resources: {requests: {cpu: " + cpu + "}}}]";
    }

    /** Labels and requests change; annotations, and the labels that the API server sets when it binds a pod, are no change. */
    @Test
    void laterVersionsOfPodsAreRecorded() throws IOException {
        record(object -> object, recorder -> {
            begin(recorder);
            at(10);
            recorder.upserted(ResourceKind.PODS, pod("web", "", "", "phase: Pending"));
            recorder.upserted(ResourceKind.PODS, pod("web", ", annotations: {ip: '1'}", "", "phase: Pending"));
            recorder.upserted(
                    ResourceKind.PODS,
                    pod("web", ", labels: {topology.kubernetes.io/zone: z}", ", nodeName: a", "phase: Pending"));
            recorder.upserted(ResourceKind.PODS, pod("web", "", ", nodeName: a", "phase: Running" + using(1, 1)));
            at(20);
            recorder.upserted(
                    ResourceKind.PODS, pod("first", ", labels: {app: new}", ", nodeName: a", "phase: Running"));
            at(30);
            recorder.upserted(ResourceKind.PODS, requesting("web", 3, ", nodeName: a", using(1, 1)));
            at(35);
            recorder.upserted(ResourceKind.PODS, requesting("web", 3, ", nodeName: a", using(3, 3)));
            at(36);
            recorder.upserted(ResourceKind.PODS, requesting("web", 1, ", nodeName: a", using(3, 1)));
            at(60);
            recorder.upserted(ResourceKind.NODES, node("c", ""));
        });
        RecordedTrace.Contents contents = RecordedTrace.open(folder).contents(FeatureGates.defaults(), warning -> {});
        assertEquals(
                List.of("20 u-first {app=new} 1000"),
                contents.updates().stream().map(RecordTest::text).toList());
        assertEquals(
                List.of("30 u-web {app=web} 3000", "35 u-web {app=web} 3000", "36 u-web {app=web} 3000"),
                contents.arrivals().get(0).updates().stream()
                        .map(RecordTest::text)
                        .toList(),
                "the requests in use count until the resize is complete");
        assertEquals(
                "{\"Node add\":1,\"Pod update\":4}",
                shown().at("/parts/0/changes").toString());
        String dump = CommandRun.of("lab", "at", "50s", "modern", "--trace", folder.toString())
                .out();
        Map<String, JsonNode> pods = new HashMap<>();
        JSON.readTree(dump)
                .path("items")
                .forEach(item -> pods.put(item.at("/metadata/name").asText(), item));
        assertEquals(
                "{\"app\":\"new\"}",
                Objects.requireNonNull(pods.get("first")).at("/metadata/labels").toString());
        JsonNode web = Objects.requireNonNull(pods.get("web"));
        assertEquals("b", web.at("/spec/nodeName").asText());
        assertEquals(1, web.at("/spec/containers/0/resources/requests/cpu").asInt());
        assertEquals(
                3, web.at("/status/containerStatuses/0/resources/requests/cpu").asInt());
        Path exported = folder.resolve("record.jsonl");
        CommandRun.of("lab", "export", "kss", folder.toString(), "--out", exported.toString());
        List<String> versions = new ArrayList<>();
        for (String line : Files.readAllLines(exported)) {
            JsonNode object = JSON.readTree(line).path("resource");
            if (object.path("kind").asText().equals("Pod")) {
                versions.add(object.at("/metadata/name").asText() + " "
                        + object.at("/metadata/labels/app").asText() + " "
                        + object.at("/spec/nodeName").asText() + " "
                        + object.at("/spec/containers/0/resources/requests/cpu").asText() + " "
                        + object.at("/status/containerStatuses/0/allocatedResources/cpu")
                                .asText());
            }
        }
        assertEquals(
                List.of(
                        "first  a 1 ",
                        "web   1 ",
                        "web  a 1 ",
                        "web  a 1 ",
                        "first new a 1 ",
                        "web web a 3 1",
                        "web web a 3 ",
                        "web web a 1 1"),
                versions);
    }

    private static String text(ClusterTrace.PodUpdate update) {
        return seconds(update.atNanos()) + " " + update.uid() + " "
                + update.to().labels() + " "
                + update.to().resources().current().placed().milliCpu();
    }

    private static ObjectNode cordoned(String name) throws IOException {
        ObjectNode node = node(name, "unschedulable: true");
        node.withObject("/metadata").putObject("labels").put("host", name);
        return node;
    }

    /** A list after a lost watch says what is gone, but not when. */
    @Test
    void aListAfterALostWatchIsCompared() throws IOException {
        record(object -> object, recorder -> {
            day(recorder);
            recorder.lost(ResourceKind.PODS);
            at(300);
            recorder.replaced(
                    ResourceKind.PODS,
                    List.of(
                            pod("waits", OF_SET, ", nodeName: a", "phase: Running"),
                            pod("new", "", "", "phase: Pending")));
        });
        List<String> last = lines();
        assertEquals(
                List.of("gap", "bind u-waits", "run u-waits", "pod u-new", "end u-gated", "end u-never"),
                last.subList(last.size() - 6, last.size()).stream()
                        .map(RecordTest::kindAndUid)
                        .toList());
    }

    private static String kindAndUid(String line) {
        try {
            JsonNode fields = JSON.readTree(line);
            return (fields.path("line").asText() + " " + fields.path("uid").asText()).strip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anAnonymousRecordHasNoNames() throws IOException {
        record(new AnonymousStream("0123456789abcdef".getBytes(StandardCharsets.UTF_8), Set.of("kept")), recorder -> {
            recorder.begin("v1.34.1");
            recorder.replaced(ResourceKind.NODES, List.of(node("very-private", "")));
            recorder.replaced(ResourceKind.PODS, List.of());
            recorder.upserted(
                    ResourceKind.PODS,
                    pod("hidden", ", labels: {app: hush, tier: kept}" + OF_SET, "", "phase: Pending"));
            recorder.upserted(
                    ResourceKind.PODS,
                    pod(
                            "hidden",
                            ", labels: {app: hush, tier: kept}" + OF_SET,
                            ", nodeName: very-private",
                            "phase: Pending"));
        });
        String all = lines().toString();
        for (String name : List.of("very-private", "\"hidden\"", "hush", "shop", "registry", "PASSWORD")) {
            assertFalse(all.contains(name), name);
        }
        assertTrue(all.contains("kept"));
        RecordedTrace.Contents contents = RecordedTrace.open(folder).contents(FeatureGates.defaults(), warning -> {});
        String node = contents.objects().get(0).at("/metadata/name").asText();
        assertEquals(node, node(contents.arrivals().get(0)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        {phase: Succeeded}|Succeeded
        {phase: Failed}|Failed
        {phase: Failed, reason: Evicted}|Evicted
        {phase: Failed, reason: OutOfcpu}|Refused
        {phase: Failed, reason: NodeAffinity}|Refused
        {phase: Running}|Deleted
        {phase: Running, reason: NodeLost}|NodeLost
        {phase: Running, conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}]}|Preempted
        {phase: Failed, conditions: [{type: DisruptionTarget, status: 'True', reason: EvictionByEvictionAPI}]}|Evicted
        {phase: Failed, conditions: [{type: DisruptionTarget, status: 'True', reason: DeletionByTaintManager}]}|NodeLost
        {phase: Running, conditions: [{type: DisruptionTarget, status: 'False', reason: PreemptionByScheduler}]}|Deleted
        """)
    void theLastStateSaysHowAPodEnded(String status, String how) throws IOException {
        assertEquals(how, ClusterRecorder.howEnded(yaml("{status: " + status + "}")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        {}|{}|{}
        {a: 1}|{a: 1}|{}
        {a: 1}|{a: 2}|{a: 2}
        {a: 1, b: 2}|{b: 2}|{a: null}
        {a: {b: 1, c: 2}}|{a: {b: 1}}|{a: {c: null}}
        {a: {b: 1}}|{a: [1]}|{a: [1]}
        {a: [1]}|{a: {b: 1}}|{a: {b: 1}}
        {a: [1, 2]}|{a: [2]}|{a: [2]}
        {}|{a: {b: {c: 1}}}|{a: {b: {c: 1}}}
        """)
    void patchesLeadFromOneStateToTheNext(String from, String to, String patch) throws IOException {
        assertEquals(yaml(patch), MergePatch.of(yaml(from), yaml(to)));
        ObjectNode patched = yaml(from);
        MergePatch.apply(patched, yaml(patch));
        assertEquals(yaml(to), patched);
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void recordsACluster(@TempDir Path temp) throws Exception {
        Path kubeconfig = temp.resolve("kubeconfig");
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            cluster.load(node("n1", "").put("apiVersion", "v1").put("kind", "Node"));
            cluster.load(yaml("{apiVersion: v1, kind: Pod, metadata: {name: before}, spec: {nodeName: n1, containers:"
                    + " [{name: c, image: x}]}}"));
            cluster.writeKubeconfig(kubeconfig);
            StringWriter err = new StringWriter();
            TestAuthority authority = new TestAuthority("monitoring");
            HttpsServer prometheus = authority.https("localhost");
            serve(prometheus, new AtomicInteger(200), "Bearer secret");
            Path ca = Files.writeString(temp.resolve("ca.pem"), authority.pem());
            Path token = Files.writeString(temp.resolve("token"), "secret\n");
            String source =
                    "prometheus:https://localhost:" + prometheus.getAddress().getPort() + "/";
            Thread recorder = new Thread(() -> Main.run(
                    new String[] {
                        "lab",
                        "record",
                        "--kubeconfig",
                        kubeconfig.toString(),
                        "--out",
                        folder.toString(),
                        "--usage",
                        source,
                        "--usage-bearer-token-file",
                        token.toString(),
                        "--usage-ca-file",
                        ca.toString()
                    },
                    new StringWriter(),
                    err));
            recorder.start();
            await("\"use\"");
            prometheus.stop(0);
            await("Namespace");
            await("before");
            cluster.load(yaml("{apiVersion: v1, kind: Pod, metadata: {name: after}, spec: {containers:"
                    + " [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}"));
            await("\"after\"");
            cluster.call(
                    "POST",
                    "/api/v1/namespaces/default/pods/after/binding",
                    "application/json",
                    "{\"metadata\":{\"name\":\"after\"},\"target\":{\"kind\":\"Node\",\"name\":\"n1\"}}"
                            .getBytes(StandardCharsets.UTF_8));
            await("\"bind\"");
            cluster.call("DELETE", "/api/v1/namespaces/default/pods/before", "application/json", new byte[0]);
            await("\"end\"");
            cluster.call(
                    "PATCH",
                    "/api/v1/namespaces/default/pods/after/status",
                    "application/merge-patch+json",
                    "{\"status\":{\"phase\":\"Succeeded\"}}".getBytes(StandardCharsets.UTF_8));
            await("\"how\":\"Succeeded\"");
            recorder.interrupt();
            recorder.join();
        }
        RecordedTrace.Contents contents = RecordedTrace.open(folder).contents(FeatureGates.defaults(), warning -> {});
        assertEquals(
                List.of("after"),
                contents.arrivals().stream().map(Arrival::name).toList());
        assertEquals("n1", node(contents.arrivals().get(0)));
        assertEquals(1, contents.departures().size());
        CommandRun run = CommandRun.of(
                "lab", "run", "recorded", "--trace", folder.toString(), "--out", temp.toString(), "--warm-up", "0s");
        assertEquals(ExitCode.OK, run.code(), run.err());
        assertEquals(
                List.of("after n1 Running", "before n1 Deleted"),
                LabCommandTest.unzipped(temp.resolve("pods.csv.gz"))
                        .lines()
                        .skip(1)
                        .map(line -> line.replaceFirst("default,([a-z]+),.*,(n1),([A-Za-z]+)$", "$1 $2 $3"))
                        .sorted()
                        .toList(),
                "the run ends with the last line, the end of the pod");
        try (Stream<Path> files = Files.list(folder)) {
            assertTrue(files.anyMatch(file -> file.getFileName().toString().equals("trace.json")));
        }
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void waitsForTheApiServer(@TempDir Path temp) throws Exception {
        Path kubeconfig = temp.resolve("kubeconfig");
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            cluster.load(node("n1", "").put("apiVersion", "v1").put("kind", "Node"));
            cluster.writeKubeconfig(kubeconfig);
            cluster.stopServing();
            List<String> command =
                    List.of("lab", "record", "--kubeconfig", kubeconfig.toString(), "--out", folder.toString());
            List<String> patient = new ArrayList<>(command);
            patient.addAll(List.of("--wait-for-api-server", "1s"));
            CommandRun refused = CommandRun.of(patient.toArray(String[]::new));
            String problem = cluster.url() + ": GET /version: connection refused\n";
            assertEquals(
                    "W135 waiting for the API server " + problem + "error: cannot connect to " + problem,
                    refused.err());
            assertEquals(ExitCode.CLUSTER_TROUBLE, refused.code());
            assertEquals(List.of(), lines());
            StringWriter err = new StringWriter();
            Thread recorder = new Thread(() -> Main.run(command.toArray(String[]::new), new StringWriter(), err));
            recorder.start();
            while (!err.toString().contains("W135 waiting for the API server " + problem)) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            cluster.startServing();
            await("\"n1\"");
            recorder.interrupt();
            recorder.join();
        }
    }

    /** Waits until a line contains a text. */
    private void await(String text) throws IOException, InterruptedException {
        while (lines().stream().noneMatch(line -> line.contains(text))) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
