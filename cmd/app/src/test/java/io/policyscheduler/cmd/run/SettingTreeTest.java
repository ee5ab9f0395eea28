package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.cmd.run.RunSettings.Kube;
import io.policyscheduler.cmd.run.SettingTree.InvalidException;
import io.policyscheduler.cmd.run.SettingTree.Patch;
import io.policyscheduler.cmd.run.SettingTree.Value;
import io.policyscheduler.cmd.run.SettingTree.Value.Layer;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Settings;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTreeTest {
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

    private static Optional<Value> find(Patch patch, String flag) {
        return SettingCatalog.find(flag).flatMap(patch::find);
    }

    private static Patch ofFile() {
        return Patch.ofFile(SettingCatalog.withFlags(), file());
    }

    private static Patch ofEnvironment(Map<String, String> environment) {
        return Patch.ofEnvironment(SettingCatalog.withFlags(), environment);
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
        Value found = find(ofFile(), flag).orElseThrow();
        assertEquals(
                List.of(value, Layer.FILE, "file run.yaml:" + line),
                List.of(found.text(), found.layer(), found.source()));
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
        assertEquals(Optional.empty(), find(ofFile(), flag));
    }

    @Test
    void theEnvironmentGoesFirst() {
        Map<String, String> environment = Map.of(
                "POLICY_SCHEDULER_SCHEDULER_NAME", "mine",
                "POLICY_SCHEDULER_TIE_BREAK", "first",
                "SCHEDULER_NAME", "not meant");
        SettingTree tree = SettingTree.of(ofFile(), ofEnvironment(environment));
        assertEquals(
                Optional.of(new Value("mine", Layer.ENVIRONMENT, "environment POLICY_SCHEDULER_SCHEDULER_NAME")),
                tree.find(Settings.SCHEDULER_NAME));
        assertEquals(
                Optional.of(new Value("first", Layer.ENVIRONMENT, "environment POLICY_SCHEDULER_TIE_BREAK")),
                tree.find(RunSettings.TIE_BREAK));
        assertEquals(
                Optional.of(new Value("first", Layer.ENVIRONMENT, "environment POLICY_SCHEDULER_TIE_BREAK")),
                SettingTree.of(ofEnvironment(environment)).find(RunSettings.TIE_BREAK));
    }

    @Test
    void eachLayerGoesBeforeTheOnesBelow() {
        List<Setting> rows = SettingCatalog.withFlags();
        Patch defaults = Patch.defaults(rows, Compat.NONE);
        Patch environment = ofEnvironment(Map.of(
                "POLICY_SCHEDULER_PERCENTAGE_OF_NODES_TO_SCORE", "50",
                "POLICY_SCHEDULER_LEADER_ELECT_RETRY_PERIOD", "3s"));
        Patch flags = Patch.ofFlags(Map.of(Settings.PERCENTAGE, 60));
        SettingTree tree = SettingTree.of(defaults, ofFile(), environment, flags);
        assertEquals(60, tree.number(Settings.PERCENTAGE));
        assertEquals(Duration.ofSeconds(3), tree.duration(Settings.RETRY_PERIOD));
        assertEquals(Duration.ofSeconds(20), tree.duration(Settings.RENEW_DEADLINE));
        assertEquals(1, tree.number(Settings.INITIAL_BACKOFF));
        assertEquals("", tree.text(RunSettings.MASTER));
        assertTrue(tree.isGivenAtStart(Settings.PERCENTAGE));
        assertTrue(tree.isGivenAtStart(Settings.RETRY_PERIOD));
        assertFalse(tree.isGivenAtStart(Settings.RENEW_DEADLINE));
        assertFalse(tree.isGivenAtStart(Settings.INITIAL_BACKOFF));
        assertEquals(50, SettingTree.of(defaults, ofFile(), environment).number(Settings.PERCENTAGE));
        assertEquals(40, SettingTree.of(defaults, ofFile()).number(Settings.PERCENTAGE));
        assertEquals(0, SettingTree.of(defaults).number(Settings.PERCENTAGE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POLICY_SCHEDULER_LEADER_ELECT|yes|Invalid value for option '--leader-elect': 'yes' is not a boolean",
                "POLICY_SCHEDULER_PERCENTAGE_OF_NODES_TO_SCORE|half|Invalid value for option"
                        + " '--percentage-of-nodes-to-score': 'half' is not an int",
                "POLICY_SCHEDULER_TIE_BREAK|last|Invalid value for option '--tie-break': expected one of [round-robin,"
                        + " random, first] (case-insensitive) but was 'last'",
                "POLICY_SCHEDULER_LEADER_ELECT_RETRY_PERIOD|2|Invalid value for option '--leader-elect-retry-period': '2'"
                        + " is not a duration (such as 15s, 1m30s or 500ms)",
            })
    void aBadVariableIsNamed(String variable, String value, String error) {
        assertEquals(
                error + " (from environment " + variable + ")",
                assertThrows(InvalidException.class, () -> ofEnvironment(Map.of(variable, value)))
                        .getMessage());
    }

    @Test
    void aValueMayContainWhatSeparatesListsElsewhere() {
        Map<String, String> environment = Map.of("POLICY_SCHEDULER_FEATURE_GATES", "A=true,B=${false}");
        Value found = find(ofEnvironment(environment), "--feature-gates").orElseThrow();
        assertEquals(
                List.of("A=true,B=${false}", Layer.ENVIRONMENT, "environment POLICY_SCHEDULER_FEATURE_GATES"),
                List.of(found.text(), found.layer(), found.source()));
    }

    @Test
    void listsAreTakenApart() {
        SettingTree tree = SettingTree.of(ofEnvironment(Map.of(
                "POLICY_SCHEDULER_IGNORE_NEWER_FIELDS", "overhead,sidecars", "POLICY_SCHEDULER_RULES", "a,b.yaml")));
        assertEquals(List.of("overhead", "sidecars"), tree.texts(RunSettings.IGNORE_NEWER_FIELDS));
        assertEquals(List.of("a,b.yaml"), tree.texts(RunSettings.RULES));
    }

    @Test
    void variablesAndFieldsAreUnambiguous() {
        Set<String> variables = new HashSet<>();
        Set<String> fields = new HashSet<>();
        for (Setting setting : SettingCatalog.all()) {
            assertTrue(setting.variable().isEmpty() || variables.add(setting.variable()), setting.flag());
            assertTrue(setting.field().isEmpty() || fields.add(setting.field()), setting.field());
        }
        assertEquals("POLICY_SCHEDULER_STRICT_V1_17", RunSettings.STRICT.variable());
    }

    /** A row in no list would be missing in help, file, and page. */
    @ParameterizedTest
    @ValueSource(classes = {Settings.class, RunSettings.class, ServingFlags.class, Kube.class, LoggingFlags.class})
    void everyRowStandsInTheListOfItsClass(Class<?> rows) throws IllegalAccessException {
        int found = 0;
        for (Field field : rows.getFields()) {
            if (field.getType() == Setting.class) {
                assertTrue(SettingCatalog.all().contains((Setting) field.get(null)), field.getName());
                found++;
            }
        }
        assertTrue(found > 0, rows.getName());
    }

    @Test
    void everyFlagStandsOnceInTheHelp() {
        List<Setting> grouped = SettingCatalog.withFlags();
        assertEquals(grouped.size(), new HashSet<>(grouped).size());
        assertEquals(
                Set.of(),
                SettingCatalog.all().stream()
                        .filter(setting -> !setting.flag().isEmpty() && !grouped.contains(setting))
                        .collect(Collectors.toSet()));
    }

    @Test
    void theDefaultsOfTheSchedulerAreThoseOfTheRows() {
        SettingTree defaults = SettingTree.of(Patch.defaults(SettingCatalog.withFlags(), Compat.NONE));
        assertEquals(
                SchedulerOptions.defaults(),
                SchedulerOptions.defaults()
                        .withBackoff(
                                Duration.ofSeconds(defaults.number(Settings.INITIAL_BACKOFF)),
                                Duration.ofSeconds(defaults.number(Settings.MAX_BACKOFF)))
                        .withDecisionBudget(Duration.ofMillis(defaults.number(RunSettings.DECISION_BUDGET)))
                        .withUnschedulableTimeout(defaults.duration(Kube.UNSCHEDULABLE_DURATION))
                        .withRequeueHints(defaults.isOn(RunSettings.REQUEUE_HINTS)));
        assertEquals(
                SchedulerSettings.DEFAULT_VOLUME_TIMEOUT, Duration.ofSeconds(defaults.number(Settings.BIND_TIMEOUT)));
    }
}
