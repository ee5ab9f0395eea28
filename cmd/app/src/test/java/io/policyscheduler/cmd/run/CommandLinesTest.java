package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.framework.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The command lines with which installers start kube-scheduler, with the defaults of 1.17 and nothing else changed. */
class CommandLinesTest {
    private static final String GATE = " has no effect: it is not a scheduling gate of 1.17; remove it";
    private static final String STDERR = " has no effect: the log always goes to stderr; redirect stderr instead";

    private static final String OPENSHIFT_CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1alpha1
            kind: KubeSchedulerConfiguration
            schedulerName: default-scheduler
            clientConnection:
              kubeconfig: /etc/kubernetes/static-pod-resources/configmaps/scheduler-kubeconfig/kubeconfig
            leaderElection:
              leaderElect: true
              lockObjectNamespace: openshift-kube-scheduler
              resourceLock: configmaps
              leaseDuration: 2m17s
              renewDeadline: 1m47s
              retryPeriod: 26s
            """;
    private static final String KOPS_CONFIG = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            clientConnection:
              kubeconfig: /var/lib/kube-scheduler/kubeconfig
            """;

    private final Path folder;

    CommandLinesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private static Arguments line(String source, String flags, List<String> warnings, String settings) {
        return Arguments.of(source, "", flags, warnings, settings);
    }

    static Stream<Arguments> lines() {
        return Stream.of(
                line(
                        "kubeadm 1.15, cmd/kubeadm/app/phases/controlplane/manifests.go, getSchedulerCommand",
                        "--bind-address=127.0.0.1 --kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true",
                        List.of(),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https"
                                + " 127.0.0.1:10259 self-signed, cluster /etc/kubernetes/scheduler.conf, tokens -, access -"),
                line(
                        "kubeadm 1.17, the same function",
                        "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf"
                                + " --authorization-kubeconfig=/etc/kubernetes/scheduler.conf --bind-address=127.0.0.1"
                                + " --kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true",
                        List.of(),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https"
                                + " 127.0.0.1:10259 self-signed, cluster /etc/kubernetes/scheduler.conf, tokens"
                                + " /etc/kubernetes/scheduler.conf, access /etc/kubernetes/scheduler.conf"),
                line(
                        "kubeadm 1.19, the same function; 1.22 writes the same",
                        "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf"
                                + " --authorization-kubeconfig=/etc/kubernetes/scheduler.conf --bind-address=127.0.0.1"
                                + " --kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true --port=0",
                        List.of(),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http -, https 127.0.0.1:10259"
                                + " self-signed, cluster /etc/kubernetes/scheduler.conf, tokens /etc/kubernetes/scheduler.conf,"
                                + " access /etc/kubernetes/scheduler.conf"),
                line(
                        "kubeadm 1.22 with extraArgs of a policy, as its users added them",
                        "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf"
                                + " --authorization-kubeconfig=/etc/kubernetes/scheduler.conf --bind-address=127.0.0.1"
                                + " --kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true --port=0"
                                + " --policy-config-file=/etc/kubernetes/policy.json --use-legacy-policy-config --v=4"
                                + " --feature-gates=PodOverhead=true,PreferNominatedNode=true",
                        List.of("W143 --feature-gates: PreferNominatedNode" + GATE),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http -, https 127.0.0.1:10259"
                                + " self-signed, cluster /etc/kubernetes/scheduler.conf, tokens /etc/kubernetes/scheduler.conf,"
                                + " access /etc/kubernetes/scheduler.conf"),
                line(
                        "kubeadm 1.29, the same function; 1.34 writes the same",
                        "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf"
                                + " --authorization-kubeconfig=/etc/kubernetes/scheduler.conf --bind-address=127.0.0.1"
                                + " --kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true",
                        List.of(),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https"
                                + " 127.0.0.1:10259 self-signed, cluster /etc/kubernetes/scheduler.conf, tokens"
                                + " /etc/kubernetes/scheduler.conf, access /etc/kubernetes/scheduler.conf"),
                line(
                        "kubeadm 1.34 with extraArgs of its documentation (control-plane-flags)",
                        "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf"
                                + " --authorization-kubeconfig=/etc/kubernetes/scheduler.conf --bind-address=0.0.0.0"
                                + " --kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true --secure-port=10260"
                                + " --tls-min-version=VersionTLS12 --profiling=false --emulated-version=kube=1.33"
                                + " --feature-gates=kube:SchedulerAsyncPreemption=true --kube-api-qps=100",
                        List.of(
                                "W141 --kube-api-qps has no effect: the scheduler does not limit its requests; use a"
                                        + " FlowSchema on the API server",
                                "W145 --emulated-version has no effect: policy-scheduler is not part of a Kubernetes"
                                        + " release; --release sets the release of the cluster",
                                "W143 --feature-gates: SchedulerAsyncPreemption" + GATE),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https"
                                + " 0.0.0.0:10260 self-signed, cluster /etc/kubernetes/scheduler.conf, tokens"
                                + " /etc/kubernetes/scheduler.conf, access /etc/kubernetes/scheduler.conf"),
                Arguments.of(
                        "kops 1.29, nodeup/pkg/model/kube_scheduler.go",
                        KOPS_CONFIG,
                        "--authentication-kubeconfig=/var/lib/kube-scheduler/kubeconfig"
                                + " --authorization-kubeconfig=/var/lib/kube-scheduler/kubeconfig --config=CONFIG"
                                + " --feature-gates=InTreePluginAWSUnregister=true --leader-elect=true"
                                + " --tls-cert-file=/srv/kubernetes/kube-scheduler/server.crt"
                                + " --tls-private-key-file=/srv/kubernetes/kube-scheduler/server.key --v=2"
                                + " --logtostderr=false --alsologtostderr --log-file=/var/log/kube-scheduler.log",
                        List.of(
                                "W140 --logtostderr" + STDERR,
                                "W140 --log-file" + STDERR,
                                "W143 --feature-gates: InTreePluginAWSUnregister" + GATE),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https"
                                + " 0.0.0.0:10259 /srv/kubernetes/kube-scheduler/server.crt, cluster"
                                + " /var/lib/kube-scheduler/kubeconfig, tokens /var/lib/kube-scheduler/kubeconfig, access"
                                + " /var/lib/kube-scheduler/kubeconfig"),
                line(
                        "k3s 1.29, pkg/daemons/control/server.go, scheduler",
                        "--authentication-kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig"
                                + " --authorization-kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig"
                                + " --bind-address=127.0.0.1"
                                + " --kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig --leader-elect=false"
                                + " --profiling=false --secure-port=10259",
                        List.of(),
                        "default-scheduler, no lease, http 0.0.0.0:10251, https 127.0.0.1:10259 self-signed, cluster"
                                + " /var/lib/rancher/k3s/server/cred/scheduler.kubeconfig, tokens"
                                + " /var/lib/rancher/k3s/server/cred/scheduler.kubeconfig, access"
                                + " /var/lib/rancher/k3s/server/cred/scheduler.kubeconfig"),
                line(
                        "k3s 1.17, pkg/daemons/control/server.go, scheduler",
                        "--bind-address=127.0.0.1 --kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig"
                                + " --port=10251 --secure-port=0",
                        List.of(),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https -, cluster"
                                + " /var/lib/rancher/k3s/server/cred/scheduler.kubeconfig, tokens -, access -"),
                Arguments.of(
                        "OpenShift 4.3, cluster-kube-scheduler-operator, bindata/v4.1.0/kube-scheduler/pod.yaml",
                        OPENSHIFT_CONFIG,
                        "--config=CONFIG --cert-dir=/var/run/kubernetes --port=0"
                                + " --authentication-kubeconfig=/etc/kubernetes/static-pod-resources/configmaps/scheduler-kubeconfig/kubeconfig"
                                + " --authorization-kubeconfig=/etc/kubernetes/static-pod-resources/configmaps/scheduler-kubeconfig/kubeconfig"
                                + " --feature-gates=RotateKubeletServerCertificate=true,SupportPodPidsLimit=true -v=2"
                                + " --tls-cert-file=/etc/kubernetes/static-pod-resources/secrets/serving-cert/tls.crt"
                                + " --tls-private-key-file=/etc/kubernetes/static-pod-resources/secrets/serving-cert/tls.key",
                        List.of(
                                "W143 --feature-gates: RotateKubeletServerCertificate" + GATE,
                                "W143 --feature-gates: SupportPodPidsLimit" + GATE),
                        "default-scheduler, configmaps openshift-kube-scheduler/kube-scheduler 2m17s 1m47s 26s, http -, https"
                                + " 0.0.0.0:10259 /etc/kubernetes/static-pod-resources/secrets/serving-cert/tls.crt, cluster"
                                + " /etc/kubernetes/static-pod-resources/configmaps/scheduler-kubeconfig/kubeconfig, tokens"
                                + " /etc/kubernetes/static-pod-resources/configmaps/scheduler-kubeconfig/kubeconfig, access"
                                + " /etc/kubernetes/static-pod-resources/configmaps/scheduler-kubeconfig/kubeconfig"),
                line(
                        "RKE 1.1 (Kubernetes 1.17), cluster/plan.go, BuildSchedulerProcess",
                        "--leader-elect=true --v=2 --address=127.0.0.1 --profiling=false"
                                + " --kubeconfig=/etc/kubernetes/ssl/kubecfg-kube-scheduler.yaml",
                        List.of(),
                        "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 127.0.0.1:10251, https"
                                + " 0.0.0.0:10259 self-signed, cluster /etc/kubernetes/ssl/kubecfg-kube-scheduler.yaml, tokens -,"
                                + " access -"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lines")
    void aCommandLineMeansWhatItMeant(
            String source, String config, String flags, List<String> warnings, String settings) throws IOException {
        String file = config.isEmpty()
                ? ""
                : Files.writeString(folder.resolve("config.yaml"), config).toString();
        ConfigCommand.Show command = parsed(flags.replace("CONFIG", file).split(" "));
        command.check();
        assertEquals(List.of(warnings, settings), List.of(command.warnings(), printed(command)));
    }

    private static ConfigCommand.Show parsed(String... flags) {
        ConfigCommand.Show command = new ConfigCommand.Show(Map.of());
        List<String> all = new ArrayList<>(List.of("--compat=1.17"));
        all.addAll(Arrays.asList(flags));
        new CommandLine(command).parseArgs(all.toArray(String[]::new));
        return command;
    }

    private static String printed(ConfigCommand.Show command) {
        LeaderElectionConfig lease = command.election(command.settings().text(Settings.SCHEDULER_NAME));
        ServingSettings serving = command.serving();
        Path certificate = serving.tls().certFile();
        return String.join(
                ", ",
                command.settings().text(Settings.SCHEDULER_NAME),
                lease == null
                        ? "no lease"
                        : String.join(
                                " ",
                                lease.lock().text(),
                                lease.key(),
                                GoDuration.format(lease.leaseDuration()),
                                GoDuration.format(lease.renewDeadline()),
                                GoDuration.format(lease.retryPeriod())),
                "http " + (serving.insecure() == null ? "-" : ListenAddress.text(serving.insecure())),
                serving.securePort() == 0
                        ? "https -"
                        : "https " + serving.bindAddress() + ":" + serving.securePort() + " "
                                + (certificate == null ? "self-signed" : certificate),
                "cluster " + command.settings().text(Settings.KUBECONFIG),
                "tokens " + orNone(serving.authentication().kubeconfig()),
                "access " + orNone(serving.authorization().kubeconfig()));
    }

    private static String orNone(@Nullable Path file) {
        return file == null ? "-" : file.toString();
    }

    @Test
    void withoutFlagsTheDefaultsOf117Hold() {
        assertEquals(
                "default-scheduler, endpointsleases kube-system/kube-scheduler 15s 10s 2s, http 0.0.0.0:10251, https 0.0.0.0:10259"
                        + " self-signed, cluster , tokens -, access -",
                printed(parsed()));
    }
}
