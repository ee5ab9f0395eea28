package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Configurations.lines;
import static io.policyscheduler.framework.config.Configurations.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationWarningCode;
import io.policyscheduler.framework.config.SchedulerConfiguration.AlgorithmSource;
import io.policyscheduler.framework.config.SchedulerConfiguration.LeaderElectionSettings;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigurationReaderTest {
    private static final LeaderElectionSettings LEASES = new LeaderElectionSettings(
            true,
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            "leases",
            "kube-system",
            "kube-scheduler");

    @ParameterizedTest
    @EnumSource(ConfigVersion.class)
    void fillsInDefaults(ConfigVersion version) throws ConfigurationException {
        SchedulerConfiguration read = read(version, "");
        boolean leases = version.atLeast(ConfigVersion.V1BETA1);
        boolean addresses = !version.atLeast(ConfigVersion.V1BETA3);
        assertEquals(version, read.version());
        assertEquals(16, read.value(Settings.PARALLELISM).asInt());
        assertNull(read.percentageOfNodesToScore());
        assertEquals(1, read.value(Settings.INITIAL_BACKOFF).asLong());
        assertEquals(10, read.value(Settings.MAX_BACKOFF).asLong());
        assertEquals(
                leases ? "leases" : "endpointsleases", read.leaderElection().resourceLock());
        assertEquals("", read.value(Settings.KUBECONFIG).asText(""));
        assertEquals("", read.value(Settings.ACCEPT_CONTENT_TYPES).asText(""));
        assertEquals(
                "application/vnd.kubernetes.protobuf",
                read.value(Settings.CONTENT_TYPE).asText());
        assertEquals(50, read.value(Settings.QPS).asDouble());
        assertEquals(100, read.value(Settings.BURST).asInt());
        assertEquals(addresses ? "0.0.0.0:10251" : null, read.healthzBindAddress());
        assertEquals(addresses ? "0.0.0.0:10251" : null, read.metricsBindAddress());
        assertEquals(1, read.value(Settings.HARD_WEIGHT).asInt());
        assertFalse(read.value(Settings.DISABLE_PREEMPTION).asBoolean());
        assertEquals(600, read.value(Settings.BIND_TIMEOUT).asLong());
        assertEquals(List.of(), read.extenders());
        assertEquals(List.of(), read.warnings());
        assertEquals(
                List.of("default-scheduler"),
                read.profiles().stream()
                        .map(ProfileConfiguration::schedulerName)
                        .toList());
        assertEquals(
                version == ConfigVersion.V1ALPHA1 ? new AlgorithmSource.Provider("DefaultProvider") : null,
                read.algorithmSource());
        assertEquals(List.of(), new ConfigurationValidator().validate(read));
    }

    @Test
    void readsEveryScalar() throws ConfigurationException {
        SchedulerConfiguration read = read(ConfigVersion.V1BETA2, """
                parallelism: 4
                percentageOfNodesToScore: 30
                podInitialBackoffSeconds: 2
                podMaxBackoffSeconds: 20
                enableProfiling: false
                healthzBindAddress: ":1234"
                metricsBindAddress: 127.0.0.1
                leaderElection: {leaderElect: false, leaseDuration: 1m30s, renewDeadline: 0s, resourceName: mine}
                clientConnection: {kubeconfig: /k, acceptContentTypes: a, contentType: application/json, qps: 2.5, burst: 7}
                """);
        assertEquals(4, read.value(Settings.PARALLELISM).asInt());
        assertEquals(30, read.percentageOfNodesToScore());
        assertEquals(2, read.value(Settings.INITIAL_BACKOFF).asLong());
        assertEquals(20, read.value(Settings.MAX_BACKOFF).asLong());
        assertFalse(read.value(Settings.PROFILING).asBoolean(true));
        assertEquals("0.0.0.0:1234", read.healthzBindAddress());
        assertEquals("127.0.0.1:10251", read.metricsBindAddress());
        assertEquals(
                new LeaderElectionSettings(
                        false,
                        Duration.ofSeconds(90),
                        LEASES.renewDeadline(),
                        LEASES.retryPeriod(),
                        "leases",
                        "kube-system",
                        "mine"),
                read.leaderElection());
        assertEquals("/k", read.value(Settings.KUBECONFIG).asText());
        assertEquals("a", read.value(Settings.ACCEPT_CONTENT_TYPES).asText());
        assertEquals("application/json", read.value(Settings.CONTENT_TYPE).asText());
        assertEquals(2.5, read.value(Settings.QPS).asDouble());
        assertEquals(7, read.value(Settings.BURST).asInt());
        assertEquals(Optional.of(new SourcePosition(3, 14)), read.positions().of("parallelism"));
        assertEquals(Optional.empty(), read.positions().of("profiles"));
    }

    static Stream<Arguments> algorithmSources() {
        return Stream.of(
                arguments("{}", new AlgorithmSource.Provider("DefaultProvider")),
                arguments("{provider: ''}", new AlgorithmSource.Provider("DefaultProvider")),
                arguments(
                        "{provider: ClusterAutoscalerProvider}",
                        new AlgorithmSource.Provider("ClusterAutoscalerProvider")),
                arguments("{policy: {file: {path: /p}}}", new AlgorithmSource.PolicyFile("/p")),
                arguments(
                        "{policy: {configMap: {name: cm}}}", new AlgorithmSource.PolicyConfigMap("kube-system", "cm")),
                arguments(
                        "{policy: {configMap: {name: cm, namespace: x}, file: {path: /p}}}",
                        new AlgorithmSource.PolicyFile("/p")),
                arguments("{policy: {}}", new AlgorithmSource.EmptyPolicy()),
                arguments("{provider: A, policy: {file: {path: /p}}}", new AlgorithmSource.Provider("A")));
    }

    @ParameterizedTest
    @MethodSource("algorithmSources")
    void readsTheAlgorithmSource(String source, AlgorithmSource expected) throws ConfigurationException {
        assertEquals(
                expected,
                read(ConfigVersion.V1ALPHA1, "algorithmSource: " + source).algorithmSource());
    }

    @Test
    void v1alpha1WarnsWhereOthersRefuse() throws ConfigurationException {
        SchedulerConfiguration read = read(ConfigVersion.V1ALPHA1, """
                schedulerNam: x
                bindTimeoutSeconds: 5
                bindTimeoutSeconds: 7
                disablePreemption: true
                hardPodAffinitySymmetricWeight: 9
                healthzBindAddress: nonsense
                algorithmSource: {provider: A, policy: {}}
                plugins: {filter: {disabled: [{name: "*"}]}}
                leaderElection: {lockObjectName: old}
                """);
        assertEquals(9, read.value(Settings.HARD_WEIGHT).asInt());
        assertTrue(read.value(Settings.DISABLE_PREEMPTION).asBoolean());
        assertEquals(7, read.value(Settings.BIND_TIMEOUT).asLong());
        assertEquals("0.0.0.0:10251", read.healthzBindAddress());
        assertEquals("old", read.leaderElection().resourceName());
        assertEquals(
                List.of(
                        "c.yaml:3:1: warning W201: unknown field \"schedulerNam\" (did you mean \"schedulerName\"?)",
                        "c.yaml:5:1: warning W202: duplicate field \"bindTimeoutSeconds\"",
                        "c.yaml:10:30: warning W204: plugins.filter.disabled has no effect in v1alpha1, not even \"*\"",
                        "c.yaml:9:40: warning W205: provider A and a policy are both given; v1.17 takes the provider",
                        "c.yaml:8:21: warning W206: healthzBindAddress nonsense is no address; 0.0.0.0:10251 is used"),
                read.warnings().stream().map(warning -> warning.line("c.yaml")).toList());
    }

    @Test
    void readsExtenders() throws ConfigurationException {
        SchedulerConfiguration now = read(
                ConfigVersion.V1,
                "extenders: [{urlPrefix: u, filterVerb: f, weight: 5, enableHTTPS: true, httpTimeout: 5s,\n"
                        + "  managedResources: [{name: a/b, ignoredByScheduler: true}], tlsConfig: {caData: YQ==}}]\n");
        ExtenderConfig extender = now.extenders().get(0);
        assertEquals(5_000_000_000L, extender.httpTimeoutNanos());
        assertEquals(true, extender.enableHttps());
        assertEquals(List.of(new ManagedResource("a/b", true, new SourcePosition(4, 22))), extender.managedResources());
        assertEquals(
                "[\"a/b\"]",
                now.argumentsOf(now.profiles().get(0), "NodeResourcesFit")
                        .map(args -> args.args().path("ignoredResources").toString())
                        .orElse(""));
        SchedulerConfiguration old = read(
                ConfigVersion.V1ALPHA2,
                "extenders: [{URLPrefix: u, enablehttps: true, httpTimeout: 5000000000, x: 1}]");
        assertEquals("u", old.extenders().get(0).urlPrefix());
        assertEquals(true, old.extenders().get(0).enableHttps());
        assertEquals(5_000_000_000L, old.extenders().get(0).httpTimeoutNanos());
    }

    @Test
    void readsJson() throws ConfigurationException {
        SchedulerConfiguration read = new ConfigurationReader(Release.V1_34)
                .read(
                        "{\"kind\":\"KubeSchedulerConfiguration\",\n"
                                + " \"apiVersion\":\"kubescheduler.config.k8s.io/v1\", \"parallelism\": 3}",
                        "c.json");
        assertEquals(3, read.value(Settings.PARALLELISM).asInt());
        assertEquals(Optional.of(new SourcePosition(2, 64)), read.positions().of("parallelism"));
    }

    @Test
    void warnsOfMoreDocuments() throws ConfigurationException {
        assertEquals(
                List.of(ConfigurationWarningCode.MORE_DOCUMENTS),
                read(ConfigVersion.V1, "---\nx: 1\n").warnings().stream()
                        .map(Warning::code)
                        .toList());
    }

    static Stream<Arguments> malformed() {
        String strict = "strict decoding error: ";
        String args = "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding"
                + " args for plugin NodeResourcesFit: strict decoding error: ";
        return Stream.of(
                arguments(
                        ConfigVersion.V1,
                        "paralelism: 1\nParallelism: 2\n",
                        List.of(
                                "c.yaml:3:1: " + strict
                                        + "unknown field \"paralelism\" (did you mean \"parallelism\"?)",
                                "c.yaml:4:1: " + strict
                                        + "unknown field \"Parallelism\" (did you mean \"parallelism\"?)")),
                arguments(
                        ConfigVersion.V1,
                        "parallelism: 1\nparallelism: 1\n",
                        List.of("c.yaml:4:1: " + strict + "duplicate field \"parallelism\"")),
                arguments(
                        ConfigVersion.V1,
                        "profiles:\n- plugins:\n    filters: {}\n",
                        List.of("c.yaml:5:5: " + strict
                                + "unknown field \"profiles[0].plugins.filters\" (did you mean \"filter\"?)")),
                arguments(
                        ConfigVersion.V1,
                        "algorithmSource: {}\n",
                        List.of("c.yaml:3:1: " + strict
                                + "unknown field \"algorithmSource\" (did you mean \"profiles[].plugins\"?)")),
                arguments(
                        ConfigVersion.V1BETA1,
                        "bindTimeoutSeconds: 1\nprofiles: [{plugins: {multiPoint: {}}}]\n",
                        List.of(
                                "c.yaml:3:1: " + strict + "unknown field \"bindTimeoutSeconds\" (did you mean"
                                        + " \"bindTimeoutSeconds in the args of VolumeBinding\"?)",
                                "c.yaml:4:23: " + strict + "unknown field \"profiles[0].plugins.multiPoint\"")),
                arguments(
                        ConfigVersion.V1BETA3,
                        "healthzBindAddress: ''\n",
                        List.of("c.yaml:3:1: " + strict + "unknown field \"healthzBindAddress\" (did you mean"
                                + " \"the flags --bind-address and --secure-port\"?)")),
                arguments(
                        ConfigVersion.V1,
                        "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {ignoredResource: [], scoringStrategy:"
                                + " {typ: x}}\n",
                        List.of(
                                "c.yaml:6:12: " + args
                                        + "unknown field \"ignoredResource\" (did you mean \"ignoredResources\"?)",
                                "c.yaml:6:51: " + args
                                        + "unknown field \"scoringStrategy.typ\" (did you mean \"type\"?)")),
                arguments(
                        ConfigVersion.V1,
                        "profiles: [{pluginConfig: [{name: NodeAffinity, args: {kind: NodeAffinityArg}}]}]\n",
                        List.of(
                                "c.yaml:3:62: decoding .profiles[0].pluginConfig[0]: args for plugin NodeAffinity were not of"
                                        + " type NodeAffinityArgs.kubescheduler.config.k8s.io, got"
                                        + " NodeAffinityArg.kubescheduler.config.k8s.io (did you mean \"NodeAffinityArgs\"?)")),
                arguments(
                        ConfigVersion.V1,
                        "parallelism: x\npercentageOfNodesToScore: 1.5\npodMaxBackoffSeconds: 99999999999999999999\n",
                        List.of(
                                "c.yaml:3:14: json: cannot unmarshal string into Go struct field"
                                        + " KubeSchedulerConfiguration.parallelism of type int32",
                                "c.yaml:4:27: json: cannot unmarshal number 1.5 into Go struct field"
                                        + " KubeSchedulerConfiguration.percentageOfNodesToScore of type int32",
                                "c.yaml:5:23: json: cannot unmarshal number 100000000000000000000 into Go struct field"
                                        + " KubeSchedulerConfiguration.podMaxBackoffSeconds of type int64")),
                arguments(
                        ConfigVersion.V1,
                        "profiles: [{schedulerName: 5}]\n",
                        List.of("c.yaml:3:28: json: cannot unmarshal number into Go struct field"
                                + " KubeSchedulerProfile.profiles.schedulerName of type string")),
                arguments(
                        ConfigVersion.V1,
                        "profiles: {}\n",
                        List.of("c.yaml:3:11: json: cannot unmarshal object into Go struct field"
                                + " KubeSchedulerConfiguration.profiles of type []KubeSchedulerProfile")),
                arguments(
                        ConfigVersion.V1,
                        "leaderElection: {leaseDuration: 15, retryPeriod: 2}\nextenders: [{httpTimeout: 5000000000}]\n",
                        List.of(
                                "c.yaml:3:33: json: cannot unmarshal number into Go struct field LeaderElectionConfiguration.leaderElection.leaseDuration of type string"
                                        + " (did you mean \"15s\"?)",
                                "c.yaml:3:50: json: cannot unmarshal number into Go struct field LeaderElectionConfiguration.leaderElection.retryPeriod of type string"
                                        + " (did you mean \"2s\"?)",
                                "c.yaml:4:27: json: cannot unmarshal number into Go struct field Extender.extenders.httpTimeout of type string"
                                        + " (did you mean \"5s\"?)")),
                arguments(
                        ConfigVersion.V1,
                        "leaderElection: {leaseDuration: soon}\n",
                        List.of("c.yaml:3:33: time: invalid duration \"soon\"")),
                arguments(
                        ConfigVersion.V1,
                        "extenders: [{enableHttps: true, tlsConfig: {caData: '%'}}]\n",
                        List.of(
                                "c.yaml:3:14: " + strict
                                        + "unknown field \"extenders[0].enableHttps\" (did you mean \"enableHTTPS\"?)",
                                "c.yaml:3:53: illegal base64 data in extenders[0].tlsConfig.caData")),
                arguments(
                        ConfigVersion.V1ALPHA1,
                        "leaderElection: {resourceName: a, lockObjectName: b}\n",
                        List.of("c.yaml:3:51: ResourceName and LockObjectName are both set and do not match,"
                                + " ResourceName: a, LockObjectName: b")));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void refuses(ConfigVersion version, String body, List<String> expected) {
        assertEquals(expected, lines(assertThrows(ConfigurationException.class, () -> read(version, body))));
    }

    static Stream<Arguments> wrongKinds() {
        String want =
                " (did you mean \"kind: KubeSchedulerConfiguration, apiVersion: kubescheduler.config.k8s.io/v1\"?)";
        String scheme = " in scheme \"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30\"";
        return Stream.of(
                arguments("", "c.yaml:1:1: Object 'Kind' is missing" + want),
                arguments("kind: KubeSchedulerConfiguration\n", "c.yaml:1:1: Object 'apiVersion' is missing" + want),
                arguments(
                        "[]",
                        "c.yaml:1:1: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go"
                                + " value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string"
                                + " \"json:\\\"kind,omitempty\\\"\" }"),
                arguments(
                        "kind: 1\n",
                        "c.yaml:1:7: couldn't get version/kind; json parse error: json: cannot unmarshal number"
                                + " into Go struct field .kind of type string"),
                arguments(
                        "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta4\n",
                        "c.yaml:2:13: no kind \"KubeSchedulerConfiguration\" is registered for version"
                                + " \"kubescheduler.config.k8s.io/v1beta4\"" + scheme
                                + " (did you mean \"kubescheduler.config.k8s.io/v1\"?)"),
                arguments(
                        "kind: Policy\napiVersion: v1\n",
                        "c.yaml:1:7: no kind \"Policy\" is registered for version \"v1\"" + scheme
                                + "; the document is a policy: pass it with --policy-config-file (run) or --policy"));
    }

    @ParameterizedTest
    @MethodSource("wrongKinds")
    void refusesOtherKinds(String text, String expected) {
        ConfigurationException refused = assertThrows(
                ConfigurationException.class, () -> new ConfigurationReader(Release.V1_34).read(text, "c.yaml"));
        assertEquals(List.of(expected), lines(refused));
    }

    @Test
    void keepsArgumentsOfUnknownPlugins() throws ConfigurationException {
        ProfileConfiguration profile = read(
                        ConfigVersion.V1,
                        "profiles: [{pluginConfig: [{name: Mine, args: {a: [1, 2.5, x, null, true], kind: K}}, {name: Other}]}]\n")
                .profiles()
                .get(0);
        assertEquals(
                "{\"a\":[1,2.5,\"x\",null,true],\"kind\":\"K\"}",
                profile.argumentsOf("Mine").map(args -> args.args().toString()).orElse(""));
        assertEquals(
                "null",
                profile.argumentsOf("Other").map(args -> args.args().toString()).orElse(""));
    }
}
