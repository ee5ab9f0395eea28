package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.ShareConverter;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.run.LoggingFlags.Verbosity;
import io.policyscheduler.cmd.run.RunSettings.Kube;
import io.policyscheduler.cmd.run.SettingTree.InvalidException;
import io.policyscheduler.cmd.run.SettingTree.Patch;
import io.policyscheduler.cmd.run.SettingTree.Warnings;
import io.policyscheduler.cmd.run.StatusPorts.Flags;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.cmd.sources.ProfilePlan.ProfileRequest;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Settings;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The settings of a scheduler: the flags of {@code run} and of the commands that show them. */
@Command(modelTransformer = SettingFlags.class)
abstract class SchedulerArguments {
    /** A timeout of 0 waits for ever, as in v1.17. */
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    private final Map<String, String> environment;

    @Spec
    CommandSpec spec;

    @Mixin
    CommonOptions common = new CommonOptions();

    private @Nullable Assembled assembled;

    /** The merged layers. */
    private record Assembled(SettingTree settings, ConfigFile file, PolicyArguments policy) {}

    /** @param environment of the process */
    SchedulerArguments(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    private Assembled assembled() {
        Assembled known = assembled;
        if (known == null) {
            known = assemble();
            assembled = known;
        }
        return known;
    }

    private Assembled assemble() {
        List<Setting> rows = SettingCatalog.withFlags();
        try {
            Patch variables = Patch.ofEnvironment(rows, environment);
            Patch flags = Patch.ofFlags(SettingFlags.given(spec.commandLine().getParseResult()));
            SettingTree atStart = SettingTree.of(variables, flags);
            Compat compat = atStart.text(RunSettings.COMPAT).isEmpty() ? Compat.NONE : Compat.V1_17;
            ConfigFile file = atStart.text(RunSettings.CONFIG).isEmpty()
                    ? ConfigFile.NONE
                    : ConfigFile.read(path(atStart, RunSettings.CONFIG), givenRelease(atStart));
            Patch ofFile = file.configuration()
                    .map(configuration -> Patch.ofFile(rows, configuration))
                    .orElse(Patch.NONE);
            SettingTree settings = SettingTree.of(Patch.defaults(rows, compat), ofFile, variables, flags);
            PolicyArguments policy = new PolicyArguments(spec, settings);
            file.configuration().ifPresent(configuration -> policy.requireEffect(settings, configuration));
            return new Assembled(settings, file, policy);
        } catch (InvalidException e) {
            throw usage(e);
        }
    }

    /** The newest release if none is given; an invalid one is rejected with the other settings. */
    private static Release givenRelease(SettingTree settings) {
        return Release.ofVersion(settings.text(RunSettings.RELEASE)).orElse(Release.NEWEST);
    }

    /** The file of a setting. */
    Path path(Setting setting) {
        return path(settings(), setting);
    }

    private Path path(SettingTree settings, Setting setting) {
        try {
            return Path.of(settings.text(setting));
        } catch (InvalidPathException e) {
            throw usage(setting.flag() + ": " + e.getMessage());
        }
    }

    /** The effective settings. */
    SettingTree settings() {
        return assembled().settings();
    }

    /** The file of {@code --config}. */
    ConfigFile configFile() {
        return assembled().file();
    }

    /** The settings of policies, rules, and plugins. */
    PolicyArguments policy() {
        return assembled().policy();
    }

    /** Rejects invalid values before the cluster is contacted. */
    void check() {
        for (Setting setting : SettingCatalog.withFlags()) {
            if (setting.range() != null && settings().find(setting).isPresent()) {
                long number = settings().number(setting);
                setting.problem(number).ifPresent(problem -> {
                    throw invalid(setting, number, problem);
                });
            }
        }
        long longest = settings().number(Settings.MAX_BACKOFF);
        if (longest < settings().number(Settings.INITIAL_BACKOFF)) {
            throw invalid(Settings.MAX_BACKOFF, longest, Settings.LESS_THAN_INITIAL);
        }
        if (settings().duration(Kube.UNSCHEDULABLE_DURATION).isZero()) {
            throw usage(Kube.UNSCHEDULABLE_DURATION.flag() + ": 0s must be greater than 0");
        }
        verifiedDecisions();
        canary();
        election(settings().text(Settings.SCHEDULER_NAME));
        serving();
        plain();
        logging();
    }

    /** Warnings about accepted flags without effect, one line each. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>(Warnings.of(settings()));
        warnings.addAll(PolicyArguments.withoutEffect(settings()));
        warnings.addAll(policy().gates().warnings());
        warnings.addAll(policy().release().newer());
        return List.copyOf(warnings);
    }

    /** Prints warnings. */
    void warn(List<String> warnings) {
        warnings.forEach(warning -> common.err().println("warning: " + warning));
        common.err().flush();
    }

    /** An invalid value, with the message of configurations. */
    private ParameterException invalid(Setting setting, long value, String problem) {
        String name = setting.field().isEmpty() ? setting.flag() : setting.field();
        return usage(name + ": Invalid value: " + value + ": " + problem);
    }

    /** Options of the scheduling loop. */
    SchedulerOptions options(FeatureGates gates) {
        SchedulerOptions defaults = SchedulerOptions.defaults();
        // Plugins of current releases read more kinds than the algorithms of 1.17, and so do those for newer clusters.
        boolean ofFirstVersion = configFile().configuration().isEmpty()
                && policy().profiles().stream().noneMatch(profile -> profile.endsWith("modern"))
                && (policy().options().strict() || !gates.honoursNewerFields());
        return (ofFirstVersion ? defaults : defaults.withRequiredKinds(EnumSet.allOf(ResourceKind.class)))
                .withBackoff(seconds(Settings.INITIAL_BACKOFF), seconds(Settings.MAX_BACKOFF))
                .withRequeueHints(settings().isOn(RunSettings.REQUEUE_HINTS))
                .withUnschedulableTimeout(settings().duration(Kube.UNSCHEDULABLE_DURATION))
                .withDecisionBudget(Duration.ofMillis(settings().number(RunSettings.DECISION_BUDGET)));
    }

    private Duration seconds(Setting setting) {
        return Duration.ofSeconds(settings().number(setting));
    }

    boolean disablePreemption() {
        return settings().isOn(Settings.DISABLE_PREEMPTION);
    }

    /** The share of decisions to verify, 0 to 1. */
    double verifiedDecisions() {
        try {
            return ShareConverter.share(settings().text(RunSettings.VERIFY_DECISIONS));
        } catch (IllegalArgumentException e) {
            throw usage("Invalid value for option '" + RunSettings.VERIFY_DECISIONS.flag() + "': " + e.getMessage());
        }
    }

    /** The canary policy; null for none. */
    ProfilePlan.@Nullable Canary canary() {
        double share;
        try {
            share = ShareConverter.share(settings().text(RunSettings.CANARY_SHARE));
        } catch (IllegalArgumentException e) {
            throw usage("Invalid value for option '" + RunSettings.CANARY_SHARE.flag() + "': " + e.getMessage());
        }
        if (settings().text(RunSettings.POLICY_CANARY).isEmpty()) {
            return null;
        }
        if (share >= 1) {
            throw usage("Invalid value for option '" + RunSettings.CANARY_SHARE.flag() + "': "
                    + settings().text(RunSettings.CANARY_SHARE) + " is everything; use --policy-config-file for that");
        }
        return new ProfilePlan.Canary(path(RunSettings.POLICY_CANARY), share);
    }

    /** The timeout to bind the volumes of a pod. */
    Duration volumeTimeout() {
        long seconds = settings().number(Settings.BIND_TIMEOUT);
        return seconds == 0 ? FOR_EVER : Duration.ofSeconds(Math.max(seconds, 0));
    }

    /** Leader election; null if it is off. */
    @Nullable
    LeaderElectionConfig election(String schedulerName) {
        return this.<@Nullable LeaderElectionConfig>orUsage(() -> Election.of(settings(), schedulerName));
    }

    /** The status ports with their authentication and authorization. */
    ServingSettings serving() {
        return orUsage(() -> Flags.of(settings()));
    }

    /** The reasons for plain HTTP, and its address for metrics. */
    StatusPorts.Plain plain() {
        return orUsage(
                () -> Flags.plain(settings(), configFile().configuration().orElse(null)));
    }

    /** The log settings. */
    Verbosity logging() {
        return orUsage(() -> Verbosity.of(settings()));
    }

    /** The configuration with the effective settings. */
    ObjectNode effectiveConfiguration() {
        return orUsage(() -> EffectiveConfiguration.of(
                settings(), configFile().configuration(), serving().insecure()));
    }

    /** The configuration in the form of {@code /configz} of kube-scheduler. */
    ObjectNode shownConfiguration() {
        return EffectiveConfiguration.shown(
                settings(), configFile().configuration(), serving().insecure());
    }

    private <T extends @Nullable Object> T orUsage(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw usage(e);
        }
    }

    /** The settings of profiles. */
    ProfileRequest profileRequest() {
        return new ProfileRequest(
                configFile().configuration().isEmpty() ? null : path(settings(), RunSettings.CONFIG),
                configFile()::configuration,
                settings().text(Settings.SCHEDULER_NAME),
                settings().isGivenAtStart(Settings.SCHEDULER_NAME) ? settings().text(Settings.SCHEDULER_NAME) : "",
                policy().source(),
                policy().profiles(),
                Math.toIntExact(settings().number(Settings.PERCENTAGE)),
                policy().plugins(),
                policy().options(),
                policy().release());
    }

    private ParameterException usage(IllegalArgumentException e) {
        return new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** The file that {@code --config} names, read and validated once. */
    static final class ConfigFile {
        /** No file. */
        static final ConfigFile NONE = new ConfigFile("", null);

        private final String text;
        private final @Nullable SchedulerConfiguration configuration;

        private ConfigFile(String text, @Nullable SchedulerConfiguration configuration) {
            this.text = text;
            this.configuration = configuration;
        }

        /**
         * Reads a file.
         *
         * @param cluster the release of the cluster; the newest one if unknown
         * @throws InputException if it cannot be read or is invalid, with a line for each problem
         */
        static ConfigFile read(Path file, Release cluster) {
            if (file.toString().startsWith("configmap:")) {
                throw new InputException("--config " + file + ": a ConfigMap is not a file; use --profile NAME=" + file
                        + ", or mount the ConfigMap and pass its file");
            }
            String text = InputFiles.text(file);
            try {
                return new ConfigFile(text, valid(text, file.toString(), cluster));
            } catch (ConfigurationException e) {
                throw InputException.of(e);
            }
        }

        private static SchedulerConfiguration valid(String text, String file, Release cluster)
                throws ConfigurationException {
            SchedulerConfiguration configuration =
                    ConfigurationReader.inCluster(cluster).read(text, file);
            new ConfigurationValidator().check(configuration);
            return configuration;
        }

        /** The content of the file; empty without a file. */
        Optional<SchedulerConfiguration> configuration() {
            return Optional.ofNullable(configuration);
        }

        /**
         * The valid configuration of a text; that of this file is not read again for the same release.
         *
         * @throws ConfigurationException if the text is invalid
         */
        SchedulerConfiguration configuration(String other, String file, Release cluster) throws ConfigurationException {
            SchedulerConfiguration known = configuration;
            if (known != null
                    && text.equals(other)
                    && known.file().equals(file)
                    && known.version().decidingIn(cluster).equals(known.release())) {
                return known;
            }
            return valid(other, file, cluster);
        }
    }

    /**
     * The leader election of {@code run}. Unlike in kube-scheduler, it is off by default, because a scheduler that is started by
     * hand should not wait for a lease; the manifests turn it on.
     */
    static final class Election {
        private Election() {}

        /**
         * The configured election, with a new identity; null if it is off.
         *
         * @param schedulerName default name of the lock
         * @throws IllegalArgumentException if the values contradict each other; the message is for users
         */
        static @Nullable LeaderElectionConfig of(SettingTree settings, String schedulerName) {
            if (!settings.isOn(Settings.LEADER_ELECT)) {
                return null;
            }
            String lock = settings.text(Settings.RESOURCE_LOCK);
            ResourceLock kind = ResourceLock.find(lock)
                    .orElseThrow(() -> new IllegalArgumentException(Settings.RESOURCE_LOCK.flag() + ": \"" + lock
                            + "\" is not one of " + String.join(", ", ResourceLock.texts())));
            String name = settings.text(Settings.RESOURCE_NAME);
            try {
                return new LeaderElectionConfig(
                        kind,
                        settings.text(Settings.RESOURCE_NAMESPACE),
                        name.isEmpty() ? schedulerName : name,
                        LeaderElectionConfig.newIdentity(),
                        settings.duration(Settings.LEASE_DURATION),
                        settings.duration(Settings.RENEW_DEADLINE),
                        settings.duration(Settings.RETRY_PERIOD),
                        true);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("leader election: " + e.getMessage(), e);
            }
        }
    }
}
