package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class WriteConfigTest {
    private static final String PROFILES = """
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        percentageOfNodesToScore: 50
        profiles:
        - schedulerName: packed
          plugins:
            score:
              enabled:
              - name: NodeResourcesBalancedAllocation
                weight: 3
        - schedulerName: plain
        """;

    private final Path folder;
    private final Path written;

    WriteConfigTest(@TempDir Path folder) {
        this.folder = folder;
        this.written = folder.resolve("written.yaml");
    }

    private CommandRun write(String... flags) {
        List<String> all = new ArrayList<>(List.of("run", "--write-config-to", written.toString()));
        all.addAll(Arrays.asList(flags));
        return CommandRun.of(all.toArray(String[]::new));
    }

    @Test
    void withoutAFileItIsTheFirstVersion() throws IOException {
        assertEquals(
                new CommandRun(
                        0,
                        "",
                        "warning: W149 --policy-configmap old has no effect next to --policy-config-file /p.json,"
                                + " which takes precedence as in 1.17; remove one of them\n"),
                write(
                        "--compat=1.17",
                        "--policy-configmap=old",
                        "--policy-config-file=/p.json",
                        "--use-legacy-policy-config",
                        "--kubeconfig=/k",
                        "--pod-max-backoff-seconds=20",
                        "--status-address=127.0.0.1:10251"));
        assertEquals("""
            apiVersion: kubescheduler.config.k8s.io/v1alpha1
            kind: KubeSchedulerConfiguration
            leaderElection:
              leaderElect: true
              leaseDuration: 15s
              renewDeadline: 10s
              retryPeriod: 2s
              resourceLock: endpointsleases
              resourceName: kube-scheduler
              resourceNamespace: kube-system
            clientConnection:
              kubeconfig: /k
            percentageOfNodesToScore: 0
            podInitialBackoffSeconds: 1
            podMaxBackoffSeconds: 20
            schedulerName: default-scheduler
            hardPodAffinitySymmetricWeight: 1
            disablePreemption: false
            bindTimeoutSeconds: 600
            healthzBindAddress: 127.0.0.1:10251
            algorithmSource:
              policy:
                file:
                  path: /p.json
            """, Files.readString(written));
    }

    @Test
    void profilesOfAFileStay() throws IOException {
        Path config = Files.writeString(folder.resolve("config.yaml"), PROFILES);
        assertEquals(
                new CommandRun(0, "", ""),
                write("--config=" + config, "--percentage-of-nodes-to-score=60", "--leader-elect"));
        assertEquals("""
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            percentageOfNodesToScore: 60
            profiles:
              - schedulerName: packed
                plugins:
                  score:
                    enabled:
                      - name: NodeResourcesBalancedAllocation
                        weight: 3
              - schedulerName: plain
            leaderElection:
              leaderElect: true
              leaseDuration: 15s
              renewDeadline: 10s
              retryPeriod: 2s
              resourceLock: leases
              resourceName: policy-scheduler
              resourceNamespace: kube-system
            podInitialBackoffSeconds: 1
            podMaxBackoffSeconds: 10
            """, Files.readString(written));
    }

    /** A file that was written from all settings gives the same settings. */
    @Test
    void whatIsWrittenMeansTheSame() {
        String[] flags = {
            "--scheduler-name=mine",
            "--policy-configmap=map",
            "--policy-configmap-namespace=ops",
            "--leader-elect",
            "--leader-elect-lease-duration=1m30s",
            "--lock-object-name=lock",
            "--disable-preemption",
            "--bind-timeout-seconds=-1",
            "--hard-pod-affinity-symmetric-weight=7",
            "--port=8080",
        };
        assertEquals(new CommandRun(0, "", ""), write(flags));
        Map<String, String> before = values(flags);
        before.put("healthzBindAddress", "0.0.0.0:8080");
        assertEquals(before, values("--config=" + written));
        assertFalse(before.isEmpty());
    }

    private static Map<String, String> values(String... flags) {
        ConfigCommand.Show command = new ConfigCommand.Show(Map.of());
        new CommandLine(command).parseArgs(flags);
        SettingTree settings = command.settings();
        Map<String, String> values = new LinkedHashMap<>();
        for (Setting setting : Settings.all()) {
            if (!setting.flag().isEmpty()) {
                values.put(setting.field(), settings.text(setting));
            }
        }
        return values;
    }

    @Test
    void whatHasNoPlaceIsRefused() throws IOException {
        Path config = Files.writeString(folder.resolve("config.yaml"), PROFILES);
        assertEquals(
                new CommandRun(
                        2,
                        "",
                        "error: --write-config-to: kubescheduler.config.k8s.io/v1 does not support"
                                + " --disable-preemption; remove one of the two\n"
                                + "see policy-scheduler run --help\n"),
                write("--config=" + config, "--disable-preemption"));
        assertEquals(
                new CommandRun(
                        2,
                        "",
                        "error: --write-config-to: kubescheduler.config.k8s.io/v1alpha1 does not support --profile;"
                                + " remove one of the two\n"
                                + "see policy-scheduler run --help\n"),
                write("--profile=modern"));
    }

    @Test
    void theVersionIsThatOfTheProgram() {
        CommandRun version = CommandRun.of("--version");
        assertEquals(version, CommandRun.of("run", "--version"));
        assertEquals(version, CommandRun.of("run", "--version=raw", "--leader-elect"));
    }

    private static ObjectNode shown(String... flags) {
        ConfigCommand.Show arguments = new ConfigCommand.Show(Map.of());
        new CommandLine(arguments).parseArgs(flags);
        return arguments.shownConfiguration();
    }

    /** {@code /configz} has the Go field names of 1.17. */
    @Test
    void configzIsThatOf117() {
        assertEquals(
                "{\"LeaderElection\":{\"LeaderElect\":true,\"LeaseDuration\":\"15s\",\"RenewDeadline\":\"10s\","
                        + "\"RetryPeriod\":\"2s\",\"ResourceLock\":\"endpointsleases\","
                        + "\"ResourceName\":\"kube-scheduler\",\"ResourceNamespace\":\"kube-system\"},"
                        + "\"ClientConnection\":{\"Kubeconfig\":\"/k\"},\"PercentageOfNodesToScore\":0,"
                        + "\"PodInitialBackoffSeconds\":1,\"PodMaxBackoffSeconds\":20,"
                        + "\"SchedulerName\":\"default-scheduler\",\"HardPodAffinitySymmetricWeight\":7,"
                        + "\"DisablePreemption\":false,\"BindTimeoutSeconds\":600,"
                        + "\"HealthzBindAddress\":\"127.0.0.1:10251\","
                        + "\"AlgorithmSource\":{\"Policy\":{\"ConfigMap\":{\"Name\":\"old\","
                        + "\"Namespace\":\"kube-system\"}},\"Provider\":null},\"Plugins\":null,\"PluginConfig\":null}",
                shown(
                                "--compat=1.17",
                                "--policy-configmap=old",
                                "--kubeconfig=/k",
                                "--hard-pod-affinity-symmetric-weight=7",
                                "--pod-max-backoff-seconds=20",
                                "--status-address=127.0.0.1:10251")
                        .toString());
        assertEquals(
                "{\"Provider\":\"ClusterAutoscalerProvider\",\"Policy\":null}",
                shown("--algorithm-provider=ClusterAutoscalerProvider", "--profile=a=modern")
                        .path("AlgorithmSource")
                        .toString());
    }

    @Test
    void configzHasTheProfilesOfAConfiguration() throws IOException {
        String file =
                Files.writeString(folder.resolve("profiles.yaml"), PROFILES).toString();
        assertEquals(
                "[{\"SchedulerName\":\"packed\",\"Plugins\":{\"Score\":{\"Enabled\":[{\"Name\":"
                        + "\"NodeResourcesBalancedAllocation\",\"Weight\":3}]}}},{\"SchedulerName\":\"plain\"}]",
                shown("--config", file).path("Profiles").toString());
    }
}
