package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicyOptions.RuleExecutionOptions;
import io.policyscheduler.cmd.sources.PolicySourceOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import io.policyscheduler.framework.profile.PolicyTranslator;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The settings of {@code run} for policies, rules, profiles, and plugins. */
final class PolicyArguments {
    /** Settings that select the algorithm if there are no profiles. */
    private static final List<Setting> SOURCES = List.of(
            RunSettings.USE_LEGACY_POLICY,
            Settings.POLICY_CONFIG_MAP,
            Settings.POLICY_CONFIG_MAP_NAMESPACE,
            Settings.POLICY_FILE,
            Settings.PROVIDER);
    /** Settings that each name a policy or a provider. */
    static final List<Setting> OF_SOURCE = List.of(Settings.POLICY_CONFIG_MAP, Settings.POLICY_FILE, Settings.PROVIDER);
    /** Settings that change how policies are applied. */
    private static final List<Setting> OF_POLICIES = List.of(
            Settings.HARD_WEIGHT,
            RunSettings.STRICT,
            RunSettings.POLICY_RELEASE,
            RunSettings.RULES,
            RunSettings.RULE_EXECUTOR,
            RunSettings.VERIFY_RULES);

    private final CommandSpec spec;
    private final List<String> profiles;
    private final GateNames gates;
    private final PolicyOptions options;
    private final PolicySourceOptions source;
    private final ReleaseOptions release;
    private final PluginOptions plugins;
    private final RuleExecution execution;

    /** @throws ParameterException if a value is invalid */
    PolicyArguments(CommandSpec spec, SettingTree settings) {
        this.spec = spec;
        this.profiles = settings.texts(RunSettings.PROFILE);
        try {
            this.gates = GateNames.of(settings.texts(RunSettings.FEATURE_GATES));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), RunSettings.FEATURE_GATES.flag() + ": " + e.getMessage(), e);
        }
        this.options = PolicyOptions.of(
                spec,
                settings.isOn(RunSettings.STRICT),
                gates.known(),
                Math.toIntExact(settings.number(Settings.HARD_WEIGHT)),
                paths(settings, RunSettings.RULES));
        this.source = new PolicySourceOptions(
                file(settings),
                source(settings, Settings.POLICY_CONFIG_MAP),
                settings.text(Settings.POLICY_CONFIG_MAP_NAMESPACE),
                settings.isOn(RunSettings.USE_LEGACY_POLICY),
                source(settings, Settings.PROVIDER),
                policyRelease(settings));
        this.release = ReleaseOptions.of(
                spec, settings.text(RunSettings.RELEASE), settings.texts(RunSettings.IGNORE_NEWER_FIELDS));
        this.plugins = PluginOptions.of(
                spec, paths(settings, RunSettings.PLUGIN_PATH), settings.texts(RunSettings.PLUGIN_SHA256));
        try {
            this.execution = RuleExecutionOptions.execution(
                    settings.text(RunSettings.RULE_EXECUTOR), settings.text(RunSettings.VERIFY_RULES));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '" + RunSettings.VERIFY_RULES.flag() + "': " + e.getMessage(),
                    e);
        }
        options.runRules(execution);
    }

    /**
     * Rejects flags and variables that have no effect because of the profiles of a configuration.
     *
     * @throws ParameterException that names the flag and the file
     */
    void requireEffect(SettingTree settings, SchedulerConfiguration file) {
        if (file.version() != ConfigVersion.V1ALPHA1) {
            for (Setting setting : SOURCES) {
                reject(settings, file, setting, "the file selects plugins by profiles", asProfile(setting, settings));
            }
            boolean policies = profiles.stream()
                    .anyMatch(
                            text -> !text.endsWith("modern") && !text.contains("modern@") && !text.contains("config:"));
            for (Setting setting : policies ? List.<Setting>of() : OF_POLICIES) {
                reject(
                        settings,
                        file,
                        setting,
                        "it changes policies, and the file has only profiles",
                        setting.equals(Settings.HARD_WEIGHT)
                                ? "set hardPodAffinityWeight in the args of InterPodAffinity"
                                : "");
            }
        }
        List<ProfileConfiguration> all = file.profiles();
        if (all.stream().allMatch(profile -> profile.percentageOfNodesToScore() != null)) {
            reject(settings, file, Settings.PERCENTAGE, "its profiles set percentageOfNodesToScore", "");
        }
        if (all.stream().allMatch(profile -> setsBindTimeout(file, profile))) {
            reject(
                    settings,
                    file,
                    Settings.BIND_TIMEOUT,
                    "its profiles set bindTimeoutSeconds in the args of VolumeBinding",
                    "");
        }
    }

    private static boolean setsBindTimeout(SchedulerConfiguration file, ProfileConfiguration profile) {
        return file.argumentsOf(profile, "VolumeBinding")
                .filter(PluginArguments::given)
                .filter(arguments -> arguments.args().has("bindTimeoutSeconds"))
                .isPresent();
    }

    /** W149 for flags that name a policy next to one that takes precedence in 1.17: a ConfigMap, then a file, then a provider. */
    static List<String> withoutEffect(SettingTree settings) {
        boolean legacy = settings.isOn(RunSettings.USE_LEGACY_POLICY);
        Optional<String> map = given(settings, Settings.POLICY_CONFIG_MAP);
        Optional<String> file = given(settings, Settings.POLICY_FILE);
        Optional<String> used = map.filter(flag -> !legacy).or(() -> file).or(() -> map);
        List<String> warnings = new ArrayList<>();
        for (Setting setting : OF_SOURCE) {
            given(settings, setting)
                    .filter(flag -> used.isPresent() && !used.get().equals(flag))
                    .ifPresent(flag -> warnings.add("W149 " + flag + " has no effect next to " + used.get()
                            + ", which takes precedence as in 1.17; remove one of them"));
        }
        // Unlike in 1.17, which ignores these flags next to --config.
        Optional<String> flagged = used.or(() -> given(settings, Settings.PROVIDER));
        for (Setting setting : OF_SOURCE) {
            settings.find(setting)
                    .filter(value -> value.layer() == SettingTree.Value.Layer.FILE && flagged.isPresent())
                    .ifPresent(value -> warnings.add("W149 " + setting.field() + " of "
                            + value.source().replaceFirst("^file ", "") + " has no effect next to "
                            + flagged.orElseThrow() + ", which takes precedence; remove one of them"));
        }
        boolean reads = map.isPresent() && used.equals(map);
        given(settings, Settings.POLICY_CONFIG_MAP_NAMESPACE)
                .filter(flag -> !reads)
                .ifPresent(flag -> warnings.add("W149 " + flag + " has no effect: no "
                        + Settings.POLICY_CONFIG_MAP.flag() + " is read; remove it"));
        return warnings;
    }

    /** The flag or variable, with its value. */
    private static Optional<String> given(SettingTree settings, Setting setting) {
        return settings.find(setting)
                .filter(SettingTree.Value::isGivenAtStart)
                .filter(value -> !value.text().isEmpty())
                .map(value -> value.source().replaceFirst("^flag ", "") + " " + value.text());
    }

    /** @throws ParameterException if the release has no policies, or contradicts another flag */
    private Release policyRelease(SettingTree settings) {
        String flag = RunSettings.POLICY_RELEASE.flag();
        Release asked;
        try {
            asked = Release.parse(settings.text(RunSettings.POLICY_RELEASE));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), flag + ": " + e.getMessage(), e);
        }
        if (!asked.equals(Release.V1_17) && !PolicyTranslator.isTranslatedBy(asked)) {
            throw new ParameterException(
                    spec.commandLine(),
                    flag + ": " + asked + " is not a release from " + Release.V1_17 + " to " + PolicyTranslator.LAST
                            + "; later releases read no policies, see policy-scheduler migrate");
        }
        if (!asked.equals(Release.V1_17) && settings.isOn(RunSettings.STRICT)) {
            throw new ParameterException(
                    spec.commandLine(),
                    RunSettings.STRICT.flag() + " and " + flag + "=" + asked
                            + " contradict each other; use one of them");
        }
        return asked;
    }

    private static String asProfile(Setting setting, SettingTree settings) {
        String kind =
                setting.equals(Settings.POLICY_FILE) ? "policy:" : setting.equals(Settings.PROVIDER) ? "provider:" : "";
        String value = setting.equals(Settings.POLICY_CONFIG_MAP)
                ? "configmap:" + settings.text(Settings.POLICY_CONFIG_MAP_NAMESPACE) + "/" + settings.text(setting)
                : kind + settings.text(setting);
        return value.indexOf(':') < 0 ? "" : "add --profile NAME=" + value + " for another scheduler name";
    }

    private void reject(
            SettingTree settings, SchedulerConfiguration file, Setting setting, String reason, String otherWay) {
        SettingTree.Value value = settings.find(setting).orElse(null);
        if (value == null
                || !value.isGivenAtStart()
                || value.text().isEmpty()
                || value.text().equals("false")) {
            return;
        }
        throw new ParameterException(
                spec.commandLine(),
                value.source().replaceFirst("^flag ", "") + " " + value.text() + " has no effect next to --config "
                        + file.file() + ": " + reason + "; leave one of them out"
                        + (otherWay.isEmpty() ? "" : ", or " + otherWay));
    }

    /** The value of a source; that of a file is used only if no flag sets another source. */
    static String source(SettingTree settings, Setting setting) {
        boolean given = OF_SOURCE.stream()
                .anyMatch(source -> settings.isGivenAtStart(source)
                        && !settings.text(source).isEmpty());
        return given && !settings.isGivenAtStart(setting) ? "" : settings.text(setting);
    }

    private @Nullable Path file(SettingTree settings) {
        String file = source(settings, Settings.POLICY_FILE);
        return file.isEmpty() ? null : path(Settings.POLICY_FILE, file);
    }

    private List<Path> paths(SettingTree settings, Setting setting) {
        return settings.texts(setting).stream().map(text -> path(setting, text)).toList();
    }

    private Path path(Setting setting, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ParameterException(spec.commandLine(), setting.flag() + ": " + e.getMessage(), e);
        }
    }

    /** The options of policies. */
    PolicyOptions options() {
        return options;
    }

    /** The source of the policy. */
    PolicySourceOptions source() {
        return source;
    }

    /** The feature gates of the command line. */
    GateNames gates() {
        return gates;
    }

    /** More profiles, as in {@code --profile}. */
    List<String> profiles() {
        return profiles;
    }

    /** Kubernetes release of the cluster. */
    ReleaseOptions release() {
        return release;
    }

    /** The sources of plugins. */
    PluginOptions plugins() {
        return plugins;
    }

    /** The executor of rules. */
    RuleExecution execution() {
        return execution;
    }

    /**
     * The feature gates of a command line of any release: those of 1.17's scheduling, which have an effect here, and the others.
     *
     * @param known gates as {@link FeatureGates#parse} returns them
     * @param unknown the names of the others, in order
     */
    record GateNames(String known, List<String> unknown) {
        /** Since 1.32, gates of components have the form {@code kube:NAME=BOOL}. */
        private static final String COMPONENT = "kube:";

        GateNames {
            unknown = List.copyOf(unknown);
        }

        /**
         * The gates of a command line.
         *
         * @param gates each {@code NAME=BOOL}
         * @throws IllegalArgumentException if the value of an unknown gate is no boolean
         */
        static GateNames of(List<String> gates) {
            List<String> known = new ArrayList<>();
            List<String> unknown = new ArrayList<>();
            for (String gate : gates) {
                String plain = gate.startsWith(COMPONENT) ? gate.substring(COMPONENT.length()) : gate;
                int equals = plain.indexOf('=');
                String name = (equals < 0 ? plain : plain.substring(0, equals)).strip();
                if (equals < 0 || FeatureGates.names().contains(name)) {
                    known.add(plain);
                } else {
                    FeatureGates.parseBoolean(name, plain.substring(equals + 1).strip());
                    if (!unknown.contains(name)) {
                        unknown.add(name);
                    }
                }
            }
            return new GateNames(String.join(",", known), unknown);
        }

        /** A line for each gate without effect. */
        List<String> warnings() {
            return unknown.stream()
                    .map(name -> "W143 --feature-gates: " + name
                            + " has no effect: it is not a scheduling gate of 1.17; remove it")
                    .toList();
        }
    }
}
