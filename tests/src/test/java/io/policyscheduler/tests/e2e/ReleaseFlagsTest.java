package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flags that select a release mean the same to every command: {@code run}, {@code simulate}, {@code explain}, and {@code compare}
 * decide alike about each field that is newer than v1.17. Each pod has a node with 2 CPUs of its own.
 */
class ReleaseFlagsTest {
    private static final String POLICY = """
            {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "GeneralPredicates"}],
             "priorities": [{"name": "LeastRequestedPriority", "weight": 1}]}
            """;
    private static final String ONE_CPU =
            "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'1'}}}]";
    private static final String TWO_CPUS =
            "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'2'}}}]";

    /** A spec by its name, which 1.34 rejects and 1.17 places, on a node where no pod must be evicted. */
    private static final Map<String, String> SPECS = new TreeMap<>(Map.of(
            "gates", ONE_CPU + ",'schedulingGates':[{'name':'example.com/wait'}]",
            "sidecar",
                    ONE_CPU + ",'initContainers':[{'name':'s','image':'i','restartPolicy':'Always',"
                            + "'resources':{'requests':{'cpu':'1500m'}}}]",
            "claims", ONE_CPU + ",'resourceClaims':[{'name':'d','resourceClaimName':'none'}]",
            "spread",
                    ONE_CPU + ",'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'absent',"
                            + "'whenUnsatisfiable':'DoNotSchedule','labelSelector':{}}]",
            "plain", ONE_CPU,
            "overhead", ONE_CPU + ",'overhead':{'cpu':'1500m'}",
            "podresources", ONE_CPU + ",'resources':{'requests':{'cpu':'3'}}",
            "never", TWO_CPUS + ",'preemptionPolicy':'Never','priority':100"));

    private final ObjectMapper mapper = new ObjectMapper();
    private final Path folder;

    ReleaseFlagsTest(@TempDir Path folder) {
        this.folder = folder;
    }

    static Stream<Arguments> flags() {
        String none = "{claims=no, gates=no, never=no, overhead=no, plain=yes, podresources=no, sidecar=no, spread=no}";
        // An API server that has gates rejects the binding of a gated pod, so that gates hold whatever the release of
        // the rules is.
        String all = "{claims=yes, gates=no, never=preempts, overhead=yes, plain=yes, podresources=yes, sidecar=yes,"
                + " spread=yes}";
        return Stream.of(
                Arguments.of(List.of("--release=1.34"), none),
                Arguments.of(List.of("--release=1.17"), all),
                Arguments.of(List.of("--strict-v1.17"), all),
                Arguments.of(List.of("--strict-v1.17", "--release=1.34"), all),
                Arguments.of(
                        List.of("--strict-v1.17", "--feature-gates=NonPreemptingPriority=true,EvenPodsSpread=true"),
                        "{claims=yes, gates=no, never=no, overhead=yes, plain=yes, podresources=yes, sidecar=yes,"
                                + " spread=yes}"),
                Arguments.of(
                        List.of("--strict-v1.17", "--feature-gates=PodOverhead=true"),
                        "{claims=yes, gates=no, never=preempts, overhead=no, plain=yes, podresources=yes, sidecar=yes,"
                                + " spread=yes}"),
                Arguments.of(
                        List.of("--release=1.34", "--ignore-newer-fields=schedulingGates,preemptionPolicy"),
                        "{claims=no, gates=yes, never=preempts, overhead=no, plain=yes, podresources=no, sidecar=no, spread=no}"),
                Arguments.of(
                        List.of("--release=1.28"),
                        "{claims=yes, gates=no, never=no, overhead=no, plain=yes, podresources=yes, sidecar=yes,"
                                + " spread=no}"));
    }

    private static ObjectNode pod(String name) {
        return Manifest.json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "','namespace':'default','uid':'u-" + name + "'},'spec':{'schedulerName':'" + Manifest.SCHEDULER
                + "','nodeSelector':{'for':'" + name + "'}," + SPECS.get(name) + "}}");
    }

    private static List<ObjectNode> objects(String name) {
        List<ObjectNode> objects = new ArrayList<>();
        ObjectNode node = Manifest.node("n-" + name, "2");
        node.withObject("/metadata/labels").put("for", name);
        objects.add(node);
        if (name.equals("never")) {
            ObjectNode low = Manifest.json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'low','namespace':"
                    + "'default','uid':'u-low'},'spec':{'nodeName':'n-never','priority':1,"
                    + TWO_CPUS + "},'status':{'phase':'Running'}}");
            objects.add(low);
        }
        objects.add(pod(name));
        return objects;
    }

    private JsonNode run(String... args) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(args, new PrintWriter(out), new PrintWriter(err));
        assertTrue(code == 0 || code == 1, code + " " + err);
        return mapper.readTree(out.toString());
    }

    @ParameterizedTest
    @MethodSource("flags")
    void offlineCommandsDecideAlike(List<String> flags, String expected) throws IOException {
        Path policy = Files.writeString(folder.resolve("policy.json"), POLICY);
        Map<String, String> simulated = new TreeMap<>();
        Map<String, String> explained = new TreeMap<>();
        for (String name : SPECS.keySet()) {
            ArrayNode items = mapper.createArrayNode().addAll(objects(name));
            Path cluster = folder.resolve(name + ".json");
            Files.writeString(
                    cluster,
                    mapper.createObjectNode()
                            .put("apiVersion", "v1")
                            .put("kind", "List")
                            .set("items", items)
                            .toString());
            List<String> options = new ArrayList<>(List.of("--cluster=" + cluster, "-o", "json"));
            options.addAll(flags);
            JsonNode explanation = run(with(options, "explain", name, "--policy=" + policy));
            boolean preempts = explanation.at("/preemption/candidates").size() > 0;
            explained.put(name, explanation.path("fits").asBoolean() ? "yes" : preempts ? "preempts" : "no");
            boolean placed = run(with(options, "simulate", "--policy=" + policy))
                            .path("placed")
                            .asInt()
                    == 1;
            simulated.put(name, placed ? "yes" : "no");
            // Functions and plugins with the same flags.
            JsonNode comparison = run(with(options, "compare", "policy:" + policy, "legacy:" + policy));
            assertTrue(comparison.path("agree").asBoolean(), name + comparison);
        }
        assertEquals(expected, explained.toString());
        assertEquals(expected.replace("preempts", "no"), simulated.toString());
    }

    /** A volume by the name of its pod: the node has no room for it, unless its plugin is migrated to CSI. */
    private static final Map<String, String> VOLUMES = new TreeMap<>(Map.of(
            "aws", "aws-ebs 'awsElasticBlockStore':{'volumeID':'%s'}",
            "gce", "gce-pd 'gcePersistentDisk':{'pdName':'%s'}",
            "azure", "azure-disk 'azureDisk':{'diskName':'%s','diskURI':'%s'}",
            "cinder", "cinder 'cinder':{'volumeID':'%s'}"));

    private static final String GATED_POLICY = """
            {"kind": "Policy", "apiVersion": "v1",
             "predicates": [{"name": "GeneralPredicates"}, {"name": "MaxEBSVolumeCount"}, {"name": "MaxGCEPDVolumeCount"},
               {"name": "MaxAzureDiskVolumeCount"}, {"name": "MaxCinderVolumeCount"}],
             "priorities": [{"name": "BalancedResourceAllocation", "weight": 1}]}
            """;

    /** One node with one volume for each plugin, and two nodes with victims, one of which is protected by a budget. */
    private List<ObjectNode> gatedObjects() {
        List<ObjectNode> objects = new ArrayList<>();
        SPECS.keySet().forEach(name -> objects.addAll(objects(name)));
        VOLUMES.forEach((name, text) -> {
            String[] volume = text.split(" ", 2);
            ObjectNode node = Manifest.node("n-" + name, "2");
            node.withObject("/metadata/labels").put("for", name);
            node.withObject("/status/allocatable").put("attachable-volumes-" + volume[0], "1");
            objects.add(node);
            objects.add(Manifest.json("{'apiVersion':'storage.k8s.io/v1','kind':'CSINode','metadata':{'name':'n-" + name
                    + "','annotations':{'storage.alpha.kubernetes.io/migrated-plugins':'kubernetes.io/" + volume[0]
                    + "'}},'spec':{'drivers':[]}}"));
            for (String pod : List.of("has-" + name, name)) {
                String where = pod.equals(name)
                        ? "'schedulerName':'" + Manifest.SCHEDULER + "','nodeSelector':{'for':'" + name + "'}"
                        : "'nodeName':'n-" + name + "'";
                objects.add(Manifest.json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + pod
                        + "','namespace':'default','uid':'u-" + pod + "'},'spec':{" + where
                        + ",'containers':[{'name':'c','image':'i'}],'volumes':[{'name':'v',"
                        + volume[1].replace("%s", pod) + "}]},'status':{'phase':'Running'}}"));
            }
        });
        for (int i = 1; i <= 2; i++) {
            ObjectNode node = Manifest.node("n-budget-" + i, "2");
            node.withObject("/metadata/labels").put("for", "budget");
            objects.add(node);
            objects.add(Manifest.json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'victim-" + i
                    + "','namespace':'default','uid':'u-victim-" + i + "','labels':{'victim':'" + i
                    + "'}},'spec':{'nodeName':'n-budget-" + i + "','priority':" + i + "," + TWO_CPUS
                    + "},'status':{'phase':'Running'}}"));
        }
        objects.add(Manifest.json("{'apiVersion':'policy/v1','kind':'PodDisruptionBudget','metadata':{'name':'b',"
                + "'namespace':'default'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'victim':'1'}}},"
                + "'status':{'disruptionsAllowed':0}}"));
        objects.add(Manifest.json("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'budget','namespace':'default',"
                + "'uid':'u-budget'},'spec':{'schedulerName':'" + Manifest.SCHEDULER
                + "','nodeSelector':{'for':'budget'},'priority':100," + TWO_CPUS + "}}"));
        return objects;
    }

    static Stream<Arguments> gates() {
        Map<String, String> changes = Map.ofEntries(
                Map.entry("EvenPodsSpread=true", ""),
                Map.entry("NonPreemptingPriority=true", "never=no"),
                Map.entry("PodOverhead=true", "overhead=no"),
                Map.entry("PodDisruptionBudget=false", "budget=n-budget-1"),
                Map.entry("CSIMigrationAWS=true", "aws=yes"),
                Map.entry("CSIMigrationGCE=true", "gce=yes"),
                Map.entry("CSIMigrationAzureDisk=true", "azure=yes"),
                Map.entry("CSIMigrationOpenStack=true", "cinder=yes"),
                Map.entry("AllAlpha=true", "azure=yes cinder=yes never=no overhead=no"),
                Map.entry("AllBeta=true", "aws=yes gce=yes"),
                Map.entry("AllBeta=false", "budget=n-budget-1"));
        return FeatureGates.names().stream()
                .flatMap(gate -> Stream.of(gate + "=true", gate + "=false"))
                .map(gate -> Arguments.of(gate, changes.getOrDefault(gate, "")));
    }

    /** Each feature gate of v1.17 changes the same decisions for every command, or no decision, or is rejected by all. */
    @ParameterizedTest
    @MethodSource("gates")
    void everyGateMeansTheSame(String gate, String changes) throws IOException {
        Map<String, String> expected = new TreeMap<>(Map.of(
                "claims",
                "yes",
                "gates",
                "no",
                "never",
                "n-never",
                "overhead",
                "yes",
                "plain",
                "yes",
                "podresources",
                "yes",
                "sidecar",
                "yes",
                "spread",
                "yes",
                "budget",
                "n-budget-2"));
        VOLUMES.keySet().forEach(name -> expected.put(name, "no"));
        for (String change : changes.isEmpty() ? new String[0] : changes.split(" ")) {
            expected.put(change.split("=")[0], change.split("=")[1]);
        }
        Path policy = Files.writeString(folder.resolve("policy.json"), GATED_POLICY);
        Path cluster = folder.resolve("cluster.json");
        ArrayNode items = mapper.createArrayNode().addAll(gatedObjects());
        Files.writeString(
                cluster,
                mapper.createObjectNode()
                        .put("apiVersion", "v1")
                        .put("kind", "List")
                        .set("items", items)
                        .toString());
        for (String release :
                changes.isEmpty() ? List.of("--strict-v1.17") : List.of("--strict-v1.17", "--release=1.17")) {
            List<String> options = List.of("--cluster=" + cluster, "-o", "json", release, "--feature-gates=" + gate);
            if (isLockedOtherwise(gate)) {
                for (String command : List.of("simulate", "explain plain")) {
                    CommandEnd end = end(with(options, (command + " --policy=" + policy).split(" ")));
                    assertTrue(end.err.contains("feature is locked to true"), end::toString);
                }
                continue;
            }
            Map<String, String> explained = new TreeMap<>();
            for (String name : expected.keySet()) {
                JsonNode explanation = run(with(options, "explain", name, "--policy=" + policy));
                explained.put(name, explanation.path("fits").asBoolean() ? "yes" : outcome(explanation));
            }
            assertEquals(expected.toString(), explained.toString());
            Map<String, String> simulated = new TreeMap<>();
            run(with(options, "simulate", "--policy=" + policy)).path("pods").forEach(pod -> {
                String name = pod.path("pod").asText().replace("default/", "");
                simulated.put(name, pod.path("node").asText("").isEmpty() ? "no" : "yes");
            });
            expected.forEach((name, value) ->
                    assertEquals(value.equals("yes") ? "yes" : "no", simulated.get(name), name + simulated));
            // Functions and plugins with the same feature gates.
            JsonNode comparison = run(with(options, "compare", "policy:" + policy, "legacy:" + policy));
            assertTrue(comparison.path("agree").asBoolean(), comparison::toString);
        }
    }

    private static String outcome(JsonNode explanation) {
        String node = explanation.at("/preemption/node").asText("");
        return node.isEmpty() ? "no" : node;
    }

    private static boolean isLockedOtherwise(String gate) {
        try {
            FeatureGates.parse(gate);
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    private record CommandEnd(int code, String out, String err) {}

    private static CommandEnd end(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(args, new PrintWriter(out), new PrintWriter(err));
        return new CommandEnd(code, out.toString(), err.toString());
    }

    /** A policy that names ResourceLimitsPriority needs its feature gate, in every command. */
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void theGateOfAPriorityIsRequiredByEveryCommand(String on) throws IOException {
        Path policy = Files.writeString(
                folder.resolve("limits.json"),
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":[{\"name\":\"ResourceLimitsPriority\","
                        + "\"weight\":1}]}");
        Path cluster = Files.writeString(
                folder.resolve("plain.json"),
                mapper.createObjectNode()
                        .put("apiVersion", "v1")
                        .put("kind", "List")
                        .set("items", mapper.createArrayNode().addAll(objects("plain")))
                        .toString());
        String gate = "--feature-gates=ResourceLimitsPriorityFunction=" + on;
        for (String command : List.of(
                "simulate --policy=" + policy + " --cluster=" + cluster,
                "explain plain --policy=" + policy + " --cluster=" + cluster,
                "compare policy:" + policy + " modern --cluster=" + cluster,
                "validate " + policy,
                "migrate " + policy,
                "run --master http://127.0.0.1:1 --policy-config-file=" + policy)) {
            CommandEnd end = end((command + " --strict-v1.17 " + gate).split(" "));
            assertEquals(
                    on.equals("false"),
                    (end.out + end.err).contains("Priority type not found for ResourceLimitsPriority"),
                    () -> command + " " + end);
        }
    }

    /** {@code run} uses the feature gates as the offline commands do. */
    @Test
    void theProgramDecidesByGates() throws IOException {
        Path policy = Files.writeString(folder.resolve("policy.json"), GATED_POLICY);
        try (LiveCluster live = new LiveCluster()) {
            gatedObjects().forEach(live.cluster()::load);
            try (Program program = Program.start(
                    folder,
                    "run",
                    "--master",
                    live.cluster().url(),
                    "--scheduler-name",
                    Manifest.SCHEDULER,
                    "--policy-config-file",
                    policy.toString(),
                    "--strict-v1.17",
                    "--feature-gates=AllAlpha=true,AllBeta=true,PodDisruptionBudget=false",
                    "--status-address",
                    "0")) {
                program.awaitOutput("serving status at ");
                for (String name : List.of(
                        "sidecar", "claims", "spread", "plain", "podresources", "aws", "gce", "azure", "cinder")) {
                    live.awaitBound(name);
                }
                live.awaitUnschedulable("never");
                live.awaitUnschedulable("overhead");
                live.awaitBound("budget");
                assertEquals("n-budget-1", live.nodeOf("budget"));
            }
        }
    }

    /** The embedded API server of 1.34 keeps the fields, and the policy ignores all of them. */
    @Test
    void theProgramDecidesLikeTheOfflineCommands() throws IOException {
        Path policy = Files.writeString(folder.resolve("policy.json"), POLICY);
        try (LiveCluster live = new LiveCluster()) {
            SPECS.keySet().forEach(name -> objects(name).forEach(live.cluster()::load));
            try (Program program = Program.start(
                    folder,
                    "run",
                    "--master",
                    live.cluster().url(),
                    "--scheduler-name",
                    Manifest.SCHEDULER,
                    "--policy-config-file",
                    policy.toString(),
                    "--strict-v1.17",
                    "--status-address",
                    "0")) {
                program.awaitOutput("cluster release 1.34; policies decide by the rules of 1.17");
                program.awaitOutput("serving status at ");
                assertTrue(
                        program.output().contains("; policies decide by the rules of 1.17 (--strict-v1.17)\n"),
                        program::output);
                Matcher status = Pattern.compile("serving status at (\\S+)").matcher(program.output());
                assertTrue(status.find(), program::output);
                for (String name :
                        List.of("sidecar", "claims", "spread", "plain", "never", "overhead", "podresources")) {
                    live.awaitBound(name);
                    JsonNode why = run("why", name, "--url", status.group(1), "-o", "json");
                    assertEquals("n-" + name, why.at("/decisions/0/node").asText(), why::toString);
                }
            }
        }
    }

    private static String[] with(List<String> options, String... first) {
        return Stream.concat(Stream.of(first), options.stream()).toArray(String[]::new);
    }
}
