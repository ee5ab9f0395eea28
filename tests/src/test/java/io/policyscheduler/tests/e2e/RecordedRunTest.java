package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code lab replay} makes the decisions of {@code run --record} again: the same pods in the same order, on the same nodes, with the same
 * victims, over churn, preemption, a change of the policy, and a kill of the scheduler. {@code -Drecorded.nodes=1000
 * -Drecorded.pods=20000} runs a large cluster.
 */
class RecordedRunTest {
    private static final String POLICY_CHANGE = "\"change\":\"policy\"";
    /** Otherwise, a recording that ends between the two lines could not be replayed. */
    private static final Pattern POLICY_BEFORE_ITS_CHANGE = Pattern.compile(
            "\\{\"line\":\"policy\",\"t\":[^,]*,\"generation\":2,(?s:.*)" + Pattern.quote(POLICY_CHANGE));

    private static final int NODES = Integer.getInteger("recorded.nodes", 50);
    private static final int PODS = Integer.getInteger("recorded.pods", 300);
    /** So that the pods of low priority leave little free, and those of high priority have to preempt. */
    private static final String CPU = String.valueOf(4 * PODS / (3 * NODES));

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String CURRENT = "current-scheduler";
    private static final Pattern RESULT =
            Pattern.compile("compared (\\d+) decisions in (?:1 part|2 parts): (\\d+) differ\\n$");
    private static final String SPREADING =
            "{'kind':'Policy','apiVersion':'v1','predicates':[{'name':'GeneralPredicates'},"
                    + "{'name':'PodToleratesNodeTaints'}],'priorities':[{'name':'LeastRequestedPriority','weight':1}]}";
    private static final String PACKING = SPREADING.replace("LeastRequested", "MostRequested");

    private final LiveCluster live = new LiveCluster();
    private final Path folder;
    private int bindings;

    RecordedRunTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Program run() {
        return run(live, "modern");
    }

    private Program run(LiveCluster cluster, String profile) {
        Program program = Program.start(
                folder,
                "run",
                "--master",
                cluster.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--policy-config-file",
                policy().toString(),
                "--profile",
                CURRENT + "=" + profile,
                "--tie-break",
                "random",
                "--record",
                recording().toString());
        program.awaitOutput("scheduling pods of " + CURRENT);
        return program;
    }

    private Path policy() {
        return folder.resolve("policy.json");
    }

    private Path recording() {
        return folder.resolve("recording");
    }

    private void write(String policy) throws IOException {
        Files.writeString(policy(), policy.replace('\'', '"'));
    }

    /** Creates pods of both schedulers in turn. */
    private void create(String prefix, int count, String cpu, String priorityClass) {
        for (int i = 0; i < count; i++) {
            ObjectNode pod = Manifest.podWithPriority(prefix + i, cpu, priorityClass);
            pod.withObject("/spec").put("schedulerName", i % 2 == 0 ? Manifest.SCHEDULER : CURRENT);
            pod.withObject("/metadata/labels").put("app", prefix);
            live.api().createPod(pod);
        }
        bindings += count;
    }

    /** Waits until all pods that were created have been bound, whether they still exist or not. */
    private void awaitBound() {
        Await.until(
                LiveCluster.PATIENCE.multipliedBy(1 + PODS / 1000),
                bindings + " pods have been bound",
                () -> live.audit().bound() >= bindings,
                live::state);
    }

    /** Deletes each pod whose number is a multiple of the step, unless it was preempted. */
    private void delete(String prefix, int count, int step) {
        for (int i = 0; i < count; i += step) {
            if (live.cluster().get("pods", "default", prefix + i).isPresent()) {
                live.api().deletePod(prefix + i);
            }
        }
    }

    @Test
    void makesTheSameDecisionsAgain() throws IOException {
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        live.addNodes(NODES, CPU);
        write(SPREADING);
        try (Program program = run()) {
            create("low", PODS * 6 / 10, "2", "low");
            awaitBound();
            delete("low", PODS * 6 / 10, 10);
            create("more", PODS / 10, "2", "low");
            // Otherwise those of high priority could take their room first.
            awaitBound();
            create("high", PODS / 10, "4", "high");
            awaitBound();
            write(PACKING);
            program.awaitOutput("policy generation 2 is now in effect");
            delete("high", PODS / 10, 2);
            create("packed", PODS / 10, "1", "low");
            awaitBound();
            // A kill can lose what was not written in the last half second.
            Await.until(
                    LiveCluster.PATIENCE,
                    "the change of the policy is recorded",
                    this::policyChangeIsRecorded,
                    live::state);
            program.kill();
            program.awaitEnd();
        }
        live.api().deleteNode("n1");
        try (Program program = run()) {
            delete("high", PODS / 10, 1);
            create("late", PODS / 10, "1", "low");
            awaitBound();
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
        }
        String lines = text(files());
        assertImported();
        Replay replay = replay();
        assertAll(
                () -> assertEquals(0, replay.code(), replay::out),
                () -> assertEquals(0, replay.different(), replay::out),
                () -> assertTrue(replay.decisions() >= bindings - PODS / 10, replay::out),
                () -> assertTrue(lines.contains("\"victims\":[\"default/"), "no pod has preempted"),
                () -> assertTrue(
                        POLICY_BEFORE_ITS_CHANGE.matcher(lines).find(),
                        "the new policy is not recorded before it takes effect"));

        change(
                "a decision",
                line -> line.contains("\"line\":\"dec\"") && line.contains("\"kind\":\"placed\"")
                        ? line.replaceFirst("\"node\":\"n\\d+\"", "\"node\":\"elsewhere\"")
                        : line);
        assertEquals(new Replay(1, replay.decisions(), 1, ""), replay().withoutText());
        change(
                "the request of a pod",
                line -> line.contains("\"change\":\"put\"")
                                && line.contains("\"kind\":\"Pod\"")
                                && !line.contains("\"nodeName\"")
                        ? line.replaceFirst("\"cpu\":\"\\d+\"", "\"cpu\":\"1000\"")
                        : line);
        assertTrue(replay().different() > 1, "a pod that fits nowhere makes no difference");
    }

    /** The victim waits for a volume that nobody provisions, so its binding is cancelled, and its pod is not deleted. */
    @Test
    void cancelsTheBindingOfAVictimAgain() throws IOException {
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        live.cluster().load(FakeVolumeController.storageClass("slow", "example.com/nobody"));
        live.cluster().load(FakeVolumeController.claim("data", "slow"));
        live.addNodes(1, "4");
        write(SPREADING);
        try (Program program = run(live, "modern@1.36")) {
            live.api().createPod(ofCurrent(Manifest.withClaim(Manifest.podWithPriority("victim", "4", "low"), "data")));
            Await.until(
                    LiveCluster.PATIENCE,
                    "the claim has a node",
                    () -> live.cluster().get("persistentvolumeclaims", "default", "data").stream()
                            .anyMatch(claim ->
                                    claim.path("metadata").path("annotations").has(ClaimInfo.SELECTED_NODE)),
                    live::state);
            live.api().createPod(ofCurrent(Manifest.podWithPriority("urgent", "4", "high")));
            live.awaitBound("urgent");
            Await.until(
                    LiveCluster.PATIENCE,
                    "the victim is retried",
                    () -> live.events("victim", "FailedScheduling").stream()
                            .anyMatch(message -> message.contains("Insufficient cpu")),
                    live::state);
            program.signal("TERM");
            assertEquals(0, program.awaitEnd(), program::output);
        }
        assertEquals("", live.nodeOf("victim"));
        assertTrue(live.events("victim", "FailedScheduling").contains("preempted by DefaultPreemption"), live::state);
        Replay replay = replay();
        assertAll(
                () -> assertEquals(0, replay.code(), replay::out),
                () -> assertEquals(0, replay.different(), replay::out),
                () -> assertTrue(replay.decisions() >= 4, replay::out));
        change(
                "the cancelled binding",
                line -> line.contains("preempted by DefaultPreemption") && line.contains("\"cancel\"")
                        ? line.replaceFirst("\"token\":\\d+", "\"token\":99")
                        : line);
        assertTrue(replay().different() > 0, "the cancelled binding makes no difference");
    }

    private static ObjectNode ofCurrent(ObjectNode pod) {
        pod.withObject("/spec").put("schedulerName", CURRENT);
        return pod;
    }

    /** The scheduler waits for these responses: those of extenders, of writes of claims, and of the sources of tables. */
    @Test
    void repeatsResponses() throws IOException {
        try (LiveCluster devices = LiveCluster.withControllers();
                SmallExtender extender = new SmallExtender()) {
            AtomicInteger calls = new AtomicInteger();
            extender.on("filter", request -> {
                // In turn: all nodes, all but the first one, and an error.
                int turn = calls.getAndIncrement() % 3;
                ArrayNode nodes = (ArrayNode) request.path("NodeNames").deepCopy();
                if (turn == 1 && nodes.size() > 1) {
                    nodes.remove(0);
                }
                return turn == 2
                        ? Manifest.json("{'Error':'busy'}")
                        : JsonNodeFactory.instance.objectNode().set("NodeNames", nodes);
            });
            extender.on("prioritize", request -> {
                ArrayNode scores = JsonNodeFactory.instance.arrayNode();
                int chosen = calls.get() % request.path("NodeNames").size();
                scores.addObject()
                        .put("Host", request.path("NodeNames").path(chosen).asText())
                        .put("Score", 10);
                return scores;
            });
            devices.addNodes(4, "8");
            load(devices, "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}");
            for (int i = 0; i < 3; i++) {
                load(
                        devices,
                        "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s" + i
                                + "}, spec: {driver: gpu.example.com, nodeName: n" + i + ", pool: {name: n" + i
                                + ", generation: 1, resourceSliceCount: 1}, devices: [{name: a}, {name: b}]}}");
            }
            load(
                    devices,
                    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace:"
                            + " default}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName:"
                            + " gpu}}]}}}}");
            load(
                    devices,
                    "{apiVersion: v1, kind: ConfigMap, metadata: {name: prices, namespace: default}, data:"
                            + " {prices.yaml: 'n0: 5'}}");
            write(
                    "{'kind':'Policy','apiVersion':'v1','predicates':[{'name':'GeneralPredicates'},"
                            + "{'name':'DynamicResources'}],'priorities':[{'name':'Cheap','weight':1,'argument':{'rule':{'expression':'100"
                            + " - 10 * (tables.price[node.name] or 0)'}}}],'tables':{'price':{'configMap':"
                            + "{'namespace':'default','name':'prices','key':'prices.yaml'}}},'extenders':[{'urlPrefix':'"
                            + extender.url()
                            + "','filterVerb':'filter','prioritizeVerb':'prioritize','weight':1,'nodeCacheCapable':true,'ignorable':true}]}");
            try (Program program = run(devices, "modern")) {
                for (int i = 0; i < 6; i++) {
                    if (i == 3) {
                        devices.api()
                                .mergePatch(
                                        "/api/v1/namespaces/default/configmaps/prices",
                                        "{'data':{'prices.yaml':'n0: 6\\nn1: 9\\nn2: 3\\nn3: 7'}}");
                        program.awaitOutput("table price is of generation 2 now");
                    }
                    load(devices, withClaim("before" + i));
                    devices.awaitBound("before" + i);
                }
                // The only device that the next pod can get.
                devices.api().deletePod("before0");
                load(devices, withClaim("after"));
                devices.awaitBound("after");
                program.signal("TERM");
                assertEquals(0, program.awaitEnd(), program::output);
            }
        }
        Replay replay = replay();
        assertEquals(new Replay(0, replay.decisions(), 0, ""), replay.withoutText(), replay::out);
        assertFalse(replay.out().contains("not recorded"), replay::out);
        assertTrue(replay.decisions() >= 7, replay::out);

        Map<Path, byte[]> recorded = contents();
        for (Map.Entry<String, UnaryOperator<String>> changed : Map.<String, UnaryOperator<String>>of(
                        "a response of filter",
                        line -> line.contains("extender 0 filter")
                                ? line.replace("\\\"nodes\\\"", "\\\"was\\\"")
                                : line,
                        "a response of prioritize",
                        line -> line.contains("extender 0 prioritize") ? line.replace(",10]", ",9]") : line,
                        "the values of a table",
                        line -> line.contains("\"change\":\"table\"") ? line.replaceAll("[1-9]\\.0", "8.5") : line,
                        "a written claim",
                        line -> line.contains("\"change\":\"claim\"") && line.contains("\"end\":\"ALLOCATION\"")
                                ? line.replaceFirst("\"end\":\"ALLOCATION\"", "\"end\":\"NONE\"")
                                : line)
                .entrySet()) {
            change(changed.getKey(), changed.getValue());
            assertTrue(replay().different() > 0, changed.getKey());
            for (Map.Entry<Path, byte[]> file : recorded.entrySet()) {
                Files.write(file.getKey(), file.getValue());
            }
        }
    }

    private static void load(LiveCluster cluster, String yaml) throws IOException {
        cluster.cluster().load((ObjectNode) YAML.readTree(yaml));
    }

    private static String withClaim(String name) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default}, spec: {schedulerName: "
                + Manifest.SCHEDULER + ", containers: [{name: c, image: i, resources: {requests: {cpu: 10m}}}],"
                + " resourceClaims: [{name: k, resourceClaimTemplateName: one}]}}";
    }

    private Map<Path, byte[]> contents() throws IOException {
        Map<Path, byte[]> contents = new TreeMap<>();
        for (Path file : files()) {
            contents.put(file, Files.readAllBytes(file));
        }
        return contents;
    }

    /** The recording becomes a trace; pods that were created before a list are in the list. */
    private void assertImported() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String trace = folder.resolve("trace").toString();
        String[] command = {"lab", "import", "run", recording().toString(), "--out", trace};
        assertEquals(0, Main.run(command, new PrintWriter(out), new PrintWriter(err)), err::toString);
        assertEquals(
                "wrote " + (NODES - 1) + " nodes and N arrivals to " + trace + "\n",
                out.toString().replaceFirst("and [1-9]\\d* arrivals", "and N arrivals"));
    }

    private record Replay(int code, int decisions, int different, String out) {
        Replay withoutText() {
            return new Replay(code, decisions, different, "");
        }
    }

    private Replay replay() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(
                new String[] {"lab", "replay", recording().toString()}, new PrintWriter(out), new PrintWriter(err));
        Matcher result = RESULT.matcher(out.toString());
        assertTrue(result.find(), () -> out + "\n" + err);
        return new Replay(code, Integer.parseInt(result.group(1)), Integer.parseInt(result.group(2)), out.toString());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(recording())) {
            return all.filter(file -> file.toString().endsWith(".gz")).sorted().toList();
        }
    }

    private boolean policyChangeIsRecorded() {
        try {
            return text(files()).contains(POLICY_CHANGE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Changes the first line of the recording that the operator changes. */
    private void change(String what, UnaryOperator<String> change) throws IOException {
        for (Path file : files()) {
            StringBuilder changed = new StringBuilder();
            boolean done = false;
            for (String line : text(List.of(file)).lines().toList()) {
                String now = done ? line : change.apply(line);
                done |= !now.equals(line);
                changed.append(now).append('\n');
            }
            if (done) {
                // The reader finds out that it is not compressed.
                Files.writeString(file, changed);
                return;
            }
        }
        throw new AssertionError("the recording does not have " + what);
    }

    /** Returns the lines of files, of which the process was killed or not. */
    private static String text(List<Path> files) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Path file : files) {
            byte[] plain = Files.readAllBytes(file);
            if (plain[0] == '{') {
                all.writeBytes(plain);
                continue;
            }
            try (InputStream zipped = new GZIPInputStream(Files.newInputStream(file))) {
                zipped.transferTo(all);
            } catch (EOFException e) {
                assertTrue(all.size() > 0, e::toString);
            }
        }
        return all.toString(StandardCharsets.UTF_8);
    }
}
