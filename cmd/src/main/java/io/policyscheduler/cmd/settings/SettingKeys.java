package io.policyscheduler.cmd.settings;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of settings: a flag, a variable of the environment, and a field of KubeSchedulerConfiguration where it has one. The
 * variable of {@code --leader-elect-lease-duration} is {@code POLICY_SCHEDULER_LEADER_ELECT_LEASE_DURATION}.
 */
public final class SettingKeys {
    /** What every variable begins with. */
    public static final String PREFIX = "POLICY_SCHEDULER_";

    /** Flag to field path. */
    private static final Map<String, String> FIELDS = ImmutableMap.<String, String>builder()
            .put("--scheduler-name", "schedulerName")
            .put("--algorithm-provider", "algorithmSource.provider")
            .put("--policy-config-file", "algorithmSource.policy.file.path")
            .put("--policy-configmap", "algorithmSource.policy.configMap.name")
            .put("--policy-configmap-namespace", "algorithmSource.policy.configMap.namespace")
            .put("--hard-pod-affinity-symmetric-weight", "hardPodAffinitySymmetricWeight")
            .put("--percentage-of-nodes-to-score", "percentageOfNodesToScore")
            .put("--disable-preemption", "disablePreemption")
            .put("--bind-timeout-seconds", "bindTimeoutSeconds")
            .put("--pod-initial-backoff-seconds", "podInitialBackoffSeconds")
            .put("--pod-max-backoff-seconds", "podMaxBackoffSeconds")
            .put("--kubeconfig", "clientConnection.kubeconfig")
            .put("--leader-elect", "leaderElection.leaderElect")
            .put("--leader-elect-lease-duration", "leaderElection.leaseDuration")
            .put("--leader-elect-renew-deadline", "leaderElection.renewDeadline")
            .put("--leader-elect-retry-period", "leaderElection.retryPeriod")
            .put("--leader-elect-resource-lock", "leaderElection.resourceLock")
            .put("--leader-elect-resource-name", "leaderElection.resourceName")
            .put("--leader-elect-resource-namespace", "leaderElection.resourceNamespace")
            .put("--status-address", "healthzBindAddress")
            .buildOrThrow();

    private SettingKeys() {}

    /** The variable of a flag. */
    public static String variable(String flag) {
        return PREFIX
                + Ascii.toUpperCase(
                        flag.replaceFirst("^--", "").replace('-', '_').replace('.', '_'));
    }

    /** The field of a flag; null when a configuration file has none. */
    public static @Nullable String field(String flag) {
        return FIELDS.get(flag);
    }

    /** All flags that have a field, with it. */
    public static Map<String, String> fields() {
        return FIELDS;
    }
}
