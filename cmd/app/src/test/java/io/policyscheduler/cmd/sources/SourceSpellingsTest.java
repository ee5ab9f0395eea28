package io.policyscheduler.cmd.sources;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.ProfilePlan.ProfileRequest;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Every command that has a scheduler option, with every spelling of its value, on one cluster. One node is half full and one is empty, so that
 * packing and spreading schedulers choose different nodes; a running pod is on a third node that no scheduler would choose.
 */
class SourceSpellingsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String OBJECTS = """
        {"kind": "List", "apiVersion": "v1", "items": [
         {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "half"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}},
         {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "empty"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}},
         {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "closed"}, "spec": {"taints": [{"key": "closed", "effect": "NoSchedule"}]},
          "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}},
         {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "there", "namespace": "default"},
          "spec": {"nodeName": "half", "containers": [{"name": "c", "image": "c", "resources": {"requests": {"cpu": "2", "memory": "4Gi"}}}]}},
         {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "astray", "namespace": "default"},
          "spec": {"nodeName": "closed", "containers": [{"name": "c", "image": "c", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}]}},
         {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "new", "namespace": "default"},
          "spec": {"containers": [{"name": "c", "image": "c", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}]}},
         {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "packing", "namespace": "default"}, "data": {"policy.cfg": PACKING}},
         {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "spreading", "namespace": "kube-system"}, "data": {"policy.cfg": SPREADING}}
        ]}
        """;

    private static final String PROFILES = """
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        profiles:
        - schedulerName: spreading
        - schedulerName: packing
          pluginConfig:
          - name: NodeResourcesFit
            args:
              scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}
        """;

    private static final String FORMS =
            " is not policy:FILE, configmap:NAMESPACE/NAME, provider:NAME, config:FILE[#PROFILE] or modern; optionally"
                    + " with the suffix @1.N (the kube-scheduler of a release), or the prefix legacy: or strict:";

    @TempDir
    private static Path folder = Path.of("");

    private static EmbeddedControlPlane cluster = startedCluster();

    private static EmbeddedControlPlane startedCluster() {
        try {
            return EmbeddedControlPlane.builder().kubeletPeriod(Duration.ZERO).start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String policy(String priority) {
        return "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"}],"
                + "\"priorities\":[{\"name\":\"" + priority + "\",\"weight\":1}]}";
    }

    @BeforeAll
    static void fill() throws IOException {
        String packing = policy("MostRequestedPriority");
        String spreading = policy("LeastRequestedPriority");
        Files.writeString(folder.resolve("packing.json"), packing);
        Files.writeString(folder.resolve("spreading.json"), spreading);
        Files.writeString(folder.resolve("profiles.yaml"), PROFILES);
        cluster.load(JSON.readTree(OBJECTS.replace("PACKING", JSON.writeValueAsString(packing))
                .replace("SPREADING", JSON.writeValueAsString(spreading))));
    }

    @AfterAll
    static void close() {
        cluster.close();
    }

    /** Resolves file names in the folder of the test. */
    private static String inFolder(String text) {
        return text.replace("@", folder + "/");
    }

    private static CommandRun run(String... args) {
        List<String> all = new ArrayList<>();
        List.of(args).forEach(arg -> all.add(inFolder(arg)));
        all.addAll(List.of("--master", cluster.url()));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private static JsonNode json(CommandRun run, int code) throws IOException {
        assertEquals(code, run.code(), run.err());
        return JSON.readTree(run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "policy:@packing.json, v1.17, half",
        "policy:@spreading.json, v1.17, empty",
        "configmap:default/packing, v1.17, half",
        "configmap:kube-system/spreading, v1.17, empty",
        "configmap:spreading, v1.17, empty",
        "provider:ClusterAutoscalerProvider, v1.17, half",
        "provider:DefaultProvider, v1.17, empty",
        "legacy:policy:@packing.json, functions, half",
        "legacy:policy:@spreading.json, functions, empty",
        "legacy:configmap:default/packing, functions, half",
        "legacy:provider:ClusterAutoscalerProvider, functions, half",
        "strict:policy:@packing.json, v1.17, half",
        "strict:configmap:default/packing, v1.17, half",
        "strict:provider:DefaultProvider, v1.17, empty",
        "config:@profiles.yaml, current, empty",
        "config:@profiles.yaml#spreading, current, empty",
        "config:@profiles.yaml#packing, current, half",
        "modern, current, empty",
        // A file name without a prefix.
        "@packing.json, v1.17, half",
        "@profiles.yaml, current, empty",
        // Older spellings.
        "framework:@packing.json, v1.17, half",
        "framework:@spreading.json, v1.17, empty",
        "legacy:@packing.json, functions, half",
        "legacy:@spreading.json, functions, empty",
        "strict:@packing.json, v1.17, half",
        "modern:@profiles.yaml, current, empty",
        "modern:@profiles.yaml#packing, current, half",
    })
    void everyCommandTakesEverySpelling(String spelling, String kind, String expected) throws IOException {
        String text = inFolder(spelling);
        assertEquals(expected, simulated("--decider", text));
        assertEquals(expected, explained("--decider", text));
        assertEquals(Map.of("default/astray", expected), audited("--decider", text));
        CommandRun compared = run("compare", text, text, "--details", "-o", "json");
        JsonNode comparison = json(compared, ExitCode.OK);
        assertEquals(text, comparison.at("/deciders/0/name").asText());
        assertEquals(kind, comparison.at("/deciders/0/kind").asText(), compared.out());
        assertEquals(expected, comparison.at("/pods/0/results/0/node").asText(), compared.out());
        assertEquals(text, shadowed(text));
        if (!text.startsWith("legacy:") && !text.startsWith("strict:")) {
            assertEquals(expected, scheduled(text));
        }
    }

    private static String simulated(String... choice) throws IOException {
        JsonNode report = json(run("simulate", choice[0], choice[1], "-o", "json"), ExitCode.OK);
        return report.at("/pods/0/node").asText();
    }

    private static String explained(String... choice) throws IOException {
        return json(run("explain", "new", choice[0], choice[1], "-o", "json"), ExitCode.OK)
                .path("winner")
                .asText();
    }

    private static Map<String, String> audited(String... choice) throws IOException {
        Map<String, String> better = new TreeMap<>();
        json(run("audit", choice[0], choice[1], "-o", "json"), ExitCode.NEGATIVE)
                .path("findings")
                .forEach(finding -> better.put(
                        finding.path("pod").asText(), finding.path("better").asText()));
        return better;
    }

    /** No pod is placed meanwhile: the summary names the scheduler. */
    private static String shadowed(String text) throws IOException {
        Path report = folder.resolve("shadow.json");
        CommandRun run = run("shadow", text, "--duration", "1ms", "--report", report.toString());
        assertEquals(ExitCode.OK, run.code(), run.err());
        return JSON.readTree(Files.readString(report)).path("decider").asText();
    }

    /** The flags of {@code run} that select a scheduler. */
    @Command(name = "run")
    private static final class RunFlags {
        @Mixin
        private PolicyOptions policyOptions = new PolicyOptions();

        @Mixin
        private PluginOptions plugins = new PluginOptions();

        @Mixin
        private ReleaseOptions release = new ReleaseOptions();

        ProfileRequest request(String profile) {
            return new ProfileRequest(
                    null,
                    (text, file, cluster) ->
                            ConfigurationReader.inCluster(cluster).read(text, file),
                    "policy-scheduler",
                    "",
                    new PolicySourceOptions(null, "", "kube-system", false, "", Release.V1_17),
                    List.of(profile),
                    100,
                    plugins,
                    policyOptions,
                    release);
        }
    }

    /** Returns the node that the profile of {@code run --profile NAME=SOURCE} chooses, without the scheduling loop. */
    private static String scheduled(String text) {
        RunFlags flags = new RunFlags();
        new CommandLine(flags).parseArgs();
        ProfileSettings settings;
        try (KubeConnection connection = KubeConnection.fromUrl(cluster.url())) {
            List<ProfileSettings> profiles = new ProfilePlan(flags.request("mine=" + text))
                    .load(connection)
                    .profiles();
            assertEquals(
                    List.of("mine"),
                    profiles.stream().map(ProfileSettings::schedulerName).toList());
            settings = profiles.get(0);
        }
        ClusterState state = new ClusterState();
        state.putNode(node("half").cpu("4").memory("8Gi").pods(10).build());
        state.putNode(node("empty").cpu("4").memory("8Gi").pods(10).build());
        state.addPod(pod("there").requests("2", "4Gi").onNode("half").build());
        Profile profile = settings.source().factory().create(state, WaitingPods.NONE, Clock.systemUTC());
        return String.valueOf(SchedulingCycle.of(profile, state)
                .decide(pod("new").requests("1", "2Gi").build(), NominatedPods.NONE)
                .node());
    }

    @ParameterizedTest
    @CsvSource({
        "--policy, @packing.json, half",
        "--policy, @spreading.json, empty",
        "--provider, ClusterAutoscalerProvider, half",
        "--provider, DefaultProvider, empty",
        "--profile, modern, empty",
        "--profile, modern:@profiles.yaml, empty",
        "--profile, modern:@profiles.yaml#packing, half",
        "--profile, config:@profiles.yaml, empty",
        "--profile, config:@profiles.yaml#packing, half",
    })
    void flagsForOneKindEach(String flag, String value, String expected) throws IOException {
        assertEquals(expected, simulated(flag, value));
        assertEquals(expected, explained(flag, value));
        assertEquals(Map.of("default/astray", expected), audited(flag, value));
    }

    /** Messages about mistakes are the same everywhere; {@code run} also names the flag. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "polcy:@packing.json | FORMS (did you mean \"policy:@packing.json\"?)",
                "congig:@profiles.yaml#packing | FORMS (did you mean \"config:@profiles.yaml#packing\"?)",
                "configmp:default/packing | FORMS (did you mean \"configmap:default/packing\"?)",
                "provder:DefaultProvider | FORMS (did you mean \"provider:DefaultProvider\"?)",
                "framewrok:@packing.json | FORMS (did you mean \"framework:@packing.json\"?)",
                "legcy:@packing.json | FORMS (did you mean \"legacy:@packing.json\"?)",
                "modrn | FORMS (did you mean \"modern\"?)",
                "policy: | FORMS",
                "legacy:modern | : legacy: is only valid before policy:FILE, configmap:NAMESPACE/NAME, or"
                        + " provider:NAME",
                "strict:config:@profiles.yaml | : strict: is only valid before policy:FILE, configmap:NAMESPACE/NAME,"
                        + " or provider:NAME",
            })
    void slipsAreToldTheSameWay(String spelling, String message) {
        String text = inFolder(spelling);
        String expected = "\"" + text + "\"" + inFolder(message).replace("FORMS", FORMS);
        for (CommandRun run : deciding(text)) {
            assertEquals(List.of(ExitCode.BAD_INPUT, "error: " + expected, ""), failure(run));
        }
        CommandRun run = run("run", "--profile", "mine=" + text);
        assertEquals(List.of(ExitCode.USAGE, "error: --profile: " + expected, ""), failure(run));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "provider:DefaultProvidr | provider: provider \"DefaultProvidr\" is not registered (did you mean"
                        + " \"DefaultProvider\"?)",
                "policy:@gone.json | no such file: @gone.json",
                "config:@gone.yaml#packing | no such file: @gone.yaml",
                "configmap:default/pakcing | couldn't get policy config map default/pakcing: configmaps \"pakcing\""
                        + " not found",
                "config:@profiles.yaml#pakcing | @profiles.yaml: no profile \"pakcing\" (did you mean \"packing\"?)",
                "config:@profiles.yaml#x | @profiles.yaml: no profile \"x\"; it has spreading, packing",
            })
    void whatIsNotThereIsToldTheSameWay(String spelling, String message) {
        List<CommandRun> runs = new ArrayList<>(deciding(inFolder(spelling)));
        runs.add(run("run", "--profile", "mine=" + spelling));
        for (CommandRun run : runs) {
            assertEquals(List.of(ExitCode.BAD_INPUT, "error: " + inFolder(message), ""), failure(run));
        }
    }

    private static List<CommandRun> deciding(String text) {
        return List.of(
                run("simulate", "--decider", text),
                run("explain", "new", "--decider", text),
                run("audit", "--decider", text),
                run("compare", "modern", text),
                run("shadow", text, "--duration", "1ms"));
    }

    /** Exit code, errors, and output, without progress lines. */
    private static List<Object> failure(CommandRun run) {
        String errors =
                run.err().lines().filter(line -> line.startsWith("error: ")).collect(Collectors.joining("\n"));
        return List.of(run.code(), errors, run.out());
    }

    /** {@code run} uses plugins; functions exist for comparisons only. */
    @ParameterizedTest
    @ValueSource(strings = {"legacy:@packing.json", "legacy:policy:@packing.json", "strict:provider:DefaultProvider"})
    void runHasNoFunctions(String spelling) {
        String text = inFolder("mine=" + spelling);
        assertEquals(
                List.of(
                        ExitCode.USAGE,
                        "error: --profile: \"" + text
                                + "\": run does not support legacy: and strict: (did you mean --strict-v1.17?)",
                        ""),
                failure(run("run", "--profile", text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy:@packing.json", "legacy:@packing.json", "provider:DefaultProvider"})
    void theFlagForProfilesSendsPoliciesToTheOther(String spelling) {
        String text = inFolder(spelling);
        for (CommandRun run : List.of(
                run("simulate", "--profile", text),
                run("explain", "new", "--profile", text),
                run("audit", "--profile", text))) {
            assertEquals(
                    List.of(
                            ExitCode.BAD_INPUT,
                            "error: --profile: \"" + text
                                    + "\" is not modern or config:FILE[#PROFILE] (did you mean --scheduler " + text
                                    + "?)",
                            ""),
                    failure(run));
        }
    }

    /** Each command with one of these options occurs in the tests above; dump has a test of its own. */
    @Test
    void theseAreAllCommandsThatTakeThem() {
        List<String> taking = new ArrayList<>();
        for (String line : CommandRun.of("--help").out().lines().toList()) {
            if (line.matches("  [a-z]+ .*")) {
                String command = line.strip().split(" ", 2)[0];
                String help = CommandRun.of(command, "--help").out();
                if (help.contains("configmap:NAMESPACE/NAME")) {
                    taking.add(command);
                }
            }
        }
        assertEquals(
                List.of("audit", "compare", "dump", "explain", "run", "shadow", "simulate"),
                taking.stream().sorted().toList());
    }
}
