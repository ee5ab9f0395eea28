package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.election.LeaseSettings;
import io.policyscheduler.cmd.options.DurationConverter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The leader election of {@code run}, with the flags of kube-scheduler; a mixin. Off by default, where kube-scheduler has it
 * on: a scheduler that somebody starts by hand should not wait for a lease, and the manifests say so when they want it.
 */
final class LeaderElectionOptions {
    private static final String LEASES = "leases";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--leader-elect",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            defaultValue = "false",
            description = "Schedule only while holding a Lease; for several replicas (default: ${DEFAULT-VALUE}).")
    private boolean enabled;

    @Option(
            names = "--leader-elect-lease-duration",
            paramLabel = "DURATION",
            defaultValue = "15s",
            converter = DurationConverter.class,
            description = "How long others respect a Lease that is not renewed (default: ${DEFAULT-VALUE}).")
    private Duration leaseDuration = LeaseSettings.DEFAULT_LEASE_DURATION;

    @Option(
            names = "--leader-elect-renew-deadline",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "How long the leader goes on without a renewal (default: ${DEFAULT-VALUE}).")
    private Duration renewDeadline = LeaseSettings.DEFAULT_RENEW_DEADLINE;

    @Option(
            names = "--leader-elect-retry-period",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = DurationConverter.class,
            description = "Wait between attempts (default: ${DEFAULT-VALUE}).")
    private Duration retryPeriod = LeaseSettings.DEFAULT_RETRY_PERIOD;

    @Option(
            names = "--leader-elect-resource-lock",
            paramLabel = "KIND",
            defaultValue = LEASES,
            description = "Only leases (default: ${DEFAULT-VALUE}).")
    private String resourceLock = LEASES;

    @Option(
            names = "--leader-elect-resource-name",
            paramLabel = "NAME",
            defaultValue = "",
            description = "Name of the Lease (default: the scheduler name).")
    private String resourceName = "";

    @Option(
            names = "--leader-elect-resource-namespace",
            paramLabel = "NAMESPACE",
            defaultValue = "kube-system",
            description = "Namespace of the Lease (default: ${DEFAULT-VALUE}).")
    private String resourceNamespace = "kube-system";

    /**
     * What was asked for, with a new identity; null when off.
     *
     * @throws ParameterException when the values do not go together
     */
    @Nullable
    LeaseSettings settings(String schedulerName) {
        if (!enabled) {
            return null;
        }
        if (!resourceLock.equals(LEASES)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--leader-elect-resource-lock: \"" + resourceLock + "\" is not supported, only " + LEASES);
        }
        try {
            return new LeaseSettings(
                    resourceNamespace,
                    resourceName.isEmpty() ? schedulerName : resourceName,
                    LeaseSettings.newIdentity(),
                    leaseDuration,
                    renewDeadline,
                    retryPeriod,
                    true);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "leader election: " + e.getMessage(), e);
        }
    }
}
