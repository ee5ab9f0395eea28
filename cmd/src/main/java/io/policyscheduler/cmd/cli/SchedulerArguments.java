package io.policyscheduler.cmd.cli;

import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.framework.scheduler.ResourceKind;
import io.policyscheduler.framework.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What a running scheduler can be told: the flags of {@code run} and of the commands that look at them. */
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
                "provider:NAME or modern, the default profile of Kubernetes 1.34. Without NAME= it is the profile",
                "of --scheduler-name. May be given several times."
            })
    List<String> profiles = new ArrayList<>();

    @Mixin
    PluginOptions plugins = new PluginOptions();

    @Mixin
    ConnectionOptions connectionOptions = new ConnectionOptions();

    @Option(
            names = "--tie-break",
            paramLabel = "HOW",
            defaultValue = "round-robin",
            description = "Among equally good nodes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    TieBreakOption tieBreak = TieBreakOption.ROUND_ROBIN;

    @Option(
            names = "--percentage-of-nodes-to-score",
            paramLabel = "N",
            defaultValue = "0",
            description = "Look for feasible nodes in this part of the cluster; 0 adapts to its size, 100 is all.")
    int percentage;

    @Option(
            names = "--disable-preemption",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            description = "Never evict a pod to make room.")
    boolean disablePreemption;

    @Option(
            names = "--pod-initial-backoff-seconds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Wait of a pod after its first failure; doubles (default: ${DEFAULT-VALUE}).")
    int initialBackoff = 1;

    @Option(
            names = "--pod-max-backoff-seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "Longest wait of a pod after a failure (default: ${DEFAULT-VALUE}).")
    int maxBackoff = 10;

    @Option(
            names = "--bind-timeout-seconds",
            paramLabel = "N",
            defaultValue = "600",
            description =
                    "How long the volumes of a pod may take to be bound; 0 waits for ever (default: ${DEFAULT-VALUE}).")
    int bindTimeout = 600;

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
        if (initialBackoff <= 0) {
            throw usage("podInitialBackoffSeconds: Invalid value: " + initialBackoff + ": must be greater than 0");
        }
        if (maxBackoff < initialBackoff) {
            throw usage("podMaxBackoffSeconds: Invalid value: " + maxBackoff
                    + ": must be greater than or equal to PodInitialBackoffSeconds");
        }
        if (percentage < 0 || percentage > 100) {
            throw usage("percentageOfNodesToScore: Invalid value: " + percentage + ": not in valid range [0-100]");
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

    /** How long the volumes of a pod may take. */
    Duration volumeTimeout() {
        return bindTimeout == 0 ? FOR_EVER : Duration.ofSeconds(Math.max(bindTimeout, 0));
    }

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
