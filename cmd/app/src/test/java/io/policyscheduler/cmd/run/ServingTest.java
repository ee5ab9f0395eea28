package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.server.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ServingTest {
    private final Path folder;

    ServingTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private static ServingSettings serving(Map<String, String> environment, String flags) {
        ConfigCommand.Show command = new ConfigCommand.Show(environment);
        new CommandLine(command).parseArgs(flags.isEmpty() ? new String[0] : flags.split(" "));
        return command.serving();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "'' | -",
                "--port=0 | -",
                "--port=8080 | 0.0.0.0:8080",
                "--port=8080 --address=127.0.0.1 | 127.0.0.1:8080",
                "--address=:: | [0:0:0:0:0:0:0:0]:10251",
                "--address=127.0.0.1 --port=0 | -",
                "--status-address=:9 --port=8080 | 0.0.0.0:9",
                "--status-address=9 --port=0 | 127.0.0.1:9",
                "--compat=1.17 | 0.0.0.0:10251",
                "--compat=1.17 --port=0 | -",
                "--config=FILE | 127.0.0.1:9999",
                "--config=FILE --compat=1.17 | 127.0.0.1:9999",
                "--config=FILE --port=0 | -",
                "--config=FILE --port=8080 | 0.0.0.0:8080",
            })
    void wherePlainHttpIsServed(String flags, String address) throws IOException {
        Path file = Files.writeString(folder.resolve("config.yaml"), """
                apiVersion: kubescheduler.config.k8s.io/v1alpha1
                kind: KubeSchedulerConfiguration
                healthzBindAddress: 127.0.0.1:9999
                """);
        InetSocketAddress found =
                serving(Map.of(), flags.replace("FILE", file.toString())).insecure();
        assertEquals(address, found == null ? null : ListenAddress.text(found));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "'' | metricsBindAddress: 127.0.0.1:9998 | 127.0.0.1:9998",
                "'' | metricsBindAddress: \"\" | -",
                "'' | healthzBindAddress: 127.0.0.1:9997 | -",
                "--port=0 | metricsBindAddress: 127.0.0.1:9998 | -",
                "--status-address=9 | metricsBindAddress: 127.0.0.1:9998 | -",
            })
    void whereMetricsOfAConfigurationAreServed(String flags, String line, String address) throws IOException {
        Path file = Files.writeString(
                folder.resolve("metrics.yaml"),
                "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n" + line + "\n");
        ConfigCommand.Show command = new ConfigCommand.Show(Map.of());
        new CommandLine(command)
                .parseArgs(("--config=" + file + " " + flags).strip().split(" "));
        InetSocketAddress found = command.plain().metrics();
        assertEquals(address, found == null ? null : ListenAddress.text(found));
    }

    /** Kubernetes sets it in every pod beside a Service named policy-scheduler. */
    @Test
    void theVariableOfAServiceIsNoPort() {
        assertEquals(
                null,
                serving(Map.of("POLICY_SCHEDULER_PORT", "tcp://10.96.0.7:10251"), "")
                        .insecure());
    }

    @Test
    void everyServingFlagIsInTheRecord() {
        String flags =
                "--bind-address=10.0.0.1 --secure-port=10443 --tls-cert-file=c --tls-private-key-file=k --cert-dir=d"
                        + " --tls-sni-cert-key=a,b --tls-sni-cert-key=e,f:*.x --tls-cipher-suites=X,Y --tls-min-version=VersionTLS13"
                        + " --client-ca-file=ca --authentication-kubeconfig=n --authentication-skip-lookup"
                        + " --authentication-tolerate-lookup-failure=false --authentication-token-webhook-cache-ttl=1s"
                        + " --requestheader-client-ca-file=r --requestheader-allowed-names=p,q"
                        + " --requestheader-username-headers=u --requestheader-uid-headers=i --requestheader-group-headers=g"
                        + " --requestheader-extra-headers-prefix=x- --authorization-kubeconfig=z"
                        + " --authorization-always-allow-paths=/a,/b/* --authorization-webhook-cache-authorized-ttl=2s"
                        + " --authorization-webhook-cache-unauthorized-ttl=3s";
        assertEquals(
                new ServingSettings(
                        null,
                        "10.0.0.1",
                        10_443,
                        new TlsContext.Settings(
                                Path.of("c"),
                                Path.of("k"),
                                Path.of("d"),
                                List.of("a,b", "e,f:*.x"),
                                List.of("X", "Y"),
                                "VersionTLS13"),
                        new ServingSettings.Authentication(
                                Path.of("ca"),
                                Path.of("n"),
                                true,
                                false,
                                Duration.ofSeconds(1),
                                new ServingSettings.RequestHeader(
                                        Path.of("r"),
                                        List.of("p", "q"),
                                        List.of("u"),
                                        List.of("i"),
                                        List.of("g"),
                                        List.of("x-"))),
                        new ServingSettings.Authorization(
                                Path.of("z"), List.of("/a", "/b/*"), Duration.ofSeconds(2), Duration.ofSeconds(3))),
                serving(Map.of(), flags));
    }

    @Test
    void withoutFlagsNothingIsServed() {
        assertEquals(
                new ServingSettings(
                        null,
                        "0.0.0.0",
                        0,
                        new TlsContext.Settings(null, null, null, List.of(), List.of(), ""),
                        new ServingSettings.Authentication(
                                null,
                                null,
                                false,
                                true,
                                Duration.ofSeconds(10),
                                new ServingSettings.RequestHeader(
                                        null,
                                        List.of(),
                                        List.of("x-remote-user"),
                                        List.of(),
                                        List.of("x-remote-group"),
                                        List.of("x-remote-extra-"))),
                        new ServingSettings.Authorization(
                                null,
                                List.of("/healthz", "/readyz", "/livez"),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(10))),
                serving(Map.of(), ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--port=70000 | --port 70000 must be between 0 and 65535, inclusive. 0 for turning off insecure (HTTP) port",
                "--port=-1 | --port -1 must be between 0 and 65535, inclusive. 0 for turning off insecure (HTTP) port",
                "--address=abc | --address abc is an invalid IP address",
                "--secure-port=65536 | --secure-port 65536 must be between 0 and 65535, inclusive. 0 for turning off secure"
                        + " port",
                "--bind-address=localhost | --bind-address localhost is an invalid IP address",
                "--tls-min-version=foo | --tls-min-version: 'foo' is not one of VersionTLS10, VersionTLS11, VersionTLS12,"
                        + " VersionTLS13",
                "--v=-1 | --v: Invalid value: -1: must be greater than or equal to 0",
                "--vmodule=kube | --vmodule: \"kube\" is not PREFIX=LEVEL (such as cmd.kube=6)",
                "--vmodule=kube=x | --vmodule: \"kube=x\" is not PREFIX=LEVEL (such as cmd.kube=6)",
                "--pod-max-in-unschedulable-pods-duration=0s | --pod-max-in-unschedulable-pods-duration: 0s must be greater"
                        + " than 0",
                "--compat=1.18 | --compat: '1.18' is not one of 1.17 (did you mean 1.17?)",
            })
    void valuesThatMakeNoSense(String flags, String error) {
        CommandRun run = CommandRun.of(("run --master http://127.0.0.1:1 " + flags).split(" "));
        assertEquals(new CommandRun(2, "", "error: " + error + "\nsee policy-scheduler run --help\n"), run);
    }
}
