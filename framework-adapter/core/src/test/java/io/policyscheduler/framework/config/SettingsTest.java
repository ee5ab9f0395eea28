package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    /** Field, first and last version, default before and since v1beta1, flag, variable, and the value without a file. */
    private static final String EVERY_SETTING = """
            leaderElection.leaderElect|v1alpha1|v1|true|true|--leader-elect|POLICY_SCHEDULER_LEADER_ELECT|true
            leaderElection.leaseDuration|v1alpha1|v1|15s|15s|--leader-elect-lease-duration|POLICY_SCHEDULER_LEADER_ELECT_LEASE_DURATION|15s
            leaderElection.renewDeadline|v1alpha1|v1|10s|10s|--leader-elect-renew-deadline|POLICY_SCHEDULER_LEADER_ELECT_RENEW_DEADLINE|10s
            leaderElection.retryPeriod|v1alpha1|v1|2s|2s|--leader-elect-retry-period|POLICY_SCHEDULER_LEADER_ELECT_RETRY_PERIOD|2s
            leaderElection.resourceLock|v1alpha1|v1|endpointsleases|leases|--leader-elect-resource-lock|POLICY_SCHEDULER_LEADER_ELECT_RESOURCE_LOCK|leases
            leaderElection.resourceName|v1alpha1|v1|kube-scheduler|kube-scheduler|--leader-elect-resource-name|POLICY_SCHEDULER_LEADER_ELECT_RESOURCE_NAME|
            leaderElection.resourceNamespace|v1alpha1|v1|kube-system|kube-system|--leader-elect-resource-namespace|POLICY_SCHEDULER_LEADER_ELECT_RESOURCE_NAMESPACE|kube-system
            leaderElection.lockObjectName|v1alpha1|v1alpha1|||||
            leaderElection.lockObjectNamespace|v1alpha1|v1alpha1|||||
            clientConnection.kubeconfig|v1alpha1|v1|||--kubeconfig|POLICY_SCHEDULER_KUBECONFIG|
            clientConnection.acceptContentTypes|v1alpha1|v1|||||
            clientConnection.contentType|v1alpha1|v1|application/vnd.kubernetes.protobuf|application/vnd.kubernetes.protobuf|--kube-api-content-type|POLICY_SCHEDULER_KUBE_API_CONTENT_TYPE|
            clientConnection.qps|v1alpha1|v1|50|50|--kube-api-qps|POLICY_SCHEDULER_KUBE_API_QPS|
            clientConnection.burst|v1alpha1|v1|100|100|--kube-api-burst|POLICY_SCHEDULER_KUBE_API_BURST|
            enableProfiling|v1alpha1|v1|true|true|--profiling|POLICY_SCHEDULER_PROFILING|
            enableContentionProfiling|v1alpha1|v1|||--contention-profiling|POLICY_SCHEDULER_CONTENTION_PROFILING|
            percentageOfNodesToScore|v1alpha1|v1|||--percentage-of-nodes-to-score|POLICY_SCHEDULER_PERCENTAGE_OF_NODES_TO_SCORE|0
            podInitialBackoffSeconds|v1alpha1|v1|1|1|--pod-initial-backoff-seconds|POLICY_SCHEDULER_POD_INITIAL_BACKOFF_SECONDS|1
            podMaxBackoffSeconds|v1alpha1|v1|10|10|--pod-max-backoff-seconds|POLICY_SCHEDULER_POD_MAX_BACKOFF_SECONDS|10
            schedulerName|v1alpha1|v1alpha1|default-scheduler|default-scheduler|--scheduler-name|POLICY_SCHEDULER_SCHEDULER_NAME|policy-scheduler
            algorithmSource.provider|v1alpha1|v1alpha1|||--algorithm-provider|POLICY_SCHEDULER_ALGORITHM_PROVIDER|
            algorithmSource.policy.file.path|v1alpha1|v1alpha1|||--policy-config-file|POLICY_SCHEDULER_POLICY_CONFIG_FILE|
            algorithmSource.policy.configMap.name|v1alpha1|v1alpha1|||--policy-configmap|POLICY_SCHEDULER_POLICY_CONFIGMAP|
            algorithmSource.policy.configMap.namespace|v1alpha1|v1alpha1|kube-system|kube-system|--policy-configmap-namespace|POLICY_SCHEDULER_POLICY_CONFIGMAP_NAMESPACE|kube-system
            hardPodAffinitySymmetricWeight|v1alpha1|v1alpha1|1|1|--hard-pod-affinity-symmetric-weight|POLICY_SCHEDULER_HARD_POD_AFFINITY_SYMMETRIC_WEIGHT|1
            disablePreemption|v1alpha1|v1alpha2|false|false|--disable-preemption|POLICY_SCHEDULER_DISABLE_PREEMPTION|false
            bindTimeoutSeconds|v1alpha1|v1alpha2|600|600|--bind-timeout-seconds|POLICY_SCHEDULER_BIND_TIMEOUT_SECONDS|600
            healthzBindAddress|v1alpha1|v1beta2|0.0.0.0:10251|0.0.0.0:10251|--status-address|POLICY_SCHEDULER_STATUS_ADDRESS|
            metricsBindAddress|v1alpha1|v1beta2|0.0.0.0:10251|0.0.0.0:10251|||
            parallelism|v1beta1|v1|16|16|||
            delayCacheUntilActive|v1|v1|false|false|||
            """;

    private static String row(Setting setting) {
        return String.join(
                "|",
                setting.field(),
                setting.first().orElseThrow().version(),
                setting.last().orElseThrow().version(),
                setting.fileDefault(ConfigVersion.V1ALPHA1),
                setting.fileDefault(ConfigVersion.V1),
                setting.flag(),
                setting.variable(),
                setting.flagDefault());
    }

    @Test
    void everySettingWithItsNamesAndDefaults() {
        assertEquals(
                EVERY_SETTING,
                Settings.all().stream().map(SettingsTest::row).collect(Collectors.joining("\n", "", "\n")));
    }

    @ParameterizedTest
    @CsvSource({
        "--percentage-of-nodes-to-score, 0, ",
        "--percentage-of-nodes-to-score, 100, ",
        "--percentage-of-nodes-to-score, 101, not in valid range [0-100]",
        "--percentage-of-nodes-to-score, -1, not in valid range [0-100]",
        "--pod-initial-backoff-seconds, 0, must be greater than 0",
        "--pod-initial-backoff-seconds, 1, ",
        "--hard-pod-affinity-symmetric-weight, 101, not in valid range [0-100]",
        "--bind-timeout-seconds, -1, ",
    })
    void aRangeHasItsWords(String flag, long value, String problem) {
        assertEquals(
                Optional.ofNullable(problem),
                Settings.ofFlag(flag).orElseThrow().problem(value));
    }
}
