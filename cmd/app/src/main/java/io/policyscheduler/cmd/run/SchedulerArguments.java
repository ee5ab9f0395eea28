package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.ShareConverter;
import io.policyscheduler.cmd.options.CommonOptions.WithoutFormat;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.run.LoggingFlags.Verbosity;
import io.policyscheduler.cmd.run.RunSettings.Kube;
import io.policyscheduler.cmd.run.SettingCatalog.Group;
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
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import io.policyscheduler.framework.config.Settings;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Stack;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The settings of a scheduler: the flags of {@code run} and of the commands that show them. */
@Command(modelTransformer = SchedulerArguments.SettingFlags.class)
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

    /** Adds a flag for each row of {@link SettingCatalog} to a command, in its groups. */
    static final class SettingFlags implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            spec.preprocessor(new Spellings());
            int order = 0;
            for (Group group : SettingCatalog.groups()) {
                ArgGroupSpec.Builder flags = ArgGroupSpec.builder()
                        .validate(false)
                        .heading("%n" + group.heading() + ":%n")
                        .order(order++);
                group.rows().forEach(setting -> flags.addArg(option(setting)));
                spec.addArgGroup(flags.build());
            }
            // config show has the same flags, and a result.
            return spec.userObject() instanceof RunCommand ? new WithoutFormat().transform(spec) : spec;
        }

        private static OptionSpec option(Setting setting) {
            SettingFlag flag = setting.requireFlag();
            OptionSpec.Builder option = OptionSpec.builder(flag.spellings().toArray(String[]::new))
                    .paramLabel(flag.label())
                    .description(escaped(setting.description() + shownDefault(setting)));
            if (setting.isList()) {
                // The row parses the text, so that flags and variables have the same syntax.
                return option.type(List.class)
                        .auxiliaryTypes(String.class)
                        .arity("1")
                        .build();
            }
            ITypeConverter<Object> converter = text -> parse(setting, text);
            option.type(type(setting)).converters(converter);
            return setting.shape().kind() == Shape.Kind.BOOL
                    ? option.arity("0..1").fallbackValue("true").build()
                    : option.arity("1").build();
        }

        private static Class<?> type(Setting setting) {
            return switch (setting.shape().kind()) {
                case BOOL -> Boolean.class;
                case INT32 -> Integer.class;
                case INT64 -> Long.class;
                case FLOAT -> Double.class;
                case DURATION -> Duration.class;
                default -> String.class;
            };
        }

        private static Object parse(Setting setting, String text) {
            try {
                return setting.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }

        private static String shownDefault(Setting setting) {
            SettingFlag flag = setting.requireFlag();
            String own = flag.displayedDefault().isEmpty() ? flag.byDefault() : flag.displayedDefault();
            String in117 = flag.in117().equals(flag.byDefault())
                    ? ""
                    : "with --compat " + Compat.V1_17.text() + ": " + flag.in117();
            List<String> notes = new ArrayList<>();
            if (!own.isEmpty()) {
                notes.add("default: " + own);
            }
            if (!in117.isEmpty()) {
                notes.add(in117);
            }
            return notes.isEmpty() ? "" : " (" + String.join("; ", notes) + ").";
        }

        /** Picocli uses descriptions as format strings. */
        private static String escaped(String text) {
            return text.replace(". (", " (").replace("%", "%%");
        }

        /** The flags of a command line with their values. */
        static Map<Setting, Object> given(ParseResult result) {
            Map<Setting, Object> given = new LinkedHashMap<>();
            for (Setting setting : SettingCatalog.withFlags()) {
                Object value = result.hasMatchedOption(setting.flag())
                        ? result.matchedOption(setting.flag()).getValue()
                        : null;
                if (value != null) {
                    given.put(setting, setting.isList() ? all(setting, (List<?>) value) : value);
                }
            }
            return given;
        }

        private static List<String> all(Setting setting, List<?> texts) {
            List<String> all = new ArrayList<>();
            for (Object text : texts) {
                ((List<?>) setting.parse(String.valueOf(text))).forEach(part -> all.add(String.valueOf(part)));
            }
            return List.copyOf(all);
        }

        /**
         * Normalizes the flags of a command line: {@code --leader_elect} and {@code --leader-elect} become
         * {@code --leader-elect=true}, {@code -v2} becomes {@code --v=2}, a boolean does not take the next argument, and the last one
         * of repeated flags wins. Mirrors {@code github.com/spf13/pflag}, with the underscores of {@code WordSepNormalizeFunc}.
         */
        static final class Spellings implements IParameterPreprocessor {
            private static final Pattern SHORT = Pattern.compile("(-[a-zA-Z])(?:=?(.+))?");

            /** A flag of this program, with its value if the same argument contains it. */
            private record Given(Setting setting, @Nullable String value) {}

            /** An argument, and the setting whose value it is, if any. */
            private record Written(
                    String argument, @Nullable Setting setting) {}

            @Override
            @SuppressWarnings("JdkObsolete") // picocli's
            public boolean preprocess(
                    Stack<String> args, CommandSpec spec, @Nullable ArgSpec arg, Map<String, Object> info) {
                List<String> given = new ArrayList<>(args);
                // The top of the stack is the next argument.
                Collections.reverse(given);
                List<String> written = new ArrayList<>(write(given));
                Collections.reverse(written);
                args.clear();
                args.addAll(written);
                return false;
            }

            /** The same arguments, normalized. */
            static List<String> write(List<String> args) {
                List<Written> written = new ArrayList<>();
                int i = 0;
                while (i < args.size()) {
                    String arg = args.get(i++);
                    if (arg.equals("--")) {
                        written.add(new Written(arg, null));
                        args.subList(i, args.size()).forEach(rest -> written.add(new Written(rest, null)));
                        break;
                    }
                    Optional<Given> found = read(arg);
                    if (found.isEmpty()) {
                        written.add(new Written(arg, null));
                        continue;
                    }
                    Setting setting = found.get().setting();
                    String value = found.get().value();
                    if (value == null && setting.shape().kind() == Shape.Kind.BOOL) {
                        value = "true";
                    } else if (value == null && i < args.size() && !isFlag(args.get(i))) {
                        value = args.get(i++);
                    }
                    written.add(new Written(setting.flag() + (value == null ? "" : "=" + value), setting));
                }
                return lastOnes(written);
            }

            private static boolean isFlag(String arg) {
                return arg.startsWith("--") && read(arg).isPresent();
            }

            private static Optional<Given> read(String arg) {
                if (arg.startsWith("--")) {
                    int equals = arg.indexOf('=');
                    String name = equals < 0 ? arg : arg.substring(0, equals);
                    String value = equals < 0 ? null : arg.substring(equals + 1);
                    return SettingCatalog.find(name.replace('_', '-')).map(setting -> new Given(setting, value));
                }
                Matcher matcher = SHORT.matcher(arg);
                return matcher.matches()
                        ? SettingCatalog.find(matcher.group(1)).map(setting -> new Given(setting, matcher.group(2)))
                        : Optional.empty();
            }

            private static List<String> lastOnes(List<Written> written) {
                Set<Setting> seen = new HashSet<>();
                List<String> kept = new ArrayList<>();
                for (int i = written.size() - 1; i >= 0; i--) {
                    Setting setting = written.get(i).setting();
                    if (setting == null || setting.isList() || seen.add(setting)) {
                        kept.add(written.get(i).argument());
                    }
                }
                Collections.reverse(kept);
                return kept;
            }
        }
    }
}
