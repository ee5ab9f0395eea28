package io.policyscheduler.cmd.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.ResultSchemasTest;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceReader;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;

class ImportTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder = Path.of("");

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private CommandRun convert(String... args) {
        List<String> all = new ArrayList<>(List.of("lab", "import"));
        all.addAll(List.of(args));
        all.addAll(List.of("--out", path("trace")));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private String arrivals() throws IOException {
        return Files.readString(folder.resolve("trace/arrivals.csv"));
    }

    @Test
    void mapsColumnsOfCsvLists() throws IOException {
        String mapping = write("mapping.yaml", """
            pods:
              time: {column: submit, unit: 0.001}
              duration: {column: stop, minus: submit, unit: 0.001}
              name: job
              cpu: {column: percent, unit: 0.01}
              memory: {column: mib, suffix: Mi}
              priority: {value: 5}
              label.team: team
            nodes:
              name: host
              cpu: cores
              memory: {value: 8Gi}
              resource.example.com/gpu: gpus
              label.type: model
            """);
        String pods = write(
                "pods.csv", "job,team,submit,stop,percent,mib\nb,\"x, y\",1500000,1562500,250,512\na,z,1400000,,50,\n");
        String nodes = write("nodes.csv", "host,cores,gpus,model\nn0,8,2,T4\nn1,4,,V\n");
        CommandRun run = convert("csv", pods, nodes, "--mapping", mapping);
        assertEquals("wrote 2 nodes and 2 arrivals to " + path("trace") + "\n", run.out(), run.err());
        assertEquals("""
            time,duration,name,cpu,memory,priority,label.team
            0,,a,0.5,,5,z
            100,62.5,b,2.5,512Mi,5,"x, y"
            """, arrivals());
        JsonNode items =
                JSON.readTree(folder.resolve("trace/cluster.json").toFile()).path("items");
        assertEquals(
                "{\"cpu\":\"8\",\"memory\":\"8Gi\",\"example.com/gpu\":\"2\",\"pods\":\"1000\"}",
                items.at("/0/status/allocatable").toString());
        assertEquals(
                "{\"type\":\"V\",\"kubernetes.io/hostname\":\"n1\"}",
                items.at("/1/metadata/labels").toString());
        CommandRun result =
                CommandRun.of("lab", "run", "modern", "--trace", path("trace"), "--warm-up", "0s", "-o", "json");
        assertEquals(2, JSON.readTree(result.out()).at("/metrics/pods.placed").asInt(), result.err());
    }

    @Test
    void readsDatesOfCsvLists() throws IOException {
        String mapping = write(
                "mapping.yaml",
                "pods: {time: {column: at, format: \"yyyy-MM-dd HH:mm:ss\"}, end: {column: until}, duration: {column:"
                        + " until, minus: from}}");
        String pods = write(
                "pods.csv", "at,from,until\n2026-01-02 03:04:05,2026-01-02T03:05:00Z,2026-01-02T04:06:00.5+01:00\n");
        CommandRun run = convert("csv", pods, "--mapping", mapping);
        assertEquals("wrote 0 nodes and 1 arrivals to " + path("trace") + "\n", run.out(), run.err());
        assertEquals("time,end,duration\n2026-01-02T03:04:05Z,2026-01-02T03:06:00.500Z,60.5\n", arrivals());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        pods: {cpu: a}|pods: time is missing
        pods: {time: b}|there is no column "b", of which the mapping makes time
        pods: {time: a, gpu: a}|unknown name "gpu"
        pods: {time: {colum: a}}|unknown field "colum"
        pods: {time: {column: a, unit: ms}}|unit: "ms" is not a number
        pods: {time: a, priority: {column: c, unit: 2}}|pods.csv:2: priority: "high" is not a number
        pods: {time: {column: c}}|pods.csv:2: time: "high" is not a number
        pods: {time: {column: a, format: yyyy}}|pods.csv:2: time: "1" is not a time
        {pods: {time: a}, nodes: {name: a}}|there is no list of nodes
        {pods: {time: a}, node: {}}|unknown field "node"
        """)
    void namesWhatIsWrongWithAMapping(String mapping, String problem) throws IOException {
        CommandRun run =
                convert("csv", write("pods.csv", "a,c\n1,high\n"), "--mapping", write("mapping.yaml", mapping));
        assertTrue(run.err().contains(problem), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        1,1e999999999|"1e999999999" has more than 18 digits
        1,1e-999999999|"1e-999999999" has more than 18 digits
        1,2026-01-02T03:04:05Z|some times are seconds, and others are dates
        1,2026-01-02T25:00|"2026-01-02T25:00" is not a time of the form of RFC 3339
        """)
    void namesWhatIsWrongWithACell(String row, String problem) throws IOException {
        CommandRun run = convert(
                "csv",
                write("pods.csv", "a,c\n" + row + "\n"),
                "--mapping",
                write("mapping.yaml", "pods: {time: a, end: c}"));
        assertTrue(run.err().contains("pods.csv:2: ") && run.err().contains(problem), run.err());
    }

    @Test
    void makesPodsOfJobs() throws IOException {
        String log = write("log.swf", """
            ; Version: 2.2
            ; UnixStartTime: 820454400
            ; MaxNodes: 2 (SP2)
            ; MaxProcs: 16
            1 0 5 60 3 -1 -1 3 100 -1 1 7 1 -1 2 -1 -1 -1
            2 10.5 -1 30 20 -1 -1 -1 -1 -1 0 -1 -1 -1 -1 1 -1 -1
            3 20 -1 -1 -1 -1 -1 4 -1 -1 5 7 1 -1 2 -1 -1 -1
            4 30 1 10 4 -1 -1 4 -1 -1 2 7 1 -1 2 -1 -1 -1
            """);
        CommandRun run = convert("swf", log);
        assertEquals(
                "wrote 2 nodes and 4 arrivals to " + path("trace")
                        + "\nskipped: 1 (jobs without a run time or processors)\n",
                run.out(),
                run.err());
        assertEquals("""
            time,duration,name,namespace,cpu,label.job,label.queue,label.partition
            1996-01-01T00:00:00Z,60,job-1-0,user-7,3,1,2,
            1996-01-01T00:00:10.500Z,30,job-2-0,,8,2,,1
            1996-01-01T00:00:10.500Z,30,job-2-1,,8,2,,1
            1996-01-01T00:00:10.500Z,30,job-2-2,,4,2,,1
            """, arrivals());
        CommandRun result =
                CommandRun.of("lab", "run", "modern", "--trace", path("trace"), "--warm-up", "0s", "-o", "json");
        assertEquals(4, JSON.readTree(result.out()).at("/metrics/pods.placed").asInt(), result.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        1 2 3|log.swf:1: 3 fields, but a job has 18
        1 0 5 60 3 -1 -1 x 100 -1 1 7 1 -1 2 -1 -1 -1|log.swf:1: "x" is not a number
        1 0 5 60 1e9 -1 -1 1 100 -1 1 7 1 -1 2 -1 -1 -1|log.swf:1: "1e9" is not a number of at most 15 digits
        ; Version: 2|the header has neither MaxNodes nor MaxProcs
        ; MaxNodes: 1000001|the header has 1000001 nodes, more than 1000000
        ; MaxProcs: 99999999999999999999|log.swf:1: MaxProcs: 99999999999999999999 has more than 15 digits
        '; MaxNodes: 2~1 0 5 60 -1 -1 -1 2000002 100 -1 1 7 1 -1 2 -1 -1 -1'|job 1 has 2000002 processors
        """)
    void namesWhatIsWrongWithAWorkload(String text, String problem) throws IOException {
        CommandRun run = convert("swf", write("log.swf", text.replace('~', '\n') + "\n"));
        assertTrue(run.err().contains(problem), run.err());
    }

    private static final String EARLIER = "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"";

    private static String node(String name, String more) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + name + "\",\"uid\":\"u-" + name
                + "\""
                + more + "},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"pods\":\"10\"},\"conditions\":"
                + "[{\"type\":\"Ready\",\"status\":\"True\"}]}}";
    }

    private static String pod(String name, String more, String node, String phase) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" + name
                + "\",\"namespace\":\"default\",\"uid\":\"u-" + name + "\"" + more + "},\"spec\":{"
                + (node.isEmpty() ? "" : "\"nodeName\":\"" + node + "\",")
                + "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"phase\":\""
                + phase + "\"}}";
    }

    private static String record(int second, String event, String object) {
        return String.format(
                "{\"time\":\"2026-01-01T01:00:%02dZ\",\"event\":\"%s\",\"resource\":%s}%n", second, event, object);
    }

    private List<String> facts(String trace) throws IOException {
        List<String> facts = new ArrayList<>();
        for (TraceFiles.TraceFile file : TraceFiles.of(folder.resolve(trace)).list()) {
            TraceReader.read(file, text -> true, line -> {
                JsonNode fields = line.fields();
                facts.add((fields.path("t").decimalValue().toPlainString() + " " + line.kind() + " "
                                + fields.path("uid").asText()
                                + fields.at("/object/metadata/name").asText()
                                + fields.path("key").asText() + " "
                                + fields.path("node").asText()
                                + fields.path("how").asText()
                                + fields.path("verb").asText())
                        .strip());
            });
        }
        facts.removeIf(fact -> fact.contains(" tpl"));
        return facts;
    }

    private static final List<String> DAY = List.of(
            "0 begin",
            "0 snap a",
            "0 snap old",
            "5 pod u-new",
            "6 bind u-new a",
            "7 run u-new",
            "8 obj bb add",
            "9 end u-old Deleted",
            "10 end u-new Succeeded",
            "11 obj b delete");

    private String day() throws IOException {
        return write(
                "record.jsonl",
                record(0, "Add", "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"}}")
                        + record(0, "Add", node("a", "," + EARLIER))
                        + record(0, "Add", pod("old", "," + EARLIER, "a", "Running"))
                        + record(5, "Add", pod("new", "", "", "Pending"))
                        + record(6, "Update", pod("new", "", "a", "Pending"))
                        + record(7, "Update", pod("new", "", "a", "Running"))
                        + record(8, "Add", node("b", ""))
                        + record(
                                9,
                                "Delete",
                                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"old\",\"namespace\":\"default\"}}")
                        + record(10, "Update", pod("new", "", "a", "Succeeded"))
                        + record(
                                11,
                                "Delete",
                                "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}}"));
    }

    @Test
    void readsAndWritesRecordsOfTheSimulator() throws IOException {
        CommandRun run = convert("kss", day(), "-o", "json");
        ResultSchemasTest.assertValid("lab-import", run.out());
        assertEquals(1, JSON.readTree(run.out()).path("nodes").asInt());
        assertEquals(1, JSON.readTree(run.out()).path("arrivals").asInt());
        assertEquals(DAY, facts("trace"));
        assertEquals(
                1,
                RecordedTrace.open(folder.resolve("trace"))
                        .contents(FeatureGates.defaults(), warning -> {})
                        .arrivals()
                        .size());
        CommandRun exported = CommandRun.of("lab", "export", "kss", path("trace"), "--out", path("again.jsonl"));
        assertEquals("wrote 10 lines to " + path("again.jsonl") + "\n", exported.out(), exported.err());
        List<String> lines = Files.readAllLines(folder.resolve("again.jsonl"));
        assertEquals(
                "{\"time\":\"2026-01-01T01:00:11Z\",\"event\":\"Delete\","
                        + "\"resource\":{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                        + "\"metadata\":{\"name\":\"b\"}}}",
                lines.get(lines.size() - 1));
        CommandRun again = CommandRun.of("lab", "import", "kss", path("again.jsonl"), "--out", path("second"));
        assertEquals("", again.err());
        assertEquals(DAY, facts("second"));
        assertTrue(convert("kss", day()).err().contains("there is a trace; name another directory"));
    }

    /** A change as kwokctl records it; its times are nanoseconds since the start. */
    private static String patch(int second, String method, String resource, String name, String template) {
        return String.format(
                "---%napiVersion: action.kwok.x-k8s.io/v1alpha1%ndurationNanosecond: %d000000000%nkind: ResourcePatch%n"
                        + "method: %s%nresource:%n  resource: %s%n  version: v1%ntarget:%n  name: %s%n%s%s",
                second,
                method,
                resource,
                name,
                resource.equals("pods") ? "  namespace: default\n" : "",
                template.isEmpty() ? "" : "template: " + template + "\n");
    }

    @Test
    void readsRecordsOfKwok() throws IOException {
        String before = ",\"creationTimestamp\":\"$(time-offset-nanosecond -3600000000000)\"";
        // Created between the start of kwokctl and its list.
        String meanwhile = ",\"creationTimestamp\":\"$(time-offset-nanosecond 200000000)\"";
        String added = pod("new", ",\"creationTimestamp\":\"$(time-offset-nanosecond 4900000000)\"", "", "Pending");
        String file = write(
                "record.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\n---\n"
                        + node("a", before)
                        + "\n---\n"
                        + pod("old", meanwhile, "a", "Running")
                        + "\n"
                        + patch(1, "patch", "configmaps", "x", "{data: {a: b}}")
                        + patch(
                                2,
                                "patch",
                                "nodes",
                                "a",
                                "{status: {$setElementOrder/conditions: [{type: DiskPressure}, {type: Ready}],"
                                        + " conditions: [{type: DiskPressure, status: 'False'}]}}")
                        + patch(3, "patch", "pods", "unknown", "{status: {phase: Running}}")
                        + patch(5, "create", "pods", "new", added)
                        + patch(6, "patch", "pods", "new", "{spec: {nodeName: a}}")
                        + patch(
                                7,
                                "patch",
                                "pods",
                                "new",
                                "{status: {phase: Running, startTime: $(time-offset-nanosecond 6500000000)}}")
                        + patch(8, "create", "nodes", "b", node("b", ""))
                        + patch(9, "delete", "pods", "old", "")
                        + patch(10, "patch", "pods", "new", "{status: {phase: Succeeded}}")
                        + patch(11, "delete", "nodes", "b", ""));
        CommandRun run = convert("kwok", file);
        assertEquals(
                "wrote 1 nodes and 1 arrivals to " + path("trace")
                        + "\nskipped: 1 (patches of objects that the record does not contain)\n",
                run.out(),
                run.err());
        List<String> facts = new ArrayList<>(DAY);
        facts.add(3, "2 obj a update");
        assertEquals(facts, facts("trace"));
        RecordedTrace trace = RecordedTrace.open(folder.resolve("trace"));
        assertEquals(KwokRecord.START, trace.start());
        JsonNode items = trace.at(KwokRecord.START.plusSeconds(6)).path("items");
        assertEquals(
                "[{\"type\":\"DiskPressure\",\"status\":\"False\"},{\"type\":\"Ready\",\"status\":\"True\"}]",
                items.at("/0/status/conditions").toString());
        assertEquals(
                "2000-01-01T00:00:00.200Z",
                items.at("/1/metadata/creationTimestamp").asText());
        assertEquals("new", items.at("/2/metadata/name").asText());
    }

    private static String request(int second, String verb, String resource, String name, String part, String objects) {
        return String.format(
                "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"RequestResponse\","
                        + "\"auditID\":\"x\","
                        + "\"stage\":\"ResponseComplete\",\"verb\":\"%s\","
                        + "\"objectRef\":{\"resource\":\"%s\",%s\"name\":\"%s\"%s,"
                        + "\"apiVersion\":\"v1\"},\"responseStatus\":{\"code\":200},\"requestReceivedTimestamp\":"
                        + "\"2026-01-01T01:00:00.000000Z\",\"stageTimestamp\":\"2026-01-01T01:00:%02d.000000Z\"%s}%n",
                verb,
                resource,
                resource.equals("pods") ? "\"namespace\":\"default\"," : "",
                name,
                part.isEmpty() ? "" : ",\"subresource\":\"" + part + "\"",
                second,
                objects);
    }

    @Test
    void readsAuditLogs() throws IOException {
        String graceful = pod("old", "," + EARLIER + ",\"deletionGracePeriodSeconds\":30", "a", "Running");
        String log = write(
                "audit.log",
                request(0, "patch", "nodes", "a", "status", ",\"responseObject\":" + node("a", "," + EARLIER))
                        + request(
                                0,
                                "patch",
                                "pods",
                                "old",
                                "status",
                                ",\"responseObject\":" + pod("old", "," + EARLIER, "a", "Running"))
                        + request(1, "list", "pods", "", "", "")
                        + request(
                                        2,
                                        "create",
                                        "pods",
                                        "refused",
                                        "",
                                        ",\"responseObject\":" + pod("refused", "", "", "Pending"))
                                .replace("\"code\":200", "\"code\":403")
                        + request(
                                5, "create", "pods", "new", "", ",\"responseObject\":" + pod("new", "", "", "Pending"))
                        + request(
                                6,
                                "create",
                                "pods",
                                "new",
                                "binding",
                                ",\"requestObject\":{\"kind\":\"Binding\",\"target\":{\"kind\":\"Node\","
                                        + "\"name\":\"a\"}},"
                                        + "\"responseObject\":{\"kind\":\"Status\"}")
                        + request(
                                7,
                                "patch",
                                "pods",
                                "new",
                                "status",
                                ",\"requestObject\":{\"status\":{\"phase\":\"Running\"}}")
                        + request(8, "create", "nodes", "b", "", ",\"requestObject\":" + node("b", ""))
                        + request(
                                8,
                                "patch",
                                "nodes",
                                "b",
                                "status",
                                ",\"requestObject\":{\"status\":{\"conditions\":[]}}")
                        + request(8, "delete", "pods", "old", "", ",\"responseObject\":" + graceful)
                        + request(9, "delete", "pods", "old", "", ",\"responseObject\":{\"kind\":\"Status\"}")
                        + request(
                                10,
                                "patch",
                                "pods",
                                "new",
                                "status",
                                ",\"requestObject\":{\"status\":{\"phase\":\"Succeeded\"}}")
                        + request(11, "delete", "nodes", "b", "", ""));
        CommandRun run = convert("audit", log);
        assertEquals(
                "wrote 1 nodes and 1 arrivals to " + path("trace")
                        + "\nskipped: 1 (requests of which the log has no object)\n",
                run.out(),
                run.err());
        assertEquals(DAY, facts("trace"));
    }

    /** Writes JSON as MessagePack. A key that is the text of an array or of a number becomes one, as in the traces of SimKube. */
    private static void pack(MessagePacker out, JsonNode value) throws IOException {
        if (value.isTextual()) {
            out.packString(value.textValue());
        } else if (value.isIntegralNumber()) {
            out.packBigInteger(value.bigIntegerValue());
        } else if (value.isDouble()) {
            out.packDouble(value.doubleValue());
        } else if (value.isBoolean()) {
            out.packBoolean(value.booleanValue());
        } else if (value.isArray()) {
            out.packArrayHeader(value.size());
            for (JsonNode item : value) {
                pack(out, item);
            }
        } else if (value.isObject()) {
            out.packMapHeader(value.size());
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                String key = field.getKey();
                pack(out, key.matches("\\[.*|\\d+") ? JSON.readTree(key.replace('~', '"')) : JSON.valueToTree(key));
                pack(out, field.getValue());
            }
        } else {
            out.packNil();
        }
    }

    private String simkube(String json) throws IOException {
        try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
            pack(out, JSON.readTree(json.replace('\'', '"')));
            return Files.write(folder.resolve("trace.sktrace"), out.toByteArray())
                    .toString();
        }
    }

    private static String owner(String version, String kind, String name, String spec) {
        return "{'apiVersion':'" + version + "','kind':'" + kind + "','metadata':{'namespace':'shop','name':'" + name
                + "'},'spec':" + spec + "}";
    }

    private static String template(String cpu) {
        return "{'metadata':{'labels':{'app':'a'},'creationTimestamp':null},'spec':{'priority':-5,'hostNetwork':false,"
                + "'nodeName':'gone','volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}],"
                + "'containers':[{'name':'c','image':'nginx','command':['x'],'resources':{'requests':{'cpu':'" + cpu
                + "'}}}]}}";
    }

    @Test
    void makesPodsOfTracesOfSimkube() throws IOException {
        String web = "{'replicas':%d,'template':%s,'strategy':{'weight':0.5}}";
        String nightly =
                owner("batch/v1", "CronJob", "nightly", "{'jobTemplate':{'spec':{'template':" + template("2") + "}}}");
        String jobs = "{'jobs':[{'template':" + template("3") + "}]}";
        String bare = owner("v1", "Pod", "bare", template("1").replaceAll(".*'spec':|}$", ""));
        String file = simkube("{'version':3,'config':{'trackedObjects':{'apps/v1.Deployment':{},"
                + "'example.com/v1.Batch':{'podSpecTemplatePaths':['/spec/jobs/0/template'],'trackLifecycle':true}}},"
                + "'tracked_objects':{},'events':["
                + "{'ts':1700000000,'applied_objs':["
                + owner("apps/v1", "Deployment", "web", String.format(web, 2, template("1")))
                + "," + nightly
                + "," + owner("example.com/v1", "Batch", "batch", jobs)
                + "," + owner("apps/v1", "DaemonSet", "agent", "{'template':" + template("1") + "}")
                + "],'deleted_objs':[]},"
                + "{'ts':1700000010,'applied_objs':["
                + owner("apps/v1", "Deployment", "web", String.format(web, 3, template("1")))
                + ","
                + owner("batch/v1", "Job", "once", "{'parallelism':3,'completions':2,'template':" + template("4") + "}")
                + "," + bare
                + "],'deleted_objs':[]},"
                + "{'ts':1700000020,'applied_objs':["
                + owner("apps/v1", "Deployment", "web", String.format(web, 1, template("1")))
                + "," + bare.replace("nginx", "nginx:2")
                + "],'deleted_objs':[" + owner("batch/v1", "Job", "once", "{}") + "]},"
                + "{'ts':1700000030,'applied_objs':["
                + owner("apps/v1", "Deployment", "web", String.format(web, 1, template("5")))
                + "],'deleted_objs':[" + nightly + "]}],'pod_lifecycles':{"
                + "'[~batch/v1.CronJob~,~shop/nightly~]':{'10855072724872030168':[{'Finished':[1699999990,1700000015]},"
                + "{'Running':1700000025},'Empty']},"
                + "'[~example.com/v1.Batch~,~shop/batch~]':{'7':[{'Finished':[1700000002,1700000005]}]},"
                + "'[~v1.Pod~,~shop/bare~]':{'8':[{'Finished':[1700000012,1700000019]}]}}}");
        CommandRun run = convert("simkube", file);
        assertEquals(
                "wrote 0 nodes and 10 arrivals to " + path("trace")
                        + "\nskipped: 1 (objects whose pods the trace does not describe)\n",
                run.out(),
                run.err());
        assertEquals(
                List.of(
                        "time,duration,end,name,namespace,restarts,template",
                        "2023-11-14T22:13:20Z,,2023-11-14T22:13:50Z,web-0,shop,true,template-0",
                        "2023-11-14T22:13:20Z,,2023-11-14T22:13:40Z,web-1,shop,true,template-0",
                        "2023-11-14T22:13:20Z,25,,nightly-0,shop,true,template-1",
                        "2023-11-14T22:13:22Z,3,,batch-0,shop,true,template-2",
                        "2023-11-14T22:13:30Z,,2023-11-14T22:13:40Z,web-2,shop,true,template-0",
                        "2023-11-14T22:13:30Z,,2023-11-14T22:13:40Z,once-0,shop,true,template-3",
                        "2023-11-14T22:13:30Z,,2023-11-14T22:13:40Z,once-1,shop,true,template-3",
                        "2023-11-14T22:13:30Z,7,,bare,shop,false,template-4",
                        "2023-11-14T22:13:45Z,,2023-11-14T22:13:50Z,nightly-1,shop,true,template-1",
                        "2023-11-14T22:13:50Z,,,web-3,shop,true,template-5"),
                arrivals().lines().toList());
        JsonNode templates =
                JSON.readTree(folder.resolve("trace/templates.json").toFile()).path("items");
        assertEquals(
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"app\":\"a\"},"
                        + "\"namespace\":\"shop\","
                        + "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
                        + "\"name\":\"web\",\"uid\":"
                        + "\"Deployment/shop/web\",\"controller\":true}],\"name\":\"template-0\"},"
                        + "\"spec\":{\"priority\":-5,"
                        + "\"hostNetwork\":false,\"containers\":[{\"name\":\"c\",\"image\":\"nginx\","
                        + "\"resources\":{\"requests\":"
                        + "{\"cpu\":\"1\"}}}]}}",
                templates.path(0).toString());
        CommandRun result = CommandRun.of(
                "lab",
                "run",
                "modern",
                "--cluster",
                write("nodes.json", node("a", "").replace("\"cpu\":\"4\"", "\"cpu\":\"64\"")),
                "--arrivals",
                path("trace/arrivals.csv"),
                "--templates",
                path("trace/templates.json"),
                "--warm-up",
                "0s",
                "-o",
                "json");
        assertEquals(10, JSON.readTree(result.out()).at("/metrics/pods.placed").asInt(), result.err());
    }

    @Test
    void namesWhatIsWrongWithATraceOfSimkube() throws IOException {
        CommandRun run = convert("simkube", simkube("{'version':1,'events':[]}"));
        assertEquals(
                "error: " + path("trace.sktrace") + ": version 1 is unsupported; the versions are 2 and 3\n",
                run.err());
        run = convert("simkube", simkube("{'version':2,'events':7}"));
        assertEquals(
                "error: " + path("trace.sktrace") + ": this is no trace of SimKube: it has no version or no events\n",
                run.err());
        run = convert(
                "simkube",
                Files.write(folder.resolve("cut"), new byte[] {(byte) 0xde, 0, 2})
                        .toString());
        assertEquals("error: " + path("cut") + ": the file is incomplete, or it is no trace of SimKube\n", run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        kss|{"time":"2026-01-01T01:00:00Z","event":"Gone","resource":{"kind":"Pod"}}|:1: event: "Gone" is not Add, Update, or Delete
        kss|{"kind":"Event"}|:1: this is no record of kube-scheduler-simulator
        kss|{"time":"noon","event":"Add","resource":{"kind":"Pod"}}|:1: time: "noon" is not a time of RFC 3339
        kss|{"time":"2026-01-01T01:00:00Z","event":"Add","resource":{"kind":"Pod","metadata":{"name":"p","uid":"u","creationTimestamp":"x"}}}|:1: creationTimestamp: "x" is not a time
        kss|{|:1:
        kss|{"time":"2026-01-01T01:00:00Z","event":"Add","resource":{"kind":"Pod","metadata":{"name":"p","namespace":"n"}}}|:1: pod n/p has no metadata.uid
        kwok|{"a":1}|:1: this is no record of kwokctl: the field kind is missing
        kwok|{"kind":"Pod","metadata":{"name":"p","namespace":"n"}}|:1: pod n/p has no metadata.uid
        kwok|{"apiVersion":"action.kwok.x-k8s.io/v1alpha1","kind":"ResourcePatch","durationNanosecond":"1s"}|:1: durationNanosecond: "1s" is not a number of nanoseconds
        kwok|{"apiVersion":"action.kwok.x-k8s.io/v1alpha1","kind":"ResourcePatch","durationNanosecond":1,"resource":{"resource":"pods"},"method":"apply"}|:1: method: "apply" is not create, patch, or delete
        kwok|{"apiVersion":"action.kwok.x-k8s.io/v1alpha1","kind":"ResourcePatch","durationNanosecond":1,"resource":{"resource":"pods"},"method":"create"}|:1: template: the object or the patch is missing
        kwok|a: [|file:
        simkube|{"version"|file: this is no trace of SimKube
        audit|{"kind":"Pod"}|:1: this is no event of an audit log
        audit|{"kind":"Event","auditID":"x"}|must record nodes and pods with the level RequestResponse
        openb|x|openb takes PODS NODES, not 1 files
        csv|x|csv requires --mapping FILE
        """)
    void namesWhatIsWrongWithARecord(String format, String text, String problem) throws IOException {
        CommandRun run = convert(format, write("file", text + "\n"));
        assertTrue(run.err().contains(problem), run.err());
    }
}
