package io.policyscheduler.cmd.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingLayersTest {
    private static final String FIRST_VERSION = """
            apiVersion: kubescheduler.config.k8s.io/v1alpha1
            kind: KubeSchedulerConfiguration
            schedulerName: old
            algorithmSource:
              policy:
                configMap:
                  namespace: ops
                  name: policy
            hardPodAffinitySymmetricWeight: 7
            disablePreemption: true
            bindTimeoutSeconds: 30
            percentageOfNodesToScore: 40
            healthzBindAddress: 127.0.0.1:9999
            leaderElection:
              leaderElect: true
              leaseDuration: 30s
              renewDeadline: 20s
              retryPeriod: 1500ms
              resourceName: lock
            clientConnection:
              kubeconfig: /etc/kubeconfig
            """;

    private static SchedulerConfiguration file() {
        try {
            return new ConfigurationReader().read(FIRST_VERSION, "run.yaml");
        } catch (ConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--scheduler-name, old, 3",
        "--policy-configmap-namespace, ops, 7",
        "--policy-configmap, policy, 8",
        "--hard-pod-affinity-symmetric-weight, 7, 9",
        "--disable-preemption, true, 10",
        "--bind-timeout-seconds, 30, 11",
        "--percentage-of-nodes-to-score, 40, 12",
        "--status-address, 127.0.0.1:9999, 13",
        "--leader-elect, true, 15",
        "--leader-elect-lease-duration, 30s, 16",
        "--leader-elect-renew-deadline, 20s, 17",
        "--leader-elect-retry-period, 1.5s, 18",
        "--leader-elect-resource-name, lock, 19",
        "--kubeconfig, /etc/kubeconfig, 21",
    })
    void whatTheFileSaysHasItsLine(String flag, String value, int line) {
        assertEquals(
                Optional.of(new SettingLayers.Value(value, "file run.yaml:" + line)),
                new SettingLayers(file(), Map.of()).find(flag));
    }

    @ParameterizedTest
    @CsvSource({
        "--pod-initial-backoff-seconds",
        "--pod-max-backoff-seconds",
        "--leader-elect-resource-lock",
        "--algorithm-provider",
        "--policy-config-file",
        "--tie-break",
        "--no-such-flag"
    })
    void whatTheFileLeavesOutIsNotThere(String flag) {
        assertEquals(Optional.empty(), new SettingLayers(file(), Map.of()).find(flag));
    }

    @Test
    void theEnvironmentGoesFirst() {
        Map<String, String> environment = Map.of(
                "POLICY_SCHEDULER_SCHEDULER_NAME", "mine",
                "POLICY_SCHEDULER_TIE_BREAK", "first",
                "SCHEDULER_NAME", "not meant");
        SettingLayers layers = new SettingLayers(file(), environment);
        assertEquals(
                Optional.of(new SettingLayers.Value("mine", "environment POLICY_SCHEDULER_SCHEDULER_NAME")),
                layers.find("--scheduler-name"));
        assertEquals(
                Optional.of(new SettingLayers.Value("first", "environment POLICY_SCHEDULER_TIE_BREAK")),
                layers.find("--tie-break"));
        assertEquals(
                Optional.of(new SettingLayers.Value("first", "environment POLICY_SCHEDULER_TIE_BREAK")),
                new SettingLayers(null, environment).find("--tie-break"));
    }

    @Test
    void aValueMayContainWhatSeparatesListsElsewhere() {
        Map<String, String> environment = Map.of("POLICY_SCHEDULER_FEATURE_GATES", "A=true,B=${false}");
        assertEquals(
                Optional.of(new SettingLayers.Value("A=true,B=${false}", "environment POLICY_SCHEDULER_FEATURE_GATES")),
                new SettingLayers(null, environment).find("--feature-gates"));
    }

    @Test
    void variablesAndFieldsAreUnambiguous() {
        Set<String> variables = new HashSet<>();
        SettingKeys.fields().keySet().forEach(flag -> assertTrue(variables.add(SettingKeys.variable(flag)), flag));
        assertEquals(
                SettingKeys.fields().size(), new HashSet<>(SettingKeys.fields().values()).size());
        assertEquals("POLICY_SCHEDULER_STRICT_V1_17", SettingKeys.variable("--strict-v1.17"));
    }
}
