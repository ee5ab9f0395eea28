package io.policyscheduler.cmd.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.insight.migrate.MigrationTarget;
import io.policyscheduler.framework.insight.migrate.Migrator;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MigrateCommandTest {
    private static final String LOSSY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: PodFitsResources
            - name: SameRegion
              argument: {serviceAffinity: {labels: [region]}}
            priorities:
            - name: NodePreferAvoidPodsPriority
              weight: 10000
            """;

    private final Path folder;

    MigrateCommandTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private static SchedulerConfiguration read(String text) throws ConfigurationException {
        return new ConfigurationReader().read(text, "stdout");
    }

    @Test
    void writesOnlyTheConfigurationToStdout() throws IOException, ConfigurationException {
        String policy = file("p.yaml", LOSSY);
        CommandRun run = CommandRun.of("migrate", policy, "--scheduler-name", "old");
        assertEquals(ExitCode.NEGATIVE, run.code());
        assertEquals("old", read(run.out()).profiles().get(0).schedulerName());
        List<String> lines = run.err().lines().toList();
        assertEquals(
                List.of(
                        "p.yaml migrated to v1 for " + Release.NEWEST_TEXT
                                + ": 2 algorithms are the same, 1 differs only in special cases, 0 differ,"
                                + " 2 are lost (SameRegion, NodePreferAvoidPodsPriority).",
                        "",
                        "CODE   ALGORITHM                     PLUGIN              RESULT    EFFECT                       WHAT TO DO",
                        "M001   SameRegion                    -                   LOST      services can be split        required"
                                + " podAffinity",
                        "M002   NodePreferAvoidPodsPriority   -                   LOST      preferAvoidPods is ignored   taint"
                                + " nodes that have the annotation"),
                lines.subList(0, 5));
        assertEquals(
                "Use --details to see each effect in full, with plugins and numbers.", lines.get(lines.size() - 1));
    }

    @Test
    void detailsAreFullSentences() throws IOException {
        String policy = file("p.yaml", LOSSY);
        List<String> lines = CommandRun.of("migrate", policy, "--details")
                .err()
                .lines()
                .dropWhile(line -> !line.startsWith(policy))
                .toList();
        assertEquals(
                policy
                        + ":5:3: loss M001: SameRegion: impossible: serviceAffinity [region] has no successor. Pods of a"
                        + " service can run on nodes with different values of these labels.",
                lines.get(0));
        assertTrue(lines.get(1).startsWith("    fix: Give the workloads a required podAffinity"), lines.get(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 100, 130, 160})
    void rowsHaveAtMostTwoLines(int columns) throws PolicyException, IOException {
        Path demo = Path.of("../../policy-files/demo/policy.json");
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry());
        Policy policy = resolver.reader().read(Files.readString(demo), demo.toString());
        MigrationTarget target = MigrationTarget.of(ConfigVersion.V1, null);
        Migration migration = new Migrator(target, Options.DEFAULTS).migrate(resolver.resolve(policy), policy);
        StringWriter text = new StringWriter();
        TerminalWriter out = new TerminalWriter(text, new Terminal(columns, false));
        new MigrationReport(migration).print(out, false, false);
        out.flush();
        int continued = 0;
        for (String line : text.toString().lines().toList()) {
            continued = line.startsWith("       ") ? continued + 1 : 0;
            assertTrue(continued < 2, text::toString);
            assertTrue(line.length() <= columns || line.startsWith("policy.json") || line.startsWith(".."), line);
        }
    }

    @Test
    void keepsWithAnExtenderAndWritesItsPolicies() throws IOException, ConfigurationException {
        String policy = file("p.yaml", LOSSY);
        Path kept = folder.resolve("kept.json");
        Path config = folder.resolve("config.yaml");
        CommandRun run = CommandRun.of(
                "migrate",
                policy,
                "--keep-with-extender",
                "--extender-policy",
                kept.toString(),
                "--config-file",
                config.toString());
        assertEquals(ExitCode.OK, run.code(), run.err());
        assertEquals("", run.out());
        assertEquals(2, read(Files.readString(config)).extenders().size());
        assertTrue(run.err().contains("    policy-scheduler extender --policy " + kept + " --port 8888\n"), run.err());
        assertFalse(run.err().contains("\"kind\""), run.err());
        for (String name : List.of("kept.json", "kept-avoid-pods.json")) {
            CommandRun validated =
                    CommandRun.of("validate", folder.resolve(name).toString());
            assertEquals(ExitCode.OK, validated.code(), validated.out());
        }
    }

    @Test
    void showsThePolicyOfTheExtenderWhenItGoesToNoFile() throws IOException {
        CommandRun run = CommandRun.of("migrate", file("p.yaml", LOSSY), "--keep-with-extender");
        assertTrue(run.err().contains("with this extender-policy.json (--extender-policy FILE writes it):"), run.err());
        assertTrue(run.err().contains("\"SameRegion\""), run.err());
    }

    @Test
    void givesEverythingAsOneDocument() throws IOException, ConfigurationException {
        CommandRun run = CommandRun.of("migrate", file("p.yaml", LOSSY), "-o", "json", "--keep-with-extender");
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertEquals("", run.err());
        assertEquals("kubescheduler.config.k8s.io/v1", json.path("apiVersion").asText());
        assertEquals(Release.NEWEST_TEXT, json.path("release").asText());
        assertEquals("multiPoint", json.path("layout").asText());
        assertFalse(json.path("lossy").asBoolean(true));
        assertEquals(2, read(json.path("configuration").asText()).extenders().size());
        JsonNode finding = json.path("findings").get(0);
        assertEquals("M008", finding.path("code").asText());
        assertEquals("warn", finding.path("level").asText());
        assertEquals("approximated", finding.path("fidelity").asText());
        assertEquals("SameRegion", finding.path("item").asText());
        assertEquals(5, finding.path("line").asInt());
        assertEquals(3, finding.path("column").asInt());
        assertEquals(2, json.path("extenders").size());
        assertEquals(
                "SameRegion", json.path("extenders").get(0).path("items").get(0).asText());
    }

    @Test
    void theSameFormulaIsTheSame() throws IOException {
        String policy = file("p.json", """
                {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "NoDiskConflict"}],
                 "priorities": [{"name": "LeastRequestedPriority", "weight": 1}]}
                """);
        CommandRun run = CommandRun.of("migrate", policy, "--to", "v1beta1");
        assertEquals(
                "p.json migrated to v1beta1 for 1.21: 4 algorithms are the same, 0 differ, none is lost.",
                run.err().lines().findFirst().orElse(""));
    }

    @ParameterizedTest
    @CsvSource({"v1,NodeAffinity", "v1beta3,NodeAffinity", "v1beta2,PodTopologySpread", "v1beta1,PodTopologySpread"})
    void migratesProviders(String version, String reweighted) throws ConfigurationException {
        CommandRun run = CommandRun.of("migrate", "--provider", "DefaultProvider", "--to", version);
        assertEquals(ExitCode.OK, run.code(), run.err());
        assertEquals(version, read(run.out()).version().version());
        assertTrue(run.out().contains("- name: " + reweighted), run.out());
        CommandRun defaults =
                CommandRun.of("migrate", "--provider", "DefaultProvider", "--to", version, "--accept-defaults");
        assertFalse(defaults.out().contains("plugins:"), defaults.out());
    }

    @Test
    void readsConfigMaps() throws IOException {
        String map = "kind: ConfigMap\napiVersion: v1\ndata:\n  policy.cfg: |\n" + LOSSY.indent(4);
        CommandRun run = CommandRun.of("migrate", file("map.yaml", map));
        assertTrue(run.out().contains("# PodFitsResources map.yaml[policy.cfg]:4\n"), run.out());
    }

    @Test
    void refusesWhatValidateRefuses() throws IOException {
        CommandRun run = CommandRun.of("migrate", file("p.yaml", LOSSY.replace("PodFitsResources", "PodFitsResource")));
        assertEquals(ExitCode.BAD_INPUT, run.code());
        assertEquals("", run.out());
        assertTrue(run.err().contains("(did you mean \"PodFitsResources\"?)"), run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--to|v2|\"v2\" is not v1, v1beta3, v1beta2 or v1beta1",
                "--to|v1alpha1|a policy cannot be migrated to v1alpha1; there are v1, v1beta3, v1beta2, v1beta1",
                "--to|1.20|\"1.20\" is not v1, v1beta3, v1beta2 or v1beta1; set --release for a release",
                "--release|1.18|Kubernetes 1.18 does not read v1 (since 1.25); it runs the policy itself",
                "--release|new|\"new\" is not a Kubernetes release such as 1.29",
                "--extender-url|localhost|\"localhost\" is no URL such as http://127.0.0.1:8888",
                "--scheduler-name|' '|is empty",
            })
    void refusesOptionsThatMakeNoSense(String option, String value, String message) {
        CommandRun run = CommandRun.of("migrate", "--provider", "DefaultProvider", option, value);
        assertEquals(ExitCode.USAGE, run.code());
        assertTrue(run.err().contains(message), run.err());
    }

    /** Without --to, the configuration has the newest version that the release reads. */
    @ParameterizedTest
    @CsvSource({"1.19, v1beta1", "1.21, v1beta1", "1.22, v1beta2", "1.24, v1beta3", "1.25, v1", "1.36, v1"})
    void writesTheNewestVersionOfTheRelease(String release, String version) {
        CommandRun run = CommandRun.of("migrate", "--provider", "DefaultProvider", "--release", release);
        assertEquals(
                "apiVersion: kubescheduler.config.k8s.io/" + version,
                run.out().lines().skip(1).findFirst().orElse(""),
                run.err());
    }

    @Test
    void needsExactlyOnePolicy() throws IOException {
        assertEquals(ExitCode.USAGE, CommandRun.of("migrate").code());
        String policy = file("p.yaml", LOSSY);
        assertEquals(
                ExitCode.USAGE,
                CommandRun.of("migrate", policy, "--provider", "DefaultProvider")
                        .code());
    }

    private static final String SPREAD_DUMP = """
            ---
            {kind: Node, metadata: {name: a, labels: {zone: z1}}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}
            ---
            {kind: Node, metadata: {name: b, labels: {zone: z2}}, spec: {taints: [{key: k, effect: NoSchedule}]},
             status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}
            ---
            {kind: Pod, metadata: {name: r, labels: {app: w}}, spec: {nodeName: a, containers: [{name: c, image: i}]}}
            ---
            {kind: Pod, metadata: {name: p, labels: {app: w}}, spec: {containers: [{name: c, image: i}],
             topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule,
             nodeTaintsPolicy: Ignore, labelSelector: {matchLabels: {app: w}}}]}}
            """;

    /** A pod that asks for hard spreading is rejected by the policy and by its migration, in every layout and version. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PodFitsResources | v1 | 1.36",
                "PodFitsResources | v1 | 1.34",
                "PodFitsResources | v1beta3 | 1.24",
                "PodFitsResources | v1beta1 | 1.21",
                "CheckVolumeBinding | v1 | 1.35",
            })
    void keepsWhatPodsOfTheReleaseRelyOn(String predicate, String version, String release) throws IOException {
        String policy = file(
                "p.yaml",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"" + predicate
                        + "\"}],\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":1}]}");
        String dump = file("world.yaml", SPREAD_DUMP);
        CommandRun migrated = CommandRun.of("migrate", policy, "--to", version, "--release", release, "--verify", dump);
        assertTrue(migrated.err().contains("decisions differ for 0 of 2 pods; 100.0 % agree"), migrated.err());
        String configuration = file("c.yaml", migrated.out());
        String strict = file(
                "strict.yaml",
                CommandRun.of("migrate", policy, "--to", version, "--release", release, "--strict-v1.17")
                        .out());
        assertEquals(
                List.of(1, 1, 0),
                List.of(
                        CommandRun.of("simulate", "--policy", policy, "--cluster", dump)
                                .code(),
                        CommandRun.of("simulate", "--scheduler", "config:" + configuration, "--cluster", dump)
                                .code(),
                        CommandRun.of("simulate", "--scheduler", "config:" + strict, "--cluster", dump)
                                .code()));
    }

    /** A loss that rarely matters comes first, and only --fail-on turns it into an exit code. */
    @Test
    void lossesAreCountedAndComeFirst() throws IOException {
        String policy = file(
                "p.yaml",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"},"
                        + "{\"name\":\"EvenPodsSpread\"}],\"priorities\":["
                        + "{\"name\":\"NodePreferAvoidPodsPriority\",\"weight\":10000}]}");
        CommandRun run = CommandRun.of("migrate", policy, "--details", "--feature-gates", "EvenPodsSpread=true");
        CommandRun failing = CommandRun.of(
                "migrate", policy, "--details", "--feature-gates", "EvenPodsSpread=true", "--fail-on", "loss");
        assertEquals(List.of(0, 1), List.of(run.code(), failing.code()));
        List<String> lines = run.err().lines().toList();
        assertTrue(
                lines.stream()
                        .filter(line -> line.startsWith(policy + ":1:"))
                        .findFirst()
                        .orElse("")
                        .contains(": loss M002: NodePreferAvoidPodsPriority: impossible: "),
                run.err());
        assertTrue(lines.get(0).contains(", 1 is lost (NodePreferAvoidPodsPriority)."), run.err());
        assertEquals(2, CommandRun.of("migrate", policy, "--fail-on", "warning").code());
    }

    @Test
    void aNewerReleaseIsReported() throws IOException {
        assertEquals(
                "warning: W303 Kubernetes 1.99 is newer than the newest supported release; decisions follow "
                        + Release.NEWEST_TEXT,
                CommandRun.of("migrate", file("p.yaml", LOSSY), "--release", "1.99")
                        .err()
                        .lines()
                        .findFirst()
                        .orElse(""));
    }

    /** The plugins, the name, and the settings of a v1alpha1 configuration are part of the migration. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{score: {enabled: [{name: ImageLocality, weight: 5}]}} | small | ''",
                "{filter: {enabled: [{name: NodeName}]}} | large | ''",
                "{filter: {enabled: [{name: NodeAffinity}]}, score: {enabled: [{name: TaintToleration, weight: 2}]}}"
                        + " | large | ''",
                "{filter: {enabled: [{name: NodeLabel}]}} | small | loss M047: NodeLabel: impossible: FILE enables NodeLabel"
                        + " at filter, which " + Release.NEWEST_TEXT + " does not have.",
            })
    void migratesV1alpha1(String plugins, String node, String loss) throws IOException, ConfigurationException {
        String policy = file(
                "p.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"}],"
                        + "\"priorities\":[{\"name\":\"LeastRequestedPriority\",\"weight\":2}]}");
        String old = file(
                "old.yaml",
                "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
                        + "schedulerName: old\npercentageOfNodesToScore: 70\n"
                        + "leaderElection: {leaderElect: true, resourceLock: endpoints, leaseDuration: 30s}\n"
                        + "algorithmSource: {policy: {file: {path: " + policy + "}}}\nplugins: " + plugins + "\n"
                        + "pluginConfig: [{name: NodeLabel, args: {presentLabels: [ssd]}}]\n");
        String dump = file("world.yaml", """
                ---
                {kind: Node, metadata: {name: large}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}}
                ---
                {kind: Node, metadata: {name: small, labels: {ssd: "1"}}, status: {allocatable: {cpu: 2, memory: 8Gi,
                 pods: 10}, images: [{names: ["app:1"], sizeBytes: 900000000}]}}
                ---
                {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "app:1",
                 resources: {requests: {cpu: 1}}}]}}
                """);
        CommandRun run = CommandRun.of("migrate", old, "--details", "--verify", dump);
        SchedulerConfiguration configuration = read(run.out());
        assertEquals(
                List.of("old", 70, "leases", "PT30S"),
                List.of(
                        configuration.profiles().get(0).schedulerName(),
                        configuration.percentageOfNodesToScore(),
                        configuration.leaderElection().resourceLock(),
                        configuration.leaderElection().leaseDuration().toString()));
        assertEquals(
                node,
                new ObjectMapper()
                        .readTree(CommandRun.of(
                                        "simulate", "--scheduler", "config:" + old, "--cluster", dump, "-o", "json")
                                .out())
                        .at("/pods/0/node")
                        .asText());
        assertEquals(loss.isEmpty() ? 0 : 1, run.code());
        if (loss.isEmpty()) {
            assertTrue(run.err().contains("decisions differ for 0 of 1 pod;"), run.err());
        } else {
            assertTrue(run.err().contains(loss.replace("FILE", old)), run.err());
        }
    }
}
