package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.kube.election.LeaseSettings;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ShareConverter;
import io.policyscheduler.cmd.settings.KubeFlags;
import io.policyscheduler.cmd.settings.LogSettings;
import io.policyscheduler.cmd.settings.RunSettings;
import io.policyscheduler.cmd.settings.SettingCatalog;
import io.policyscheduler.cmd.settings.SettingException;
import io.policyscheduler.cmd.settings.SettingPatch;
import io.policyscheduler.cmd.settings.SettingTree;
import io.policyscheduler.cmd.settings.SettingWarnings;
import io.policyscheduler.cmd.sources.ProfileRequest;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a running scheduler can be told: the flags of {@code run} and of the commands that look at them. */
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

    /** What the layers have come to. */
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
            SettingPatch variables = SettingPatch.ofEnvironment(rows, environment);
            SettingPatch flags =
                    SettingPatch.ofFlags(SettingFlags.given(spec.commandLine().getParseResult()));
            SettingTree atStart = SettingTree.of(variables, flags);
            Compat compat = atStart.text(RunSettings.COMPAT).isEmpty() ? Compat.NONE : Compat.V1_17;
            ConfigFile file = atStart.text(RunSettings.CONFIG).isEmpty()
                    ? ConfigFile.NONE
                    : ConfigFile.read(path(atStart, RunSettings.CONFIG));
            SettingPatch ofFile = file.configuration()
                    .map(configuration -> SettingPatch.ofFile(rows, configuration))
                    .orElse(SettingPatch.NONE);
            SettingTree settings = SettingTree.of(SettingPatch.defaults(rows, compat), ofFile, variables, flags);
            PolicyArguments policy = new PolicyArguments(spec, settings);
            file.configuration().ifPresent(configuration -> policy.requireEffect(settings, configuration));
            return new Assembled(settings, file, policy);
        } catch (SettingException e) {
            throw usage(e);
        }
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

    /** What holds. */
    SettingTree settings() {
        return assembled().settings();
    }

    /** The file of {@code --config}. */
    ConfigFile configFile() {
        return assembled().file();
    }

    /** What is said of policies, rules and plugins. */
    PolicyArguments policy() {
        return assembled().policy();
    }

    /** Finds values that make no sense, before anything is asked of a cluster. */
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
        if (settings().duration(KubeFlags.UNSCHEDULABLE_DURATION).isZero()) {
            throw usage(KubeFlags.UNSCHEDULABLE_DURATION.flag() + ": 0s must be greater than 0");
        }
        verifiedDecisions();
        election(settings().text(Settings.SCHEDULER_NAME));
        serving();
        logging();
    }

    /** What is accepted and not honoured, a line each. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>(SettingWarnings.of(settings()));
        warnings.addAll(policy().gates().warnings());
        return List.copyOf(warnings);
    }

    /** Tells them. */
    void warn(List<String> warnings) {
        warnings.forEach(warning -> common.err().println("warning: " + warning));
        common.err().flush();
    }

    /** A value that makes no sense, in the words of configurations. */
    private ParameterException invalid(Setting setting, long value, String problem) {
        String name = setting.field().isEmpty() ? setting.flag() : setting.field();
        return usage(name + ": Invalid value: " + value + ": " + problem);
    }

    /** Times of the scheduler. */
    SchedulerOptions options(FeatureGates gates) {
        SchedulerOptions defaults = SchedulerOptions.defaults();
        // The plugins of current releases look at more than the algorithms of 1.17 did, and so do those in new
        // clusters.
        boolean ofFirstVersion = configFile().configuration().isEmpty()
                && policy().profiles().stream().noneMatch(profile -> profile.endsWith("modern"))
                && (policy().options().strict() || !gates.honoursNewerFields());
        return (ofFirstVersion ? defaults : defaults.withRequiredKinds(EnumSet.allOf(ResourceKind.class)))
                .withBackoff(seconds(Settings.INITIAL_BACKOFF), seconds(Settings.MAX_BACKOFF))
                .withRequeueHints(settings().isOn(RunSettings.REQUEUE_HINTS))
                .withUnschedulableTimeout(settings().duration(KubeFlags.UNSCHEDULABLE_DURATION))
                .withDecisionBudget(Duration.ofMillis(settings().number(RunSettings.DECISION_BUDGET)));
    }

    private Duration seconds(Setting setting) {
        return Duration.ofSeconds(settings().number(setting));
    }

    boolean disablePreemption() {
        return settings().isOn(Settings.DISABLE_PREEMPTION);
    }

    /** Which share of the decisions is verified, 0 to 1. */
    double verifiedDecisions() {
        try {
            return ShareConverter.share(settings().text(RunSettings.VERIFY_DECISIONS));
        } catch (IllegalArgumentException e) {
            throw usage("Invalid value for option '" + RunSettings.VERIFY_DECISIONS.flag() + "': " + e.getMessage());
        }
    }

    /** How long the volumes of a pod may take. */
    Duration volumeTimeout() {
        long seconds = settings().number(Settings.BIND_TIMEOUT);
        return seconds == 0 ? FOR_EVER : Duration.ofSeconds(Math.max(seconds, 0));
    }

    /** How to become the leader; null to schedule without asking anybody. */
    @Nullable
    LeaseSettings election(String schedulerName) {
        return this.<@Nullable LeaseSettings>orUsage(() -> Election.of(settings(), schedulerName));
    }

    /** What is served where, and to whom. */
    ServingSettings serving() {
        return orUsage(() -> Serving.of(settings()));
    }

    /** What is logged and how. */
    LogSettings logging() {
        return orUsage(() -> LogSettings.of(settings()));
    }

    /** The configuration that says what the settings have come to. */
    ObjectNode effectiveConfiguration() {
        return orUsage(() -> EffectiveConfiguration.of(
                settings(), configFile().configuration(), serving().insecure()));
    }

    private <T extends @Nullable Object> T orUsage(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw usage(e);
        }
    }

    /** What is said of profiles. */
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
}
