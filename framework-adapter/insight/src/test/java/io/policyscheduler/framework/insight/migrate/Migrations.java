package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.NamedAlgorithms;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.PluginExpansion;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.MigrationTarget.ReleasePlugins;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/** Migrates policies of tests and reads the result. */
final class Migrations {
    static final String FILE = "p.json";

    /** All algorithms of v1.17, and two more. */
    static final AlgorithmRegistry REGISTRY = NamedAlgorithms.ofV117With("OwnPredicate", "OwnPriority");

    private Migrations() {}

    static MigrationTarget target(ConfigVersion version) {
        return MigrationTarget.of(version, null);
    }

    static MigrationTarget target(ConfigVersion version, int minor) {
        return MigrationTarget.of(version, new Release(minor));
    }

    static PolicyResolver resolver(FeatureGates gates, boolean strict) {
        return new PolicyResolver(gates, 1, strict, REGISTRY);
    }

    static Migration migrate(String policy, MigrationTarget target) {
        return migrate(policy, target, Options.DEFAULTS);
    }

    static Migration migrate(String text, MigrationTarget target, Options options) {
        return migrate(text, target, options, FeatureGates.defaults());
    }

    static Migration migrate(String text, MigrationTarget target, Options options, FeatureGates gates) {
        try {
            Policy file = new PolicyReader().read(text, FILE);
            return new Migrator(target, options).migrate(resolver(gates, false).resolve(file), file);
        } catch (PolicyException e) {
            throw new AssertionError(e.problems().toString(), e);
        }
    }

    /** Migrates the policy of 1.17 without plugins for newer pod fields. */
    static Migration migrateStrictly(String text, MigrationTarget target, Options options) {
        try {
            Policy file = new PolicyReader().read(text, FILE);
            return new Migrator(target, options)
                    .migrate(resolver(FeatureGates.defaults(), true).resolve(file), file);
        } catch (PolicyException e) {
            throw new AssertionError(e.problems().toString(), e);
        }
    }

    static Migration migrateProvider(String name, MigrationTarget target, Options options) {
        try {
            return new Migrator(target, options)
                    .migrate(resolver(FeatureGates.defaults(), false).resolveProvider(name), null);
        } catch (PolicyException e) {
            throw new AssertionError(e.problems().toString(), e);
        }
    }

    /** A policy of these entries, each as JSON. */
    static String policy(String predicates, String priorities) {
        return "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\n\"predicates\":[" + predicates + "],\n\"priorities\":["
                + priorities + "]}";
    }

    static SchedulerConfiguration read(Migration migration) {
        return read(migration.configuration(), migration.target().release());
    }

    static SchedulerConfiguration read(String configuration, Release release) {
        try {
            SchedulerConfiguration read = new ConfigurationReader(release).read(configuration, "config.yaml");
            new ConfigurationValidator().check(read);
            return read;
        } catch (ConfigurationException e) {
            throw new AssertionError(e.getMessage() + "\n" + configuration, e);
        }
    }

    static EffectivePlugins expand(SchedulerConfiguration configuration, MigrationTarget target) {
        try {
            return new PluginExpansion(new ReleasePlugins(target))
                    .expand(configuration, configuration.profiles().get(0));
        } catch (ConfigurationException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    static EffectivePlugins plugins(Migration migration) {
        return expand(read(migration), migration.target());
    }

    /** {@code Name=weight}, sorted. */
    static String scores(Migration migration) {
        return new TreeMap<>(plugins(migration).scoreWeights()).toString();
    }

    static String filters(Migration migration) {
        return String.join(" ", plugins(migration).at(ExtensionPoint.FILTER));
    }

    /** Returns the arguments of a plugin as JSON. */
    static String arguments(Migration migration, String plugin) {
        SchedulerConfiguration read = read(migration);
        return read.argumentsOf(read.profiles().get(0), plugin)
                .map(found -> found.args().toString())
                .orElse("");
    }

    /** {@code CODE level fidelity item} of each finding that is not about the migration as a whole. */
    static List<String> findings(Migration migration) {
        return migration.findings().stream()
                .filter(finding -> finding.code().compareTo(FindingCode.M060) < 0)
                .map(finding ->
                        finding.code() + " " + finding.level() + " " + finding.fidelity() + " " + finding.item())
                .map(String::strip)
                .toList();
    }

    static String resource(String path) {
        try (InputStream in = Objects.requireNonNull(Migrations.class.getResourceAsStream(path), path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
