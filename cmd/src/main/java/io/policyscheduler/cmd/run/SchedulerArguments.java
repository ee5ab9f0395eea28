package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.TieBreakOption;
import io.policyscheduler.cmd.settings.SettingLayers;
import io.policyscheduler.cmd.sources.ConnectionOptions;
import io.policyscheduler.cmd.sources.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicySourceOptions;
import io.policyscheduler.cmd.sources.ProfileRequest;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.RuleExecutionOptions;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.setting.Settings;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a running scheduler can be told: the flags of {@code run} and of the commands that look at them. */
@Command(modelTransformer = SettingFlags.class)
abstract class SchedulerArguments {
    /** A timeout of 0 waits for ever, as in v1.17. */
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    @Spec
    CommandSpec spec;

    @Option(
            names = LayeredDefaults.CONFIG,
            paramLabel = "FILE",
            description = {
                "KubeSchedulerConfiguration v1alpha1 to v1, JSON or YAML; flags and POLICY_SCHEDULER_... variables",
                "of the environment go before what it says."
            })
    @Nullable
    Path config;

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = "policy-scheduler",
            description = "Pods with this spec.schedulerName are scheduled by the policy (default: ${DEFAULT-VALUE}).")
    String schedulerName = "policy-scheduler";

    @Mixin
    PolicySourceOptions source = new PolicySourceOptions();

    @Option(
            names = "--profile",
            paramLabel = "[NAME=]SOURCE",
            description = {
                "One more scheduler name with a profile of its own; SOURCE is policy:FILE, configmap:NAMESPACE/NAME,",
                "provider:NAME, config:FILE[#PROFILE] or modern, the default profile of Kubernetes 1.34, which without",
                "NAME= is the profile of --scheduler-name. May be given several times."
            })
    List<String> profiles = new ArrayList<>();

    @Mixin
    PluginOptions plugins = new PluginOptions();

    @Mixin
    RuleExecutionOptions ruleOptions = new RuleExecutionOptions();

    @Mixin
    ConnectionOptions connectionOptions = new ConnectionOptions();

    @Option(
            names = "--tie-break",
            paramLabel = "HOW",
            defaultValue = "round-robin",
            description = "Among equally good nodes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    TieBreakOption tieBreak = TieBreakOption.ROUND_ROBIN;

    @Option(
            names = "--requeue-hints",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            description = {
                "Wake an unschedulable pod only for changes that can help it, as releases from 1.32 on do, and not",
                "for every change of the cluster, as 1.17 did (default: ${DEFAULT-VALUE})."
            })
    boolean requeueHints;

    @Option(
            names = "--decision-budget-millis",
            paramLabel = "N",
            defaultValue = "200",
            description = {
                "CPU time above which deciding one pod is told as an event, if other pods take far less; such a pod",
                "waits longer for its next turn; 0 for no budget (default: ${DEFAULT-VALUE})."
            })
    int decisionBudget = 200;

    @Option(
            names = "--ignore-unreadable-pods",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            description = {
                "Let nodes take pods although one runs there that this program cannot read, so that nobody knows what it",
                "takes. Otherwise they take none until it can be read or is gone (default: ${DEFAULT-VALUE})."
            })
    boolean ignoreUnreadablePods;

    @Mixin
    LeaderElectionOptions leaderElection = new LeaderElectionOptions();

    @Mixin
    ServingOptions serving = new ServingOptions();

    @Mixin
    PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    ReleaseOptions releaseOptions = new ReleaseOptions();

    @Mixin
    CommonOptions common = new CommonOptions();

    /** Times of the scheduler; values that make no sense are a usage error. */
    SchedulerOptions options(FeatureGates gates) {
        SettingFlags.number(spec, Settings.PERCENTAGE);
        int initialBackoff = SettingFlags.number(spec, Settings.INITIAL_BACKOFF);
        int maxBackoff = SettingFlags.number(spec, Settings.MAX_BACKOFF);
        if (maxBackoff < initialBackoff) {
            throw SettingFlags.invalid(spec, Settings.MAX_BACKOFF, maxBackoff, Settings.LESS_THAN_INITIAL);
        }
        if (decisionBudget < 0) {
            throw usage(
                    "decisionBudgetMillis: Invalid value: " + decisionBudget + ": must be greater than or equal to 0");
        }
        SchedulerOptions defaults = SchedulerOptions.defaults();
        // The plugins of current releases look at more than the algorithms of 1.17 did, and so do those in new
        // clusters.
        boolean ofFirstVersion = config == null
                && profiles.stream().noneMatch(profile -> profile.endsWith("modern"))
                && (policyOptions.strict() || !gates.honoursNewerFields());
        return (ofFirstVersion ? defaults : defaults.withRequiredKinds(EnumSet.allOf(ResourceKind.class)))
                .withBackoff(Duration.ofSeconds(initialBackoff), Duration.ofSeconds(maxBackoff))
                .withRequeueHints(requeueHints)
                .withDecisionBudget(Duration.ofMillis(decisionBudget));
    }

    boolean disablePreemption() {
        return SettingFlags.flag(spec, Settings.DISABLE_PREEMPTION);
    }

    /** The configuration of a text; the one that flags have their values from is not read again. */
    private SchedulerConfiguration configuration(String text, String file) throws ConfigurationException {
        return spec.defaultValueProvider() instanceof LayeredDefaults layered
                ? layered.configuration(text, file)
                : new ConfigurationReader().read(text, file);
    }

    /** The scheduler name that a flag or the environment gives, empty if neither does. */
    private Optional<String> nameGiven() {
        String flag = Settings.SCHEDULER_NAME.flag();
        boolean matched = spec.commandLine().getParseResult().hasMatchedOption(flag);
        boolean inEnvironment = spec.defaultValueProvider() instanceof LayeredDefaults layered
                && layered.layers()
                        .find(flag)
                        .filter(value -> value.source().startsWith(SettingLayers.ENVIRONMENT))
                        .isPresent();
        return matched || inEnvironment ? Optional.of(schedulerName) : Optional.empty();
    }

    /** How long the volumes of a pod may take. */
    Duration volumeTimeout() {
        int bindTimeout = SettingFlags.number(spec, Settings.BIND_TIMEOUT);
        return bindTimeout == 0 ? FOR_EVER : Duration.ofSeconds(Math.max(bindTimeout, 0));
    }

    /** What is said of profiles. */
    ProfileRequest profileRequest() {
        return new ProfileRequest(
                config,
                this::configuration,
                schedulerName,
                nameGiven().orElse(""),
                source,
                profiles,
                SettingFlags.unchecked(spec, Settings.PERCENTAGE),
                plugins,
                policyOptions,
                releaseOptions);
    }

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
