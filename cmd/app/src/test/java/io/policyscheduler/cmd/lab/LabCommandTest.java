package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.ResultSchemasTest;
import io.policyscheduler.cmd.lab.LabOptions.RunSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabCommandTest {
    private static final String CLUSTER = """
        apiVersion: v1
        kind: List
        items:
        - {apiVersion: v1, kind: Node, metadata: {name: a, labels: {zone: east, node.kubernetes.io/instance-type: m4}},
           status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
        - {apiVersion: v1, kind: Node, metadata: {name: b, labels: {zone: west}},
           status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}}
        - {apiVersion: v1, kind: Pod, metadata: {name: waiting, uid: w},
           spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
        """;
    private static final String ARRIVALS = """
        time,duration,name,cpu,selector.zone
        10,100,one,2,east
        20,100,"two, quoted",3,east|west
        30,,never,5,
        """;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path dir = Path.of("");

    @BeforeEach
    void files() throws IOException {
        write("cluster.yaml", CLUSTER);
        write("arrivals.csv", ARRIVALS);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text);
    }

    private CommandRun lab(String... args) {
        List<String> all = new ArrayList<>(List.of("lab"));
        all.addAll(List.of(args));
        all.addAll(List.of("--cluster", dir.resolve("cluster.yaml").toString()));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private String path(String name) {
        return dir.resolve(name).toString();
    }

    static String unzipped(Path file) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void writesWhatBecameOfEachPod() throws IOException {
        CommandRun run = lab(
                "run",
                "modern",
                "--arrivals",
                path("arrivals.csv"),
                "--tie-break=first",
                "--out",
                path("out"),
                "--until=200s",
                "--warm-up=0s",
                "--sample-every=100s");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("modern: 3 pods placed, 1 unplaced, "), run.out());
        assertEquals("""
            namespace,name,arrived,bound,ended,node,end
            default,one,10,10.05,111.05,a,Succeeded
            default,waiting,0,0.05,,a,Running
            default,"two, quoted",20,111.1,,a,Running
            default,never,30,,,,Pending
            """, unzipped(dir.resolve("out/pods.csv.gz")));
        assertEquals("""
            time,nodes,running,pending,allocated.cpu,pending.cpu,allocated.memory,pending.memory
            0,2,0,1,0,1000,0,0
            100,2,2,2,3000,8000,0,0
            """, unzipped(dir.resolve("out/samples.csv.gz")));
        JsonNode result = JSON.readTree(dir.resolve("out/result.json").toFile());
        assertEquals(4, result.at("/metrics/pods.arrived").intValue());
        assertEquals(5, result.at("/metrics/unplaced.cpu").intValue());
    }

    private JsonNode fragmentation(String... options) throws IOException {
        List<String> args =
                new ArrayList<>(List.of("lab", "run", "modern", "--until=200s", "--warm-up=20s", "-o", "json"));
        args.addAll(List.of("--cluster", path("gpus.yaml"), "--arrivals", path("gpus.csv")));
        args.addAll(List.of(options));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertEquals(0, run.code(), run.err());
        ResultSchemasTest.assertValid("lab-run", run.out());
        return JSON.readTree(run.out());
    }

    /** The node has 2 cores and 8 GiB, of which the first pod takes half a device. */
    @Test
    void fragmentationOfGpusIsMeasuredForExpectedPods() throws IOException {
        write("gpus.yaml", """
            {apiVersion: v1, kind: Node, metadata: {name: gpus}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "9",
             example.com/gpu-milli: "2000"}}}
            """);
        write("gpus.csv", """
            time,cpu,memory,request.example.com/gpu-milli
            0,0,0,500
            100,4,1Gi,2000
            """);
        write("expected.csv", """
            time,cpu,memory,request.example.com/gpu-milli
            0,1,1Gi,600
            """);
        // Only the second pod arrives in the window. It does not fit.
        JsonNode ofWindow = fragmentation();
        assertEquals(1500 / 2000.0, ofWindow.at("/metrics/frag.fgd").doubleValue(), 1e-12);
        assertEquals(1, ofWindow.at("/metrics/frag.fgd.ofFree").doubleValue(), 1e-12);
        assertEquals(
                500 / 2000.0,
                fragmentation("--frag-from", path("expected.csv"))
                        .at("/metrics/frag.fgd")
                        .doubleValue(),
                1e-12);
        write("expected.csv", """
            time,cpu,memory,request.example.com/gpu-milli
            0,4,1Gi,600
            """);
        JsonNode byMemory = fragmentation("--frag-memory", "--frag-from", path("expected.csv"));
        assertEquals(500 / 2000.0, byMemory.at("/metrics/frag.fgd.end").doubleValue(), 1e-12);
        assertEquals(3, byMemory.path("inputs").size(), "with the expected pods");
    }

    @Test
    void groupsAddNodesAtThePriceOfTheGroup() throws IOException {
        write("groups.yaml", """
            model: cluster-autoscaler
            groups:
            - {name: big, max: 2, price: 36, startDelay: 30s,
               template: {status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}}}
            """);
        CommandRun run = lab(
                "run",
                "modern",
                "--arrivals",
                path("arrivals.csv"),
                "--groups",
                path("groups.yaml"),
                "--spot=big=0.0001/h",
                "--out",
                path("out"),
                "--until=200s",
                "--warm-up=0s");
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out().contains("; nodes are added and removed by a model of cluster-autoscaler, not by its code."));
        JsonNode result = JSON.readTree(dir.resolve("out/result.json").toFile());
        ResultSchemasTest.assertValid("lab-run", result.toString());
        // The pod of 5 cores arrives at 30 s, and the next scan is at 40 s. The node exists from 70 s to 200 s.
        assertEquals(1, result.at("/metrics/nodes.started").intValue());
        assertEquals(1.3, result.at("/metrics/cost.total").doubleValue(), 1e-9);
        assertEquals("[\"spot big=0.0001/h\"]", result.at("/settings/outages").toString());
        assertEquals("0 to 2 nodes", result.at("/settings/nodeGroups/group big").asText());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "{model: other, groups: []} # model \"other\" is neither cluster-autoscaler nor karpenter",
                "{budget: 1, groups: []} # budget is not a field of the model cluster-autoscaler",
                "{groups: []} # groups is missing; it lists at least one group",
                "{groups: [{name: g, max: 1}]} # groups: g: template is missing; it is a Node, of which metadata,"
                        + " spec, and status are used",
                "{groups: [{name: g, min: 2, max: 1}]} # groups: g: name and max are required, and 0 <= min <= max",
                "{groups: [{name: g, size: 1}]} # groups: g: unknown field \"size\"; the fields are max, min, name,"
                        + " price, priority, startDelay, template",
                "{expander: best, groups: [{name: g, max: 1, template: {}}]} # expander \"best\" is none of"
                        + " least-waste, price, priority, random, and most-pods",
                "{model: karpenter, budget: some, groups: [{name: g, max: 1, template: {}}]} # budget \"some\" is"
                        + " neither a number nor a percentage",
                "{fits: all, groups: [{name: g, max: 1, template: {}}]} # fits \"all\" is neither default-plugins nor"
                        + " scheduler",
                "{groups: {g: {max: 1}}} # groups is not a list",
                "{groups: [g]} # groups: \"g\" is not a group; a group has the fields max, min, name, price, priority,"
                        + " startDelay, template",
                "{groups: [{name: g, max: many, template: {}}]} # groups: g: max \"many\" is not a whole number",
                "{groups: [{name: g, max: 1.5, template: {}}]} # groups: g: max 1.5 is not a whole number",
                "{groups: [{name: g, max: 1, price: cheap, template: {}}]} # groups: g: price \"cheap\" is not a"
                        + " number of 0 or more",
                "{groups: [{name: g, max: 1, price: -1, template: {}}]} # groups: g: price -1 is not a number of 0 or"
                        + " more",
                "{groups: [{name: g, max: 1, startDelay: soon, template: {}}]} # groups: g: startDelay: ",
                "{model: [], groups: []} # model [] is not a text",
                "{scaleDownUtilizationThreshold: 50, groups: [{name: g, max: 1, template: {}}]} #"
                        + " scaleDownUtilizationThreshold 50.0 is above 1; 0.5 means half of a node",
                "{scanInterval: 0s, groups: [{name: g, max: 1, template: {}}]} # scanInterval 0 is not positive; the"
                        + " default is 10s"
            })
    void rejectsGroupsThatItCannotUse(String text, String message) throws IOException {
        write("groups.yaml", text);
        CommandRun run = lab("run", "modern", "--arrivals", path("arrivals.csv"), "--groups", path("groups.yaml"));
        assertEquals(3, run.code(), run.out());
        assertTrue(run.err().contains(path("groups.yaml") + ": " + message), run.err());
    }

    @Test
    void theSameInputsGiveTheSameBytes() throws IOException {
        for (String out : List.of("first", "second")) {
            assertEquals(
                    0,
                    lab(
                                    "compare",
                                    "modern",
                                    "provider:DefaultProvider",
                                    "--arrivals",
                                    path("arrivals.csv"),
                                    "--tie-break=random",
                                    "--seed=7",
                                    "--out",
                                    path(out))
                            .code());
        }
        for (String file : List.of("result.json", "1/pods.csv.gz", "2/pods.csv.gz", "1/samples.csv.gz")) {
            assertArrayEquals(
                    Files.readAllBytes(dir.resolve("first").resolve(file)),
                    Files.readAllBytes(dir.resolve("second").resolve(file)),
                    file);
        }
    }

    @Test
    void readsZippedFilesInstantsTemplatesAndPrices() throws IOException {
        write("templates.yaml", """
            apiVersion: v1
            kind: Pod
            metadata: {name: big}
            spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}
            """);
        try (GZIPOutputStream zip = new GZIPOutputStream(Files.newOutputStream(dir.resolve("a.csv.gz")))) {
            zip.write("time,template,end\n2026-01-01T00:00:00Z,big,2026-01-01T00:30:00Z\n2026-01-01T01:00:00Z,big,\n"
                    .getBytes(StandardCharsets.UTF_8));
        }
        write("prices.csv", "node,price\nm4,2.5\nb,1\n");
        CommandRun run = lab(
                "run",
                "modern",
                "--arrivals",
                path("a.csv.gz"),
                "--templates",
                path("templates.yaml"),
                "--price-table",
                path("prices.csv"),
                "--until=2h",
                "--warm-up=0s",
                "-o",
                "json");
        assertEquals(0, run.code(), run.err());
        JsonNode result = JSON.readTree(run.out());
        assertEquals("2026-01-01T00:00:00Z", result.at("/trace/start").textValue());
        assertEquals(3, result.at("/metrics/pods.placed").intValue());
        assertEquals(7.0, result.at("/metrics/cost.total").doubleValue(), 1e-9);
    }

    @ParameterizedTest
    @CsvSource({
        "LeastRequested, MostRequested, worse balance.cpu +0.3",
        "MostRequested, LeastRequested, better balance.cpu -0.3",
        "MostRequested, MostRequested, all differences can be chance",
    })
    void theAnswerNamesWhatIsBetterAndWorse(String reference, String other, String answer) throws IOException {
        StringBuilder arrivals = new StringBuilder("time,duration,cpu,memory\n");
        for (int minute = 0; minute < 20; minute++) {
            arrivals.append(minute * 60).append(",50,500m,4Gi\n");
        }
        write("steady.csv", arrivals.toString());
        List<String> schedulers = new ArrayList<>();
        for (String name : List.of(reference, other)) {
            schedulers.add("policy:" + write(name + ".json", """
                {"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "%sPriority", "weight": 1}]}
                """.formatted(name)));
        }
        CommandRun run = lab(
                "compare",
                schedulers.get(0),
                schedulers.get(1),
                "--arrivals",
                path("steady.csv"),
                "--until=20m",
                "--warm-up=0s",
                "--block=2m");
        assertEquals(0, run.code(), run.err());
        String line = run.out().lines().skip(2).findFirst().orElse("");
        assertTrue(line.startsWith(schedulers.get(1) + " compared with " + schedulers.get(0) + ": "), line);
        assertTrue(line.contains(answer), line);
    }

    @Test
    void theReportsShowTheDifference() {
        CommandRun run = lab(
                "compare", "modern", "provider:DefaultProvider", "--arrivals", path("arrivals.csv"), "-o", "markdown");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out()
                .contains("| metric | modern | provider:DefaultProvider | difference | 95% interval |\n"
                        + "|---|--:|--:|--:|--:|\n"));
        assertTrue(run.out().contains("| `pods.placed` |"), run.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a,time; 1; unknown column \"a\"; the columns are ",
                "time,time; 1; the column \"time\" is there twice",
                "cpu; 1; the column \"time\" is missing",
                "time,cpu\\n1; 2; 1 cells, but 2 columns",
                "time,cpu\\n,1; 2; the time is missing",
                "time,cpu\\n-1,1; 2; time: \"-1\" is not a number of seconds, 0 or more",
                "time,cpu\\n#\\n1,x; 3; ",
                "time,end\\n5,yesterday; 2; end: \"yesterday\" is not a number of seconds, 0 or more",
                "time,end\\n1T,; 2; time: \"1T\" is not an RFC 3339 time",
                "time,restarts\\n1,maybe; 2; restarts: \"maybe\" is neither true nor false",
                "time,template\\n1,t; 2; there is no pod template \"t\"; name its file with --templates",
                "time,priority\\n1,high; 2; priority: \"high\" is not an integer",
                "time\\n99999999999; 2; time: 99999999999 seconds is too long; the longest time is 292 years",
                "time,name\\n1,\"x; 2; a quote is not closed",
            })
    void errorsNameTheLine(String text, int line, String problem) throws IOException {
        Path file = write("bad.csv", text.replace("\\n", "\n"));
        CommandRun run = lab("run", "modern", "--arrivals", file.toString());
        assertEquals(3, run.code(), run.err());
        String expected = file + ":" + line + ": " + (problem == null ? "" : problem);
        assertTrue(run.err().contains(expected), run.err());
    }

    @Test
    void functionsAreRejected() {
        CommandRun run = lab("run", "legacy:provider:DefaultProvider", "--arrivals", path("arrivals.csv"));
        assertEquals(3, run.code());
        assertTrue(run.err().contains("use the same SCHEDULER without legacy:"), run.err());
    }

    @Test
    void aTraceIsRequired() {
        CommandRun run = lab("run", "modern");
        assertEquals(2, run.code());
        assertTrue(run.err().contains("a trace is required"), run.err());
    }

    @Test
    void importsTheListsOfOpenb() throws IOException {
        Path nodes = write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,T4\nn1,96000,1,0,\n");
        Path pods = write(
                "pods.csv",
                "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
                        + "p0,4000,8192,1,500,\n"
                        + "p1,32000,9,2,1000,T4|A10\n");
        CommandRun run = CommandRun.of(
                "lab", "import", "openb", pods.toString(), nodes.toString(), "--out", path("trace"), "--load", "2");
        List<String> arrivals = Files.readAllLines(dir.resolve("trace/arrivals.csv"));
        assertEquals("wrote 2 nodes and " + (arrivals.size() - 1) + " arrivals to " + path("trace") + "\n", run.out());
        assertEquals(
                "time,name,cpu,memory,request.example.com/gpu-milli,selector.example.com/gpu-model", arrivals.get(0));
        // Both pods, and more of them until the next one would exceed 4000 thousandths.
        List<String> requests = arrivals.stream()
                .skip(1)
                .map(line -> line.substring(line.indexOf(',', line.indexOf(',') + 1) + 1))
                .sorted()
                .distinct()
                .toList();
        assertEquals(List.of("32000m,9Mi,2000,T4|A10", "4000m,8192Mi,500,"), requests);
        JsonNode fgd = new ObjectMapper(new YAMLFactory())
                .readTree(dir.resolve("trace/fgd.yaml").toFile());
        assertEquals(
                "[{\"cpu\":4000,\"gpu\":500,\"share\":0.5},"
                        + "{\"cpu\":32000,\"gpu\":2000,\"models\":\"T4|A10\",\"share\":0.5}]",
                fgd.at("/profiles/0/pluginConfig/0/args/workload").toString());
        JsonNode cluster = JSON.readTree(dir.resolve("trace/cluster.json").toFile());
        assertEquals(
                "2000",
                cluster.at("/items/0/status/allocatable/example.com~1gpu-milli").textValue());
    }

    @Test
    void timesMayBeDays() throws IOException {
        Files.writeString(dir.resolve("arrivals.csv"), "time,duration,cpu\n0,100,1\n");
        JsonNode json = JSON.readTree(lab(
                        "run",
                        "modern",
                        "--arrivals",
                        path("arrivals.csv"),
                        "--until",
                        "2d",
                        "--warm-up",
                        "1d",
                        "-o",
                        "json")
                .out());
        assertEquals(
                "{\"fromSeconds\":86400,\"toSeconds\":172800}",
                json.path("window").toString());
    }

    /** The published figures are those at a load, and some lists request more. */
    @Test
    void aListOfOpenbThatRequestsMoreThanTheLoadIsCutThere() throws IOException {
        Path nodes = write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,T4\n");
        Path pods = write(
                "pods.csv",
                "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,1,2,1000\np1,1,1,2,1000\np2,1,1,2,1000\n");
        CommandRun run = CommandRun.of(
                "lab",
                "import",
                "openb",
                nodes.toString(),
                pods.toString(),
                "--out",
                path("trace"),
                "--load",
                "2",
                "-o",
                "json");
        ResultSchemasTest.assertValid("lab-import", run.out());
        assertEquals(2, JSON.readTree(run.out()).path("arrivals").asInt());
    }

    @Test
    void listsThatAreNotOfOpenbAreRejected() throws IOException {
        Path nodes = write("nodes.csv", "name,cpu\nn0,1\n");
        CommandRun run =
                CommandRun.of("lab", "import", "openb", nodes.toString(), nodes.toString(), "--out", path("trace"));
        assertEquals(3, run.code());
        assertTrue(
                run.err().contains("nodes.csv:1: the column \"sn\" is missing; is this a list of openb?"), run.err());
    }

    @Test
    void differencesHaveIntervalsAndANoiseFloor() throws IOException {
        StringBuilder text = new StringBuilder("time,duration,cpu\n");
        for (int i = 0; i < 60; i++) {
            text.append(i * 10).append(",35,").append(1 + i % 2).append('\n');
        }
        CommandRun run = lab(
                "compare",
                "modern",
                "provider:DefaultProvider",
                "--arrivals",
                write("many.csv", text.toString()).toString(),
                "--until=600s",
                "--warm-up=0s",
                "--block=100s",
                "--runs=10",
                "--tie-break=random",
                "-o",
                "json");
        assertEquals(0, run.code(), run.err());
        JsonNode result = JSON.readTree(run.out());
        assertEquals(6, result.path("blocks").intValue());
        assertEquals(10, result.path("runsPerScheduler").intValue());
        JsonNode interval = result.at("/runs/1/intervals/balance.cpu");
        double difference = result.at("/runs/1/differences/balance.cpu").doubleValue();
        assertTrue(interval.get(0).doubleValue() <= difference
                && difference <= interval.get(1).doubleValue());
        assertTrue(result.at("/noise/wait.mean").isNumber());
        assertTrue(result.path("caveats").isEmpty(), run.out());
    }

    @Test
    void nodesFailAndAreDrained() throws IOException {
        CommandRun run = lab(
                "run",
                "modern",
                "--arrivals",
                path("arrivals.csv"),
                "--until=200s",
                "--warm-up=0s",
                "--fail=a@50s+60s",
                "--drain",
                "zone=west@120s",
                "-o",
                "json");
        assertEquals(0, run.code(), run.err());
        JsonNode result = JSON.readTree(run.out());
        // Two nodes, one for 60 s and for the last 80 s.
        assertEquals(
                (2 * 200 - 60 - 80) / 200.0, result.at("/metrics/nodes.mean").doubleValue(), 1e-9);
        assertEquals(
                "[\"fail a@50s+60s\",\"drain zone=west@120s\"]",
                result.at("/settings/outages").toString());
    }

    @Test
    void allSchedulersGetTheSameScaledLoad() throws IOException {
        CommandRun run = lab(
                "compare",
                "modern",
                "provider:DefaultProvider",
                "--arrivals",
                path("arrivals.csv"),
                "--until=200s",
                "--warm-up=0s",
                "--scale-load=2.5",
                "--jitter=20s",
                "--extend=km",
                "--seed=3",
                "--out",
                path("out"));
        assertEquals(0, run.code(), run.err());
        JsonNode result = JSON.readTree(dir.resolve("out/result.json").toFile());
        ResultSchemasTest.assertValid("lab-compare", result.toString());
        assertEquals(2.5, result.at("/settings/scaleLoad").doubleValue());
        assertEquals("PT20S", result.at("/settings/jitter").textValue());
        assertEquals("km", result.at("/settings/extend").textValue());
        assertEquals(2.5, result.at("/trace/scaled/pods").doubleValue());
        assertEquals(10, result.at("/trace/arrivals").intValue());
        List<List<String>> arrived = new ArrayList<>();
        for (String folder : List.of("1", "2")) {
            arrived.add(unzipped(dir.resolve("out/" + folder + "/pods.csv.gz"))
                    .lines()
                    .skip(1)
                    .map(line -> line.replaceAll("^((?:\"[^\"]*\"|[^,]*),(?:\"[^\"]*\"|[^,]*),[^,]*),.*", "$1"))
                    .sorted()
                    .toList());
        }
        assertEquals(arrived.get(0), arrived.get(1));
        assertTrue(arrived.get(0).contains("default,waiting,0"), arrived.toString());
        // Two of the four pods are chosen once more; their requests are not half of all.
        double cpu = result.at("/trace/scaled/cpu").doubleValue();
        assertEquals(
                "warning: --scale-load 2.5 gives " + LabReport.text(cpu)
                        + " times the requests of cpu, because workloads are not divided",
                run.err().strip());
    }

    @ParameterizedTest
    @CsvSource({
        "--fail, a, 2, is not NODES@TIME[+TIME]",
        "--fail, a@soon, 2, is not NODES@TIME[+TIME]",
        "--fail, a@mtbf=1d, 2, is not NODES@mtbf=TIME",
        "--fail, 'a@mtbf=0s,mttr=1m', 2, is not NODES@mtbf=TIME",
        "--fail, 'zone=north@mtbf=1d,mttr=1m', 3, no node of the snapshot or of a group is",
        "--extend, forever, 2, is neither keep nor km",
        "--spot, a=0/h, 2, is not NODES=RATE/h",
        "--spot, a=0.1, 2, is not NODES=RATE/h",
        "--spot, 0.1/h, 2, is not NODES=RATE/h",
        "--spot, extra=0.1/h, 3, no node of the snapshot or of a group is",
        "--drain, a@1h+0s, 2, is not NODES@TIME[+TIME]",
        "--drain, zone=north@1h, 3, no node of the snapshot is",
        "--drain, a@2h, 3, '\"a@2h\" begins after the end of the run, which lasts '",
        "--scale-load, 0, 2, is not a factor above 0",
        "--scale-load, -1.5, 2, is not a factor above 0",
        "--scale-load, 130%, 2, is not a factor above 0",
        "--scale-load, 1001, 2, at most 1000 (such as 1.3)",
        "--jitter, 1, 2, is not a duration",
        "--block, 0s, 2, is not a positive duration",
        "--until, 0s, 3, the run of 0s is not longer than its warm-up of 0s",
        "--warm-up, 99d, 3, is not longer than its warm-up of 2376h",
    })
    void scenariosThatMeanNothingAreRejected(String option, String value, int code, String problem) {
        CommandRun run = lab("run", "modern", "--arrivals", path("arrivals.csv"), option, value);
        assertEquals(code, run.code(), run.err());
        assertTrue(run.err().contains(problem), run.err());
    }

    @Test
    void aMomentIsADumpThatOtherCommandsRead() throws IOException {
        write("templates.yaml", """
            apiVersion: v1
            kind: Pod
            metadata: {name: big, labels: {app: big}}
            spec: {containers: [{name: c, resources: {requests: {cpu: "3"}}}]}
            """);
        Path arrivals = write("mixed.csv", "time,template,cpu,name\n10,,2,one\n20,big,,two\n30,,5,never\n");
        CommandRun at = lab(
                "at",
                "60s",
                "modern",
                "--arrivals",
                arrivals.toString(),
                "--templates",
                path("templates.yaml"),
                "--tie-break=first",
                "--fail=b@40s",
                "--output-file",
                path("moment.json"));
        assertEquals(0, at.code(), at.err());
        JsonNode dump = JSON.readTree(dir.resolve("moment.json").toFile());
        List<String> objects = new ArrayList<>();
        dump.path("items")
                .forEach(item -> objects.add(item.path("kind").textValue() + " "
                        + item.at("/metadata/name").textValue() + " "
                        + item.at("/spec/nodeName").asText("-") + " "
                        + item.at("/metadata/labels/app").asText("-") + " "
                        + item.at("/status/phase").asText("-")));
        assertEquals(
                List.of(
                        "Node a - - -",
                        "Pod waiting a - Running",
                        "Pod one a - Running",
                        "Pod two - big Pending",
                        "Pod never - - Pending"),
                objects);
        CommandRun simulated = CommandRun.of("simulate", "--scheduler", "modern", "--cluster", path("moment.json"));
        assertEquals(1, simulated.code(), simulated.err());
        assertTrue(simulated.out().contains("two"), simulated.out());
    }

    /** A clone has its own controller, and the labels of its workload. */
    @Test
    void clonesAreInTheDumpOfAMoment() throws IOException {
        write("owned.csv", "time,name,owner,cpu,label.app\n1,web-1,web,1,web\n");
        CommandRun run = lab("at", "60s", "modern", "--arrivals", path("owned.csv"), "--scale-load=2");
        assertEquals("", run.err());
        List<String> pods = new ArrayList<>();
        for (JsonNode object : JSON.readTree(run.out()).path("items")) {
            if (object.path("kind").asText().equals("Pod")) {
                pods.add(object.at("/metadata/name").asText() + " "
                        + object.at("/metadata/ownerReferences/0/uid").asText() + " "
                        + object.at("/metadata/labels/app").asText());
            }
        }
        assertEquals(List.of("waiting  ", "waiting-x2  ", "web-1 web web", "web-1-x2 web-x2 web"), pods);
    }

    @Test
    void inputsThatMeasureNothingAreNamed() throws IOException {
        Path one = write("one.csv", "time,cpu\n5,1\n");
        Path prices = write("prices.csv", "m5.large,0.1\n");
        CommandRun run = lab("run", "modern", "--arrivals", one.toString(), "--price-table", prices.toString());
        assertEquals(
                "warning: " + prices + " has a price for no node of the snapshot\n"
                        + "warning: no pod arrives after the warm-up of 30s, so that pods and waits are not measured;"
                        + " set a shorter --warm-up\n",
                run.err());
        assertTrue(run.out().startsWith("modern: 0 pods placed, 0 unplaced, "), run.out());
        assertFalse(run.out().contains("mean wait"), run.out());
        Path missing = dir.resolve("missing");
        assertEquals(
                "error: no such directory: " + missing + "\n",
                CommandRun.of("lab", "run", "modern", "--trace", missing.toString())
                        .err());
        Path empty = Files.createDirectories(dir.resolve("empty"));
        assertEquals(
                "error: " + empty + ": there is no trace: neither files of lab record nor cluster.json\n",
                CommandRun.of("lab", "run", "modern", "--trace", empty.toString())
                        .err());
    }

    @ParameterizedTest
    @CsvSource({"ten", "-1", "NaN", "1e999"})
    void pricesAreNumbers(String price) throws IOException {
        Path prices = write("prices.csv", "NODE,PRICE\na,1\nb," + price + "\n");
        assertEquals(
                "error: " + prices + ":3: the price \"" + price + "\" is not a number, 0 or more\n",
                lab("run", "modern", "--arrivals", path("arrivals.csv"), "--price-table", prices.toString())
                        .err());
    }

    @Test
    void aFileIsNoFolderForResults() throws IOException {
        Path file = write("results", "");
        assertEquals(
                "error: cannot write " + file + ": it is a file, not a folder; use another name\n",
                lab("run", "modern", "--arrivals", path("arrivals.csv"), "--warm-up=0s", "--out", file.toString())
                        .err());
    }

    /** Otherwise, the pods of the missing lines would run to the end of the trace. */
    @Test
    void incompleteAndOtherFilesOfATraceAreNamed() throws IOException {
        Path trace = Files.createDirectories(dir.resolve("trace"));
        String name = "2026-11-28T08-0001.jsonl.gz";
        Path file = trace.resolve(name);
        Files.writeString(file, """
            {"line":"file","format":"policy-scheduler-trace","version":1,"start":"2026-11-28T08:00:00Z"}
            {"line":"begin","t":0,"serverVersion":"v1.34.1"}
            """);
        Path about = trace.resolve("trace.json");
        Files.writeString(about, "{\"files\": [{\"name\": \"" + name + "\", \"bytes\": " + Files.size(file) + "}]}");
        assertEquals(0, show(trace).code(), show(trace).err());
        Files.writeString(about, "{\"files\": [{\"name\": \"" + name + "\", \"bytes\": 9000}]}");
        String problem = "error: " + file + ": has " + Files.size(file) + " bytes, but " + about
                + " says 9000; copy the file again, or delete it\n";
        assertEquals(problem, show(trace).err());
        assertEquals(
                problem,
                CommandRun.of("lab", "run", "modern", "--trace", trace.toString())
                        .err());
        Files.writeString(
                about,
                "{\"files\": [{\"name\": \"" + name + "\", \"bytes\": " + Files.size(file) + ", \"sha256\": \"ab\"}]}");
        assertEquals(
                "error: " + file + ": its SHA-256 is not that in " + about + "; copy the file again, or delete it\n",
                show(trace).err());
        Files.writeString(about, "{\"files\": [");
        assertTrue(
                show(trace).err().startsWith("error: " + about + ": invalid JSON: "),
                show(trace).err());
        Files.delete(about);
        Files.writeString(file, "no trace");
        assertEquals(
                "error: " + file + ":1: not a file of a trace\n", show(trace).err());
        Files.delete(file);
        assertEquals(
                "error: " + trace + ": there is no trace, such as lab record writes\n",
                show(trace).err());
        assertEquals(
                "error: no such directory: " + dir.resolve("gone") + "\n",
                show(dir.resolve("gone")).err());
    }

    private static CommandRun show(Path trace) {
        return CommandRun.of("lab", "show", trace.toString());
    }

    @Test
    void onlyARecordStartsAtALaterMoment() {
        CommandRun run = lab("run", "modern", "--arrivals", path("arrivals.csv"), "--from", "1m");
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().contains("--from needs a trace of lab record"), run.err());
    }

    @ParameterizedTest
    @CsvSource({
        "noon, 2, is neither a time since the start",
        "1000h, 3, 'is not in the trace, which starts at 2024-01-01T00:00:00Z and lasts 10m30s'",
        "2023-12-31T00:00:00Z, 3, is not in the trace",
    })
    void momentsOutsideOfTheTraceAreRejected(String time, int code, String problem) {
        CommandRun run = lab("at", time, "modern", "--arrivals", path("arrivals.csv"));
        assertEquals(code, run.code(), run.err());
        assertTrue(run.err().contains(problem), run.err());
    }

    @Test
    void podsOfWorkloadsAreInTheDumpOnce() throws IOException {
        write("cluster.yaml", CLUSTER + """
            - {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs}, spec: {replicas: 2,
               template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}}
            """);
        CommandRun at =
                lab("at", "60s", "modern", "--arrivals", path("arrivals.csv"), "--output-file", path("moment.json"));
        assertEquals("", at.err());
        // Only the pod that needs 5 cores and the one that needs 3 wait.
        CommandRun simulated =
                CommandRun.of("simulate", "--scheduler", "modern", "--cluster", path("moment.json"), "-o", "json");
        assertEquals(2, JSON.readTree(simulated.out()).path("pods").size(), simulated.out());
    }

    private CommandRun limits(String expect, String... more) throws IOException {
        Path file = write("limits.yaml", "baseline: modern\ncandidate: provider:DefaultProvider\nexpect:\n" + expect);
        List<String> args = new ArrayList<>(List.of(
                "test",
                file.toString(),
                "--arrivals",
                path("arrivals.csv"),
                "--until=200s",
                "--warm-up=0s",
                "-o",
                "json"));
        args.addAll(List.of(more));
        return lab(args.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "unplaced.pods, == 1, 0, passed",
        "unplaced.pods, == 0, 1, failed",
        "unplaced.pods, <= baseline, 0, passed",
        "unplaced.pods, < baseline, 1, failed",
        "unplaced.pods, < 1.5 * baseline, 0, passed",
        "unplaced.pods, >= 2 * baseline, 1, failed",
        "wait.p99, <= 30, 0, not decided",
        "cost.total, <= baseline, 0, not decided",
    })
    void limitsAreChecked(String metric, String limit, int code, String outcome) throws IOException {
        CommandRun run = limits("  " + metric + ": \"" + limit + "\"\n");
        assertEquals(code, run.code(), run.err());
        assertEquals(outcome, JSON.readTree(run.out()).at("/limits/0/result").textValue(), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "wait.p99, about 3, is not a limit",
        "wait.p99, <= 2 * 3, is not a limit",
        "wait.p98, <= 3, there is no metric",
    })
    void limitsThatMeanNothingAreRejected(String metric, String limit, String problem) throws IOException {
        CommandRun run = limits("  " + metric + ": \"" + limit + "\"\n");
        assertEquals(3, run.code(), run.err());
        assertTrue(run.err().contains(problem), run.err());
    }

    @Test
    void comparesOnAPage() throws IOException {
        CommandRun run = lab(
                "compare",
                "modern",
                "provider:DefaultProvider",
                "--arrivals",
                path("arrivals.csv"),
                "--warm-up=0s",
                "--html",
                path("page.html"));
        assertEquals("", run.err());
        String page = Files.readString(dir.resolve("page.html"));
        assertTrue(page.contains("begin(labView)"), "the script of the view");
        assertTrue(
                page.contains("\"series\":[{\"scheduler\":\"modern\",\"samples\":[[0,0,"), "samples of the first run");
        assertTrue(page.contains("<p>modern: "), "the answer stands above everything");
    }

    private JsonNode pageOfTrace(String page, String... more) throws IOException {
        Path trace = Files.createDirectories(dir.resolve("a trace"));
        Files.writeString(trace.resolve("cluster.json"), CLUSTER);
        Files.writeString(trace.resolve("arrivals.csv"), ARRIVALS);
        List<String> args = new ArrayList<>(List.of(
                "lab",
                "compare",
                "modern",
                "provider:DefaultProvider",
                "--trace",
                trace.toString(),
                "--tie-break=first",
                "--until=200s",
                "--warm-up=0s",
                "--sample-every=100s",
                "--frag-memory",
                "--fail=b@150s",
                "--html",
                path(page)));
        args.addAll(List.of(more));
        CommandRun run = CommandRun.of(args.toArray(String[]::new));
        assertEquals("", run.err());
        Matcher data = Pattern.compile("id=\"data\">(.*?)</script>").matcher(Files.readString(dir.resolve(page)));
        assertTrue(data.find());
        return JSON.readTree(data.group(1));
    }

    /**
     * Node a has 4 cores, of which waiting uses 1 from 0.05 s on, one 2 from 10.05 s to 111.05 s, and two 3 from 111.1 s on; never does not
     * fit. Node b is empty, and fails.
     */
    @Test
    void aPageShowsWaitsNodesAndMoments() throws IOException {
        JsonNode page = pageOfTrace("page.html");
        JsonNode run = page.at("/series/0");
        assertEquals(
                "cpu 1 200",
                page.path("resource").asText() + " " + page.path("cellSeconds") + " " + page.path("endSeconds"));
        double mean = (1 * 9.95 + 3 * 101 + 1 * 0.1 + 4 * 88.9) / 800;
        assertEquals(
                JSON.readTree("[{\"first\": \"a\", \"last\": \"a\", \"nodes\": 1, \"mean\": " + LabReport.rounded(mean)
                        + ", \"cells\": \"" + "2".repeat(10) + "7".repeat(101) + "9" + "F".repeat(88) + "\"},"
                        + "{\"first\": \"b\", \"last\": \"b\", \"nodes\": 1, \"mean\": 0, \"cells\": \""
                        + "0".repeat(150) + ".".repeat(50) + "\"}]"),
                run.path("rows"));
        StringBuilder points = new StringBuilder("[0.04,0]");
        for (double seconds : new double[] {
            0.05, 0.063, 0.08, 0.1, 0.125, 0.16, 0.2, 0.25, 0.315, 0.4, 0.5, 0.63, 0.8, 1, 1.25, 1.6, 2, 2.5, 3.15, 4,
            5, 6.3, 8, 10, 12.5, 16, 20, 25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200
        }) {
            points.append(",[").append(LabReport.text(seconds)).append(seconds < 91.1 ? ",0.5]" : ",0.75]");
        }
        assertEquals(
                JSON.readTree("{\"bound\": 3, \"open\": 1, \"points\": [" + points + "]}")
                        .toString(),
                JSON.readTree(run.path("waits").toString()).toString());
        String options = " --trace '" + dir.resolve("a trace")
                + "' --tie-break first --until 200s --warm-up 0s --sample-every 100s --frag-memory --fail b@150s";
        assertEquals(
                List.of(
                        "default/never 30 170 false policy-scheduler lab at 1m55s modern" + options,
                        "default/two, quoted 20 91.1 true policy-scheduler lab at 1m5s modern" + options),
                lines(run.path("longest")));
        assertEquals(
                List.of(
                        "31 2 policy-scheduler lab at 31s modern" + options,
                        "0.05 1 policy-scheduler lab at 0.05s modern" + options,
                        "10.05 1 policy-scheduler lab at 10.05s modern" + options),
                lines(run.path("peaks")));
        assertEquals("provider:DefaultProvider", page.at("/series/1/scheduler").asText());
        assertTrue(
                page.at("/series/1/peaks/0/command").asText().contains(" lab at 31s provider:DefaultProvider --trace"));
        // The same inputs give the same bytes.
        assertEquals(page.toString(), pageOfTrace("again.html").toString());
    }

    private static List<String> lines(JsonNode objects) {
        List<String> lines = new ArrayList<>();
        for (JsonNode object : objects) {
            List<String> values = new ArrayList<>();
            object.forEach(value -> values.add(value.asText()));
            lines.add(String.join(" ", values));
        }
        return lines;
    }

    /** Each pod waits in the dump that its command prints, and so many pods do in that of a moment. */
    @Test
    void theCommandsOfAPagePrintItsMoments() throws IOException {
        JsonNode run = pageOfTrace("page.html", "--jitter=3s", "--seed=4").at("/series/1");
        for (JsonNode wait : run.path("longest")) {
            List<String> pending = pending(wait.path("command").asText());
            assertTrue(pending.contains(wait.path("pod").asText()), wait + " " + pending);
        }
        assertTrue(run.path("peaks").size() > 1, run.toString());
        for (JsonNode peak : run.path("peaks")) {
            assertEquals(
                    peak.path("pods").asInt(),
                    pending(peak.path("command").asText()).size(),
                    peak.toString());
        }
    }

    private static List<String> pending(String command) throws IOException {
        List<String> words = Pattern.compile("'([^']*)'|[^ ]+")
                .matcher(command)
                .results()
                .map(word -> word.group(1) == null ? word.group() : word.group(1))
                .toList();
        CommandRun at = CommandRun.of(words.subList(1, words.size()).toArray(String[]::new));
        assertEquals("", at.err());
        List<String> pending = new ArrayList<>();
        for (JsonNode object : JSON.readTree(at.out()).path("items")) {
            if (object.at("/status/phase").asText().equals("Pending")
                    || object.path("kind").asText().equals("Pod")
                            && object.at("/spec/nodeName").isMissingNode()) {
                pending.add(object.at("/metadata/namespace").asText("default") + "/"
                        + object.at("/metadata/name").asText());
            }
        }
        return pending;
    }

    /** Adds a scheduler to a list; all but modern have state. */
    private static SchedulerSpec parse(String name, List<SchedulerSpec> parsed) {
        SchedulerSpec spec = new SchedulerSpec(
                        name,
                        SchedulerSpec.Kind.MODERN,
                        List.of(),
                        Map.of(),
                        (cluster, tieBreak, adjustment) -> {
                            throw new AssertionError("not run");
                        },
                        SchedulerSpec.Volumes.NONE)
                .independent(name.equals("modern"));
        parsed.add(spec);
        return spec;
    }

    /** Rules have caches, and plugins may, so that concurrent runs must not share them. Too many runs would need too much memory. */
    @Test
    void aSchedulerWithStateIsParsedForItsRun() {
        List<SchedulerSpec> parsed = new ArrayList<>();
        RunSchedulers schedulers =
                new RunSchedulers(List.of("rules", "modern", "rules", "modern"), name -> parse(name, parsed));
        List<SchedulerSpec> first = List.copyOf(parsed);
        assertEquals(2, first.size());
        assertSame(first.get(0), schedulers.of("rules"));
        assertSame(first.get(1), schedulers.of("modern"));
        assertSame(first.get(1), schedulers.of("modern"));
        SchedulerSpec second = schedulers.of("rules");
        assertNotSame(first.get(0), second);
        assertNotSame(second, schedulers.of("rules"));
        assertEquals(
                List.of("rules", "modern", "rules", "rules"),
                parsed.stream().map(SchedulerSpec::name).toList());
    }
}
