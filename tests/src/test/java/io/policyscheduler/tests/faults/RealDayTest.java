package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A compressed day of a real control plane with churn, preemption, and changing nodes, recorded by {@code lab record}: each bind of the real
 * kube-scheduler selects one of the best nodes of {@code lab shadow modern}. {@code -Dday.pods=N} sets the number of bare pods, by which the cluster
 * grows; {@code -Dday.releases=1.36,1.34} and {@code -Dday.seed=N} select another day.
 */
@Tag("real")
@Timeout(900)
class RealDayTest {
    private static final int PODS = Integer.getInteger("day.pods", 1000);
    /** Full after a third of the pods, so that the others preempt or wait. */
    private static final int NODES = Math.max(12, PODS * 3 / 50);

    private static final int PODS_PER_STEP = 10;
    /** Pods of the scheduler that it may not have tried yet when the next step begins. */
    private static final int BACKLOG = 20;

    private static final int SETS = 8;
    /** Hundreds of binds are compared, or decided, within this time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final List<String> CPUS = List.of("4", "8", "16");
    private static final List<String> ZONES = List.of("a", "b", "c", "d");
    private static final List<String> REQUESTS = List.of("250m", "1", "2", "3", "4");
    private static final String SET_PATH = "/apis/apps/v1/namespaces/default/replicasets";
    private static final String POD_PATH = "/api/v1/namespaces/default/pods/";
    private static final String MERGE = "application/merge-patch+json";
    private static final Pattern RESULT = Pattern.compile("compared (\\d+) binds with modern: (\\d+) agree");

    private final Path folder;
    private final Random random = new Random(Long.getLong("day.seed", 1));
    private final Set<String> removedNodes = new HashSet<>();
    private final Map<String, Integer> firstSeen = new HashMap<>();
    private int created;

    RealDayTest(@TempDir Path folder) {
        this.folder = folder;
    }

    static List<String> releases() {
        return List.of(System.getProperty("day.releases", "1.36,1.34,1.20").split(",", -1));
    }

    @ParameterizedTest
    @MethodSource("releases")
    void eachBindIsAmongTheBestNodes(String release) throws IOException, InterruptedException {
        RealPrograms.program("kube-scheduler", release);
        RealPrograms.program("kube-controller-manager", release);
        Path trace = folder.resolve("trace");
        try (RealServer server = RealServer.start(release)) {
            Path kubeconfig = kubeconfig(server);
            try (Program recorder = Program.start(
                            folder, "lab", "record", "--out", trace.toString(), "--kubeconfig", kubeconfig.toString());
                    RealControllers controllers = RealControllers.start(
                            release,
                            release.equals("1.20")
                                    ? "replicaset,garbagecollector"
                                    : "replicaset-controller,garbage-collector-controller",
                            kubeconfig,
                            folder.resolve("controllers.log"));
                    RealScheduler scheduler = RealScheduler.start(
                            release,
                            folder.resolve("scheduler.log"),
                            List.of("--config=" + config(release, kubeconfig)))) {
                recorder.awaitOutput("recording");
                liveADay(server, scheduler);
                recorder.signal("INT");
                assertEquals(0, recorder.awaitEnd(), recorder::output);
            } finally {
                clear(server);
            }
        }
        Map<String, Integer> lines = lines(trace);
        for (String kind : List.of(
                "bind", "nom", "term", "end Preempted", "end Succeeded", "obj update Node", "obj delete Node")) {
            // Before 1.22, preempted pods have no condition.
            assertTrue(lines.containsKey(kind) || release.equals("1.20"), () -> kind + " is missing in " + lines);
        }
        Program shadow = Program.start(
                Files.createDirectory(folder.resolve("shadow")),
                "lab",
                "shadow",
                "modern",
                "--trace",
                trace.toString());
        Await.until(PATIENCE, "the binds are compared", () -> shadow.output().contains("compared "), shadow::output);
        Matcher result = RESULT.matcher(shadow.output());
        assertTrue(result.find(), shadow::output);
        System.out.println(release + ": " + lines + "\n" + shadow.output());
        assertEquals(lines.get("bind"), Integer.parseInt(result.group(1)), shadow::output);
        assertEquals(result.group(1), result.group(2), shadow::output);
    }

    private Path kubeconfig(RealServer server) throws IOException {
        String token = String.valueOf(server.headers().get("Authorization")).replace("Bearer ", "");
        return Files.writeString(folder.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
            users: [{name: u, user: {token: "%s"}}]
            contexts: [{name: x, context: {cluster: c, user: u}}]
            current-context: x
            """.formatted(server.url(), token));
    }

    /** All nodes are scored, because what a scheduler samples is not in the record. */
    private Path config(String release, Path kubeconfig) throws IOException {
        return Files.writeString(
                folder.resolve("scheduler.yaml"), """
                    apiVersion: kubescheduler.config.k8s.io/%s
                    kind: KubeSchedulerConfiguration
                    percentageOfNodesToScore: 100
                    leaderElection: {leaderElect: false}
                    clientConnection: {kubeconfig: %s, qps: 500, burst: 500}
                    """.formatted(release.equals("1.20") ? "v1beta1" : "v1", kubeconfig));
    }

    private <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    private void liveADay(RealServer server, RealScheduler scheduler) {
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        server.load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        for (int i = 0; i < NODES; i++) {
            server.load(node("n" + i));
        }
        for (int i = 0; i < SETS; i++) {
            assertEquals(
                    201,
                    server.call(
                            "POST", SET_PATH, "application/json", replicaSet(i).toString()));
        }
        for (int step = 0; created < PODS; step++) {
            for (int i = 0; i < PODS_PER_STEP; i++) {
                server.load(pod("p" + created++));
            }
            if (step % 4 == 0) {
                changeNode(server);
                int replicas = random.nextInt(12);
                server.call(
                        "PATCH",
                        SET_PATH + "/set" + random.nextInt(SETS),
                        MERGE,
                        "{\"spec\":{\"replicas\":" + replicas + "}}");
            }
            actAsKubeletsAndUsers(server, step);
            Await.until(PATIENCE, "pods are tried", () -> untried(server) <= BACKLOG, scheduler::output);
        }
        Await.until(PATIENCE, "pods are tried", () -> untried(server) == 0, scheduler::output);
    }

    private static long untried(RealServer server) {
        return server.list("pods").stream()
                .filter(pod -> pod.at("/spec/nodeName").asText().isEmpty()
                        && !pod.at("/status/conditions").toString().contains("Unschedulable"))
                .count();
    }

    private ObjectNode node(String name) {
        ObjectNode node = Manifest.node(name, oneOf(CPUS));
        ObjectNode labels = node.withObject("/metadata/labels");
        labels.put("kubernetes.io/hostname", name);
        labels.put("topology.kubernetes.io/zone", oneOf(ZONES));
        labels.put("disk", percent(30) ? "ssd" : "hdd");
        if (percent(10)) {
            node.withObject("/spec")
                    .withArray("taints")
                    .add(Manifest.json("{'key':'dedicated','value':'x','effect':'"
                            + (percent(50) ? "NoSchedule" : "PreferNoSchedule") + "'}"));
        }
        if (percent(50)) {
            node.withObject("/status")
                    .withArray("images")
                    .add(Manifest.json("{'names':['registry.example/app:" + random.nextInt(3) + "'],'sizeBytes':"
                            + (100 + random.nextInt(900)) + "000000}"));
        }
        return node;
    }

    private ObjectNode pod(String name) {
        ObjectNode pod = Manifest.podOf("default-scheduler", name, oneOf(REQUESTS));
        String app = "app" + random.nextInt(6);
        pod.withObject("/metadata/labels").put("app", app);
        ObjectNode spec = pod.withObject("/spec");
        ((ObjectNode) spec.withArray("containers").get(0)).put("image", "registry.example/app:" + random.nextInt(3));
        if (percent(50)) {
            spec.put("priorityClassName", percent(30) ? "high" : "low");
        }
        String selector = "'labelSelector':{'matchLabels':{'app':'" + app + "'}}";
        switch (random.nextInt(8)) {
            case 0 -> spec.withObject("/nodeSelector").put("disk", "ssd");
            case 1 ->
                spec.set(
                        "affinity",
                        Manifest.json("{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':"
                                + (1 + random.nextInt(100))
                                + ",'preference':{'matchExpressions':[{'key':'topology.kubernetes.io/zone',"
                                + "'operator':'In','values':['a','b']}]}}]}}"));
            case 2 ->
                spec.set(
                        "affinity",
                        Manifest.json("{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
                                + selector + ",'topologyKey':'kubernetes.io/hostname'}]}}"));
            case 3 ->
                spec.set(
                        "affinity",
                        Manifest.json("{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':50,"
                                + "'podAffinityTerm':{" + selector
                                + ",'topologyKey':'topology.kubernetes.io/zone'}}]}}"));
            case 4 ->
                spec.withArray("topologySpreadConstraints")
                        .add(Manifest.json("{'maxSkew':" + (1 + random.nextInt(4))
                                + ",'topologyKey':'topology.kubernetes.io/zone'," + "'whenUnsatisfiable':'"
                                + (percent(50) ? "DoNotSchedule" : "ScheduleAnyway") + "'," + selector + "}"));
            case 5 ->
                spec.withArray("tolerations")
                        .add(Manifest.json("{'key':'dedicated','operator':'Exists','effect':'NoSchedule'}"));
            default -> {
                // Only requests.
            }
        }
        return pod;
    }

    private ObjectNode replicaSet(int number) {
        String labels = "{'app':'set" + number + "'}";
        ObjectNode pod = pod("template");
        ObjectNode set = Manifest.json("{'apiVersion':'apps/v1','kind':'ReplicaSet','metadata':{'name':'set" + number
                + "'},'spec':{'replicas':5,'selector':{'matchLabels':" + labels + "},'template':{'metadata':{'labels':"
                + labels + "}}}}");
        set.withObject("/spec/template").set("spec", pod.get("spec"));
        return set;
    }

    /** Taints, cordons, or relabels a node, removes it with its pods, or adds a removed one again. */
    private void changeNode(RealServer server) {
        String name = "n" + random.nextInt(NODES);
        String path = "/api/v1/nodes/" + name;
        if (removedNodes.remove(name)) {
            server.load(node(name));
            return;
        }
        switch (random.nextInt(5)) {
            case 0 ->
                server.call(
                        "PATCH",
                        path,
                        MERGE,
                        "{\"spec\":{\"taints\":"
                                + (percent(50)
                                        ? "null"
                                        : "[{\"key\":\"dedicated\",\"value\":\"x\",\"effect\":\"NoSchedule\"}]")
                                + "}}");
            case 1 -> server.call("PATCH", path, MERGE, "{\"spec\":{\"unschedulable\":" + percent(50) + "}}");
            case 2 ->
                server.call(
                        "PATCH",
                        path,
                        MERGE,
                        "{\"metadata\":{\"labels\":{\"topology.kubernetes.io/zone\":\"" + oneOf(ZONES) + "\"}}}");
            case 3 ->
                server.call(
                        "PATCH",
                        path + "/status",
                        MERGE,
                        "{\"status\":{\"allocatable\":{\"cpu\":\"" + oneOf(CPUS) + "\"}}}");
            default -> {
                removedNodes.add(name);
                server.call("DELETE", path, "application/json", "");
                for (ObjectNode pod : server.list("pods")) {
                    if (pod.at("/spec/nodeName").asText().equals(name)) {
                        delete(server, pod, "{\"gracePeriodSeconds\":0}");
                    }
                }
            }
        }
    }

    private static void delete(RealServer server, ObjectNode pod, String options) {
        server.call("DELETE", POD_PATH + pod.at("/metadata/name").asText(), "application/json", options);
    }

    /** Removes terminating pods, finishes or deletes some running ones, and gives up those that wait for long. */
    private void actAsKubeletsAndUsers(RealServer server, int step) {
        List<ObjectNode> running = new ArrayList<>();
        for (ObjectNode pod : server.list("pods")) {
            String name = pod.at("/metadata/name").asText();
            int age = step - firstSeen.computeIfAbsent(pod.at("/metadata/uid").asText(), any -> step);
            boolean isBound = !pod.at("/spec/nodeName").asText().isEmpty();
            if (pod.at("/metadata").has("deletionTimestamp")
                    || pod.at("/status/phase").asText().equals("Succeeded")) {
                delete(server, pod, "{\"gracePeriodSeconds\":0}");
            } else if (!isBound && age > 12) {
                delete(server, pod, "{}");
            } else if (isBound && name.startsWith("p")) {
                running.add(pod);
            }
        }
        int excess = Math.max(0, running.size() - 5 * NODES) / 4;
        for (int i = 0; i < 3 + excess && !running.isEmpty(); i++) {
            ObjectNode pod = running.remove(random.nextInt(running.size()));
            if (percent(40)) {
                server.call(
                        "PATCH",
                        POD_PATH + pod.at("/metadata/name").asText() + "/status",
                        MERGE,
                        "{\"status\":{\"phase\":\"Succeeded\"}}");
            } else {
                delete(server, pod, percent(50) ? "{\"gracePeriodSeconds\":0}" : "{}");
            }
        }
    }

    private static void clear(RealServer server) {
        server.call("DELETE", SET_PATH, "application/json", "{\"propagationPolicy\":\"Background\"}");
    }

    /** Returns the number of lines of each kind, with the reason of ends and with verb and kind of objects. */
    private static Map<String, Integer> lines(Path trace) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        List<Path> files;
        try (Stream<Path> all = Files.list(trace)) {
            files = all.filter(file -> file.toString().endsWith(".gz")).toList();
        }
        for (Path file : files) {
            try (BufferedReader reader = new BufferedReader(
                    new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                    ObjectNode line = Manifest.json(text);
                    String kind = String.format(
                                    Locale.ROOT,
                                    "%s %s %s",
                                    line.path("line").asText(),
                                    line.path("how").asText()
                                            + line.path("verb").asText(),
                                    line.path("kind").asText())
                            .strip();
                    counts.merge(kind, 1, Integer::sum);
                }
            }
        }
        return counts;
    }
}
