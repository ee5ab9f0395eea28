package io.policyscheduler.framework.insight.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.ProfilePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.insight.migrate.Finding.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.MigrationTarget.ReleasePlugins;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.ExtenderPolicy;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.Layout;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The migration of every policy can be read, is valid, and starts, for every version and release. */
class MigrationRoundTripTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param everyRelease whether to try releases besides the usual ones */
    record Example(
            String name, EffectivePolicy policy, @Nullable Policy file, boolean everyRelease) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Path repository() {
        Path parent = Path.of("../..");
        return Files.exists(parent.resolve("policy-files")) ? parent : Path.of("");
    }

    static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        try (Stream<Path> files = Files.list(repository().resolve("policy-files/policies"))) {
            for (Path file : files.sorted().toList()) {
                add(examples, file.getFileName().toString(), Files.readString(file), FeatureGates.defaults());
            }
        }
        assertTrue(examples.size() > 4, () -> "policies: " + examples);
        Path recorded = repository().resolve("tests/src/test/resources/golden/policies.jsonl.gz");
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(recorded)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                recorded(examples, JSON.readTree(line));
            }
        }
        assertTrue(examples.size() > 90, () -> "policies: " + examples.size());
        return examples;
    }

    private static void recorded(List<Example> examples, JsonNode recording) {
        FeatureGates gates = FeatureGates.defaults();
        for (Map.Entry<String, JsonNode> gate : recording.path("featureGates").properties()) {
            gates = gates.with(gate.getKey(), gate.getValue().asBoolean());
        }
        String name = recording.path("name").asText();
        if (recording.has("provider")) {
            try {
                EffectivePolicy policy = Migrations.resolver(gates, false)
                        .resolveProvider(recording.path("provider").asText());
                examples.add(new Example(name, policy, null, true));
            } catch (PolicyException e) {
                // Refused, as it was in 1.17.
            }
            return;
        }
        String text = recording.has("policyText")
                ? recording.path("policyText").asText()
                : recording.path("policy").toString();
        add(examples, name, text, gates);
    }

    /** Adds a policy, and its strict reading if that differs; all releases for the first ones and every eighth. */
    private static void add(List<Example> examples, String name, String text, FeatureGates gates) {
        try {
            Policy file = new PolicyReader().read(text, name);
            EffectivePolicy policy = Migrations.resolver(gates, false).resolve(file);
            EffectivePolicy strict = Migrations.resolver(gates, true).resolve(file);
            boolean everyRelease = examples.size() < 10 || examples.size() % 8 == 0;
            examples.add(new Example(name, policy, file, everyRelease));
            boolean differs = !PluginTranslation.of(policy).equals(PluginTranslation.of(strict))
                    || policy.hardPodAffinityWeight() != strict.hardPodAffinityWeight();
            if (differs) {
                examples.add(new Example(name + " strict", strict, file, false));
            }
        } catch (PolicyException e) {
            // Refused, as it was in 1.17.
        }
    }

    /** The usual releases, and those in which plugins gain or lose extension points. */
    private static List<MigrationTarget> targets(boolean all) {
        List<MigrationTarget> targets = new ArrayList<>();
        MigrationTarget.VERSIONS.forEach(version -> targets.add(Migrations.target(version)));
        if (all) {
            List.of(19, 20, 22).forEach(minor -> targets.add(Migrations.target(ConfigVersion.V1BETA1, minor)));
            targets.add(Migrations.target(ConfigVersion.V1BETA2, 27));
            targets.add(Migrations.target(ConfigVersion.V1BETA3, 28));
            List.of(25, 26, 30, 31, 33).forEach(minor -> targets.add(Migrations.target(ConfigVersion.V1, minor)));
        }
        return targets;
    }

    @ParameterizedTest
    @MethodSource("examples")
    void isReadAndValidAndStarts(Example example) throws ConfigurationException {
        for (MigrationTarget target : targets(example.everyRelease())) {
            Migration plain = new Migrator(target, options(false)).migrate(example.policy(), example.file());
            check(example, plain);
            if (plain.findings().stream().anyMatch(finding -> finding.fidelity() == Fidelity.IMPOSSIBLE)) {
                check(example, new Migrator(target, options(true)).migrate(example.policy(), example.file()));
            }
        }
    }

    private static Options options(boolean keep) {
        return new Options("default-scheduler", false, keep, Options.DEFAULT_URL, "kept.json");
    }

    private static void check(Example example, Migration migration) throws ConfigurationException {
        String text = migration.configuration();
        SchedulerConfiguration configuration = read(migration);
        starts(configuration, migration);
        if (migration.target().equals(Migrations.target(ConfigVersion.V1))) {
            new ProfileBuilder(ModernPlugins.registry(), new ClusterState(), WaitingPods.NONE, Clock.systemUTC())
                    .build(configuration, configuration.profiles().get(0));
        }
        assertEquals(
                example.policy().extenders().size() + migration.retained().size(),
                configuration.extenders().size());
        migration.retained().forEach(MigrationRoundTripTest::readable);
        text.lines().skip(4).forEach(line -> assertTrue(isExplained(line), line));
    }

    /** What the reader adds are the defaults of one release of each version; of others only what is written can be checked. */
    private static void starts(SchedulerConfiguration configuration, Migration migration) {
        MigrationTarget target = migration.target();
        if (target.equals(Migrations.target(target.version())) || migration.layout() == Layout.MULTI_POINT) {
            EffectivePlugins plugins = Migrations.expand(configuration, target);
            if (migration.layout() != Layout.DEFAULTS) {
                complete(plugins, migration);
            }
        }
        ReleasePlugins index = new ReleasePlugins(target);
        ProfilePlugins written = configuration.profiles().get(0).plugins();
        written.multiPoint().enabled().stream()
                .filter(entry -> entry.position().known())
                .forEach(entry -> assertTrue(index.exists(entry.name()), () -> target + " " + entry));
        written.points()
                .forEach((point, set) -> set.enabled().stream()
                        .filter(entry -> entry.position().known())
                        .forEach(entry -> assertTrue(
                                index.implementsPoint(entry.name(), point), () -> target + " " + point + " " + entry)));
    }

    private static SchedulerConfiguration read(Migration migration) throws ConfigurationException {
        SchedulerConfiguration configuration =
                new ConfigurationReader(migration.target().release()).read(migration.configuration(), "config.yaml");
        List<String> problems = new ConfigurationValidator()
                .validate(configuration).stream().map(Problem::message).toList();
        boolean contradicts = migration.target().hasOldPlugins()
                && migration.findings().stream().anyMatch(finding -> finding.code() == FindingCode.M024);
        if (contradicts) {
            assertEquals(1, problems.size(), migration::configuration);
            assertTrue(problems.get(0).matches(".*(conflict with|exist in both).*"), problems::toString);
        } else {
            assertEquals(List.of(), problems, migration::configuration);
        }
        return configuration;
    }

    /** A plugin with only one of two dependent extension points would fail for every pod. */
    private static void complete(EffectivePlugins plugins, Migration migration) {
        ReleasePlugins index = new ReleasePlugins(migration.target());
        halves(plugins, ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER, index, migration);
        halves(plugins, ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE, index, migration);
        for (ExtensionPoint point : List.of(ExtensionPoint.RESERVE, ExtensionPoint.PRE_BIND)) {
            assertTrue(plugins.at(ExtensionPoint.FILTER).containsAll(plugins.at(point)), migration::configuration);
        }
    }

    private static void halves(
            EffectivePlugins plugins,
            ExtensionPoint before,
            ExtensionPoint main,
            ReleasePlugins index,
            Migration migration) {
        List<String> expected = plugins.at(main).stream()
                .filter(plugin -> index.implementsPoint(plugin, before))
                .sorted()
                .toList();
        assertEquals(expected, plugins.at(before).stream().sorted().toList(), migration::configuration);
    }

    private static void readable(ExtenderPolicy kept) {
        try {
            Policy file = new PolicyReader().read(kept.text(), kept.file());
            assertNotNull(Migrations.resolver(FeatureGates.parse("ResourceLimitsPriorityFunction=true"), false)
                    .resolve(file));
        } catch (PolicyException e) {
            throw new AssertionError(e.problems() + "\n" + kept.text(), e);
        }
    }

    /** Structure has no remark, values do. */
    private static boolean isExplained(String line) {
        return line.endsWith(":")
                || line.contains(" # ")
                || line.endsWith("args: {}")
                || line.contains("schedulerName:");
    }
}
