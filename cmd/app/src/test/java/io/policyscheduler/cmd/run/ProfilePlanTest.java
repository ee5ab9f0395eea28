package io.policyscheduler.cmd.run;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import io.policyscheduler.cmd.cli.ErrorReport;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ProfilePlanTest {

    private final Path folder;

    ProfilePlanTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private String file(String version, String rest) throws IOException {
        return Files.writeString(
                        folder.resolve(version + ".yaml"),
                        "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n"
                                + rest)
                .toString();
    }

    /** The profiles of a command line; nothing in these tests needs the cluster. */
    private static List<ProfileSettings> profiles(String... args) {
        ConfigCommand.Show arguments = new ConfigCommand.Show(Map.of());
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--release", "1.34"));
        new CommandLine(arguments).parseArgs(all.toArray(String[]::new));
        try (KubeConnection none = KubeConnection.fromUrl("http://127.0.0.1:1")) {
            return new ProfilePlan(arguments.profileRequest()).load(none).profiles();
        }
    }

    private static String placed(ProfileSettings settings) {
        ClusterState cluster = new ClusterState();
        cluster.putNode(node("small").cpu("1").memory("1Gi").build());
        cluster.putNode(node("a").cpu("4").memory("8Gi").build());
        cluster.putNode(node("b").cpu("4").memory("8Gi").build());
        cluster.addPod(pod("there").cpu("2").onNode("b").build());
        Profile profile = settings.source().factory().create(cluster, WaitingPods.NONE, Clock.systemUTC());
        Decision decision =
                SchedulingCycle.of(profile, cluster).decide(pod("p").cpu("2").build(), NominatedPods.NONE);
        return decision.isPlaced() ? String.valueOf(decision.node()) : decision.message();
    }

    /** An editor, {@code sed ... >FILE}, and a full disk leave an empty file for a moment or for good. */
    @ParameterizedTest
    @CsvSource({
        "--strict-v1.17, ''",
        "--strict-v1.17, {}",
        "--tie-break=first, ''",
        "--tie-break=first, '# nothing'",
        "--tie-break=first, 'apiVersion: v1'",
    })
    void anEmptyPolicyIsNotReloaded(String flag, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("p.json"), "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}");
        ConfigCommand.Show arguments = new ConfigCommand.Show(Map.of());
        new CommandLine(arguments).parseArgs("--policy-config-file", file.toString(), "--release", "1.34", flag);
        try (KubeConnection none = KubeConnection.fromUrl("http://127.0.0.1:1")) {
            ProfilePlan plan = new ProfilePlan(arguments.profileRequest());
            assertEquals(1, plan.reload(none).profiles().size());
            Files.writeString(file, text);
            String refused = String.valueOf(
                    assertThrows(InputException.class, () -> plan.reload(none)).getMessage());
            assertTrue(refused.startsWith(file.toString()), refused);
        }
    }

    private String policy() throws IOException {
        return Files.writeString(
                        folder.resolve("policy.json"),
                        "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"GeneralPredicates\"}],"
                                + "\"priorities\":[{\"name\":\"SelectorSpreadPriority\",\"weight\":1}],"
                                + "\"extenders\":[{\"urlPrefix\":\"http://127.0.0.1:1/\",\"filterVerb\":\"filter\"}]}")
                .toString();
    }

    /** The same policy as 1.17 and as later releases run it, and what the log says about it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 1.17 | CheckNodeUnschedulable",
                "--policy-release=1.17 | 1.17 | CheckNodeUnschedulable",
                "--policy-release=1.22 | 1.22 | PodTopologySpread",
                "--policy-release=1.19 | 1.19 | SelectorSpread",
            })
    void aPolicyRunsAsTheReleaseRanIt(String flag, String semantics, String algorithm) throws IOException {
        String file = policy();
        List<ProfileSettings> profiles =
                flag.isEmpty() ? profiles("--policy-config-file", file) : profiles("--policy-config-file", file, flag);

        ProfileSettings settings = profiles.get(0);
        assertEquals("a", placed(settings));
        assertEquals(1, settings.extenders().size());
        assertTrue(
                settings.algorithms().contains(algorithm), settings.algorithms().toString());
        assertEquals(
                file + ": runs as kube-scheduler " + semantics
                        + " ran policies; --policy-release selects a release from 1.17 to 1.22",
                settings.semantics());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "other=policy:FILE@1.22 | PodTopologySpread",
                "other=provider:ClusterAutoscalerProvider@1.21 | NodeResourcesMostAllocated",
                "other=provider:DefaultProvider@1.20 | NodeResourcesLeastAllocated",
            })
    void moreProfilesRunAsTheReleaseThatTheyName(String profile, String algorithm) throws IOException {
        ProfileSettings settings =
                profiles("--profile", profile.replace("FILE", policy())).get(0);
        assertTrue(
                settings.algorithms().contains(algorithm), settings.algorithms().toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--policy-release=1.23 | --policy-release: 1.23 is not a release from 1.17 to 1.22; later releases"
                        + " read no policies, see policy-scheduler migrate",
                "--policy-release=new | --policy-release: \"new\" is not a Kubernetes release such as 1.29",
            })
    void onlyReleasesThatRanPolicies(String flag, String message) {
        assertEquals(
                message,
                assertThrows(CommandLine.ParameterException.class, () -> profiles(flag))
                        .getMessage());
        assertEquals(
                "--strict-v1.17 and --policy-release=1.22 contradict each other; use one of them",
                assertThrows(
                                CommandLine.ParameterException.class,
                                () -> profiles("--strict-v1.17", "--policy-release=1.22"))
                        .getMessage());
    }

    /** Each version's own default plugins make a profile that works. */
    @ParameterizedTest
    @ValueSource(strings = {"v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3", "v1"})
    void theDefaultsOfEveryVersionPlacePods(String version) throws IOException {
        List<ProfileSettings> profiles = profiles("--config", file(version, ""));
        assertEquals(1, profiles.size());
        assertEquals("a", placed(profiles.get(0)));
    }

    @Test
    void theDefaultsOfTodayForOneNameOrTheMainOne() throws IOException {
        List<ProfileSettings> profiles = profiles("--profile", "modern", "--profile", "extra=modern");
        assertEquals(
                List.of("policy-scheduler", "extra"),
                profiles.stream().map(ProfileSettings::schedulerName).toList());
        assertEquals(
                List.of("a", "a"),
                profiles.stream().map(ProfilePlanTest::placed).toList());
        assertEquals(
                List.of("named"),
                profiles("--scheduler-name", "named", "--profile", "modern").stream()
                        .map(ProfileSettings::schedulerName)
                        .toList());
    }

    /** In 1.17, no list had to name the preFilter or preScore step of a plugin. */
    @Test
    void theFirstVersionAddsPluginsToThePolicy() throws IOException {
        Path policy = Files.writeString(
                folder.resolve("policy.json"),
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsHostPorts\"}],"
                        + "\"priorities\":[{\"name\":\"ImageLocalityPriority\",\"weight\":1}]}");
        String source = "algorithmSource: {policy: {file: {path: " + policy + "}}}\n";
        String added = source + "plugins:\n  filter: {enabled: [{name: NodeResourcesFit}]}\n"
                + "  score: {enabled: [{name: NodeResourcesMostAllocated, weight: 5}]}\n";
        assertEquals("a", placed(profiles("--config", file("v1alpha1", source)).get(0)));
        assertEquals("b", placed(profiles("--config", file("v1alpha1", added)).get(0)));
        String twice = source + "plugins:\n  filter: {enabled: [{name: NodePorts}]}\n";
        String file = file("v1alpha1", twice);
        assertEquals(
                file + ": error initializing the scheduling framework: plugin \"NodePorts\" already registered as"
                        + " \"FilterPlugin\"",
                assertThrows(InputException.class, () -> profiles("--config", file))
                        .getMessage());
    }

    @Test
    void aProfilesOwnValuesGoFirstThenTheFlagThenTheFile() throws IOException {
        String file = file("v1", """
            percentageOfNodesToScore: 50
            profiles:
            - schedulerName: own
              percentageOfNodesToScore: 30
              pluginConfig:
              - name: VolumeBinding
                args: {bindTimeoutSeconds: 7}
            - schedulerName: common
            """);
        List<ProfileSettings> fromFile = profiles("--config", file);
        assertEquals(
                List.of(30, 50),
                fromFile.stream().map(ProfileSettings::percentageOfNodesToScore).toList());
        assertEquals(Duration.ofSeconds(7), fromFile.get(0).volumeTimeout());
        assertNull(fromFile.get(1).volumeTimeout());
        assertEquals(
                List.of(30, 80),
                profiles("--config", file, "--percentage-of-nodes-to-score", "80").stream()
                        .map(ProfileSettings::percentageOfNodesToScore)
                        .toList());
    }

    @Test
    void profilesOfEveryKindSideBySide() throws IOException {
        Path policy = Files.writeString(
                folder.resolve("policy.json"), "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[]}");
        List<ProfileSettings> profiles = profiles(
                "--config",
                file("v1", "profiles: [{schedulerName: plugins}]\n"),
                "--profile",
                "file=policy:" + policy,
                "--profile",
                "stock=provider:DefaultProvider");
        List<String> names = new ArrayList<>();
        profiles.forEach(profile -> names.add(profile.schedulerName()));
        assertEquals(List.of("plugins", "file", "stock"), names);
        assertEquals(
                List.of("stock"),
                profiles("--profile", "stock=provider:DefaultProvider").stream()
                        .map(ProfileSettings::schedulerName)
                        .toList());
    }

    @Test
    void aNameCanBeTakenOnceOnly() throws IOException {
        String file = file("v1", "profiles: [{schedulerName: same}]\n");
        assertEquals(
                "two profiles for scheduler name \"same\": " + file + ", DefaultProvider",
                assertThrows(
                                InputException.class,
                                () -> profiles("--config", file, "--profile", "same=provider:DefaultProvider"))
                        .getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x|--profile: \"x\" is not policy:FILE, configmap:NAMESPACE/NAME, provider:NAME, config:FILE[#PROFILE]"
                        + " or modern; optionally with the suffix @1.N (the kube-scheduler of a release), or the prefix"
                        + " legacy: or strict:",
                "=policy:f|--profile: \"=policy:f\" does not contain a scheduler name; write NAME=policy:f",
                "policy:f|--profile: \"policy:f\" does not contain a scheduler name; write NAME=policy:f",
                "a=file:f|--profile: \"file:f\" is not policy:FILE, configmap:NAMESPACE/NAME, provider:NAME,"
                        + " config:FILE[#PROFILE] or modern; optionally with the suffix @1.N (the kube-scheduler of a"
                        + " release), or the prefix legacy: or strict:",
                "a=polcy:f|--profile: \"polcy:f\" is not policy:FILE, configmap:NAMESPACE/NAME, provider:NAME,"
                        + " config:FILE[#PROFILE] or modern; optionally with the suffix @1.N (the kube-scheduler of a"
                        + " release), or the prefix legacy: or strict: (did you mean \"policy:f\"?)",
                "a=legacy:f|--profile: \"a=legacy:f\": run does not support legacy: and strict: (did you mean"
                        + " --strict-v1.17?)",
            })
    void malformedProfiles(String text, String message) {
        assertEquals(
                message,
                assertThrows(CommandLine.ParameterException.class, () -> profiles("--profile", text))
                        .getMessage());
    }

    @ParameterizedTest
    @CsvSource({"'', first", "#second, second"})
    void aProfileOfAConfigurationUnderAnotherName(String which, String chosen) throws IOException {
        String file = file(
                "v1",
                "profiles: [{schedulerName: first, percentageOfNodesToScore: 10}, {schedulerName: second,"
                        + " percentageOfNodesToScore: 20}]\n");
        ProfileSettings profile =
                profiles("--profile", "own=config:" + file + which).get(0);
        assertEquals(
                List.of("own", file, chosen.equals("first") ? 10 : 20),
                List.of(profile.schedulerName(), profile.origin(), profile.percentageOfNodesToScore()));
    }

    /** The release of the API server, as run finds it at start, and the default profile that follows it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "99 | W303 Kubernetes 1.99 is newer than the newest supported release; decisions follow "
                        + Release.NEWEST_TEXT + " | " + Release.NEWEST_TEXT,
                "36 | | 1.36, the release of the cluster",
                "30 | | 1.30, the release of the cluster",
                "17 | | 1.18",
            })
    void theDefaultProfileIsThatOfTheCluster(int minor, @Nullable String warning, String deciding) throws IOException {
        ProfilePlan.Loaded loaded = loaded(minor, "--profile", "modern");
        assertEquals(warning == null ? List.of() : List.of(warning), loaded.warnings());
        ProfileSettings profile = loaded.profiles().get(0);
        assertEquals(
                "modern: decides as kube-scheduler " + deciding + "; modern@1.N selects a release",
                profile.semantics());
        assertEquals(minor >= 36, profile.algorithms().contains("NodeDeclaredFeatures"));
    }

    private static ProfilePlan.Loaded loaded(int minor, String... arguments) throws IOException {
        byte[] version = ("{\"major\":\"1\",\"minor\":\"" + minor + "\",\"gitVersion\":\"v1." + minor + ".0\"}")
                .getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/version", exchange -> {
            exchange.sendResponseHeaders(200, version.length);
            exchange.getResponseBody().write(version);
            exchange.close();
        });
        server.start();
        try (KubeConnection connection =
                KubeConnection.fromUrl("http://127.0.0.1:" + server.getAddress().getPort())) {
            ConfigCommand.Show command = new ConfigCommand.Show(Map.of());
            new CommandLine(command).parseArgs(arguments);
            return new ProfilePlan(command.profileRequest()).load(connection);
        } finally {
            server.stop(0);
        }
    }

    /** A configuration decides as the cluster, if that reads its version, or as {@code --release} says. */
    @ParameterizedTest
    @CsvSource({
        "v1, 36, '', '1.36, the release of the cluster', 1.36",
        "v1, 34, '', '1.34, the release of the cluster', 1.34",
        "v1, 34, 1.29, '1.29, the release of the cluster', 1.29",
        "v1, 22, '', 1.25, 1.25",
        "v1, 99, '', " + Release.NEWEST_TEXT + ", " + Release.NEWEST_TEXT,
        "v1beta3, 24, '', '1.24, the release of the cluster', 1.24",
        "v1beta3, 35, '', '1.35, the release of the cluster', 1.35",
    })
    void aConfigurationDecidesAsTheCluster(
            String version, int minor, String release, String deciding, String expected, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(
                folder.resolve("config.yaml"),
                "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n");
        List<String> flags = new ArrayList<>(List.of("--config", file.toString()));
        if (!release.isEmpty()) {
            flags.addAll(List.of("--release", release));
        }
        ProfileSettings profile =
                loaded(minor, flags.toArray(String[]::new)).profiles().get(0);
        assertEquals(
                file + ": decides as kube-scheduler " + deciding + "; --release=1.N selects a release",
                profile.semantics());
        ClusterState cluster = new ClusterState();
        cluster.putNode(node("n").taint("k", "v", "NoSchedule").build());
        Profile plugins = profile.source().factory().create(cluster, WaitingPods.NONE, Clock.systemUTC());
        assertEquals(
                Release.parse(expected).atLeast(35)
                        ? "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
                        : "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.",
                SchedulingCycle.of(plugins, cluster)
                        .decide(pod("p").build(), NominatedPods.NONE)
                        .message());
    }

    /** Any key of a ConfigMap of the cluster may contain the configuration. */
    @ParameterizedTest
    @CsvSource({"v1, #second, 20", "v1, '', 10", "v1alpha1, '', 30"})
    void aProfileOfAConfigMap(String version, String which, int percentage) throws IOException {
        String text = "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n"
                + (version.equals("v1")
                        ? "profiles: [{schedulerName: first, percentageOfNodesToScore: 10}, {schedulerName: second,"
                                + " percentageOfNodesToScore: 20}]\n"
                        : "algorithmSource: {policy: {file: {path: " + policy() + "}}}\npercentageOfNodesToScore: 30\n"
                                + "plugins: {score: {enabled: [{name: ImageLocality, weight: 5}]}}\n");
        ObjectNode map =
                JsonNodeFactory.instance.objectNode().put("kind", "ConfigMap").put("apiVersion", "v1");
        map.putObject("metadata").put("name", "sched").put("namespace", "kube-system");
        map.putObject("data").put("scheduler-config.yaml", text);
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start();
                KubeConnection connection = KubeConnection.fromUrl(cluster.url())) {
            cluster.load(map);
            ConfigCommand.Show arguments = new ConfigCommand.Show(Map.of());
            new CommandLine(arguments)
                    .parseArgs("--release", "1.34", "--profile", "own=configmap:kube-system/sched" + which);
            ProfilePlan.Loaded loaded = new ProfilePlan(arguments.profileRequest()).load(connection);
            ProfileSettings profile = loaded.profiles().get(0);
            assertEquals(
                    List.of("own", percentage, Set.of(new ConfigMapName("kube-system", "sched"))),
                    List.of(
                            profile.schedulerName(),
                            profile.percentageOfNodesToScore(),
                            loaded.texts().configMaps()));
            Profile plugins =
                    profile.source().factory().create(new ClusterState(), WaitingPods.NONE, Clock.systemUTC());
            assertEquals(
                    version.equals("v1") ? 1 : 5,
                    plugins.scores().stream()
                            .filter(score -> score.plugin().name().equals("ImageLocality"))
                            .findFirst()
                            .orElseThrow()
                            .weight());
        }
    }

    @Test
    void aBadVariableIsNamed() {
        StringWriter err = new StringWriter();
        int code = new CommandLine(new ConfigCommand.Show(Map.of("POLICY_SCHEDULER_POD_MAX_BACKOFF_SECONDS", "soon")))
                .setErr(new PrintWriter(err))
                .setParameterExceptionHandler(new ErrorReport(() -> false))
                .execute();
        assertEquals(ExitCode.USAGE, code);
        assertTrue(
                err.toString().contains("(from environment POLICY_SCHEDULER_POD_MAX_BACKOFF_SECONDS)"), err::toString);
    }
}
