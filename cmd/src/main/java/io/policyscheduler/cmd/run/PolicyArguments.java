package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.settings.RunSettings;
import io.policyscheduler.cmd.settings.SettingTree;
import io.policyscheduler.cmd.sources.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicySourceOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.RuleExecutionOptions;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the settings of a running scheduler say of policies, rules, profiles and plugins. */
final class PolicyArguments {
    private final CommandSpec spec;
    private final List<String> profiles;
    private final GateNames gates;
    private final PolicyOptions options;
    private final PolicySourceOptions source;
    private final ReleaseOptions release;
    private final PluginOptions plugins;
    private final RuleExecution execution;

    /** @throws ParameterException when a value makes no sense */
    PolicyArguments(CommandSpec spec, SettingTree settings) {
        this.spec = spec;
        this.profiles = settings.texts(RunSettings.PROFILE);
        this.gates = GateNames.of(settings.texts(RunSettings.FEATURE_GATES));
        this.options = PolicyOptions.of(
                spec,
                settings.isOn(RunSettings.STRICT),
                gates.known(),
                Math.toIntExact(settings.number(Settings.HARD_WEIGHT)),
                paths(settings, RunSettings.RULES));
        this.source = new PolicySourceOptions(
                file(settings),
                settings.text(Settings.POLICY_CONFIG_MAP),
                settings.text(Settings.POLICY_CONFIG_MAP_NAMESPACE),
                settings.isOn(RunSettings.USE_LEGACY_POLICY),
                settings.text(Settings.PROVIDER));
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

    private @Nullable Path file(SettingTree settings) {
        return settings.find(Settings.POLICY_FILE).isEmpty()
                ? null
                : path(Settings.POLICY_FILE, settings.text(Settings.POLICY_FILE));
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

    /** What decides what a policy means. */
    PolicyOptions options() {
        return options;
    }

    /** Where the policy comes from. */
    PolicySourceOptions source() {
        return source;
    }

    /** The feature gates that were given. */
    GateNames gates() {
        return gates;
    }

    /** More profiles, as in {@code --profile}. */
    List<String> profiles() {
        return profiles;
    }

    /** Of which release the cluster is. */
    ReleaseOptions release() {
        return release;
    }

    /** Where plugins come from. */
    PluginOptions plugins() {
        return plugins;
    }

    /** How rules are run. */
    RuleExecution execution() {
        return execution;
    }
}
