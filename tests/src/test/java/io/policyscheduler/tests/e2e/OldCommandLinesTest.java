package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The command lines with which installers start kube-scheduler start {@code run} with the defaults of 1.17, and pods of the default scheduler are
 * placed. Only paths differ, and ports, which are set by repeating the flags.
 */
@Timeout(180)
class OldCommandLinesTest {
    private static final Set<Object> KINDS = Set.of(
            "kubeadm 1.17",
            "kubeadm 1.22 with a policy",
            "kubeadm 1.34 with extra arguments",
            "kops 1.29",
            "OpenShift 4.3",
            "RKE 1.1");

    private static final String PASSWORD = "changeit";

    private final Path folder;

    OldCommandLinesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    /** One command line of each form; all of them with {@code -Dlines=all}. */
    static Stream<Arguments> lines() {
        return all().filter(line -> System.getProperty("lines", "").equals("all") || KINDS.contains(line.get()[0]));
    }

    private static Stream<Arguments> all() {
        return Stream.of(
                Arguments.of(
                        "kubeadm 1.15",
                        Release.V1_17,
                        "--bind-address=127.0.0.1 --kubeconfig=KUBECONFIG --leader-elect=true"),
                Arguments.of(
                        "kubeadm 1.17",
                        Release.V1_17,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --bind-address=127.0.0.1"
                                + " --kubeconfig=KUBECONFIG --leader-elect=true"),
                Arguments.of(
                        "kubeadm 1.19",
                        Release.V1_17,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --bind-address=127.0.0.1"
                                + " --kubeconfig=KUBECONFIG --leader-elect=true --port=0"),
                Arguments.of(
                        "kubeadm 1.29",
                        Release.V1_34,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --bind-address=127.0.0.1"
                                + " --kubeconfig=KUBECONFIG --leader-elect=true"),
                Arguments.of(
                        "k3s 1.29",
                        Release.V1_34,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --bind-address=127.0.0.1"
                                + " --kubeconfig=KUBECONFIG --leader-elect=false --profiling=false --secure-port=10259"),
                Arguments.of(
                        "kubeadm 1.22 with a policy",
                        Release.V1_17,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --bind-address=127.0.0.1"
                                + " --kubeconfig=KUBECONFIG --leader-elect=true --port=0 --policy-config-file=POLICY"
                                + " --use-legacy-policy-config --v=4 --feature-gates=PodOverhead=true,PreferNominatedNode=true"),
                Arguments.of(
                        "kubeadm 1.34 with extra arguments",
                        Release.V1_34,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --bind-address=0.0.0.0"
                                + " --kubeconfig=KUBECONFIG --leader-elect=true --secure-port=10260"
                                + " --tls-min-version=VersionTLS12 --profiling=false --emulated-version=kube=1.33"
                                + " --feature-gates=kube:SchedulerAsyncPreemption=true --kube-api-qps=100"),
                Arguments.of(
                        "kops 1.29",
                        Release.V1_34,
                        "--authentication-kubeconfig=KUBECONFIG --authorization-kubeconfig=KUBECONFIG --config=MODERN_CONFIG"
                                + " --feature-gates=InTreePluginAWSUnregister=true --leader-elect=true --tls-cert-file=CERT"
                                + " --tls-private-key-file=KEY --v=2 --logtostderr=false --alsologtostderr --log-file=LOG"),
                Arguments.of(
                        "k3s 1.17",
                        Release.V1_17,
                        "--bind-address=127.0.0.1 --kubeconfig=KUBECONFIG --port=10251 --secure-port=0"),
                Arguments.of(
                        "OpenShift 4.3",
                        Release.V1_17,
                        "--config=OLD_CONFIG --cert-dir=CERT_DIR --port=0 --authentication-kubeconfig=KUBECONFIG"
                                + " --authorization-kubeconfig=KUBECONFIG"
                                + " --feature-gates=RotateKubeletServerCertificate=true,SupportPodPidsLimit=true -v=2"
                                + " --tls-cert-file=CERT --tls-private-key-file=KEY"),
                Arguments.of(
                        "RKE 1.1",
                        Release.V1_17,
                        "--leader-elect=true --v=2 --address=127.0.0.1 --profiling=false --kubeconfig=KUBECONFIG"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lines")
    void startsAndPlacesPods(String source, Release release, String line) throws Exception {
        try (LiveCluster live = new LiveCluster(release)) {
            ObjectNode node = Manifest.node("only", "8");
            live.cluster().load(node);
            live.cluster().load(namespace("openshift-kube-scheduler"));
            List<String> arguments = arguments(live, line);
            try (Program program = Program.start(folder, arguments.toArray(new String[0]))) {
                live.api().createPod(Manifest.podOf("default-scheduler", "p", "100m"));
                live.awaitBound("p");
                assertEquals("only", live.nodeOf("p"), program::output);
                program.awaitOutput("scheduling pods of default-scheduler on ");
                program.awaitOutput("status at " + (line.contains("--secure-port=0") ? "http://" : "https://"));
            }
        }
    }

    private static ObjectNode namespace(String name) {
        ObjectNode namespace =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Namespace");
        namespace.putObject("metadata").put("name", name);
        return namespace;
    }

    private List<String> arguments(LiveCluster live, String line) throws Exception {
        Path kubeconfig = folder.resolve("kubeconfig");
        live.cluster().writeKubeconfig(kubeconfig);
        Path modern = Files.writeString(folder.resolve("modern.yaml"), """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                clientConnection:
                  kubeconfig: %s
                """.formatted(kubeconfig));
        Path old = Files.writeString(folder.resolve("old.yaml"), """
                apiVersion: kubescheduler.config.k8s.io/v1alpha1
                kind: KubeSchedulerConfiguration
                schedulerName: default-scheduler
                clientConnection:
                  kubeconfig: %s
                leaderElection:
                  leaderElect: true
                  lockObjectNamespace: openshift-kube-scheduler
                  leaseDuration: 2m17s
                  renewDeadline: 1m47s
                  retryPeriod: 26s
                """.formatted(kubeconfig));
        if (line.contains("=CERT")) {
            writeCertificate();
        }
        List<String> arguments = new ArrayList<>(List.of("run", "--compat=1.17"));
        for (String argument : line.split(" ")) {
            arguments.add(argument.replace("MODERN_CONFIG", modern.toString())
                    .replace("OLD_CONFIG", old.toString())
                    .replace("KUBECONFIG", kubeconfig.toString())
                    .replace("CERT_DIR", folder.resolve("certs").toString())
                    .replace("=CERT", "=" + folder.resolve("tls.crt"))
                    .replace("=KEY", "=" + folder.resolve("tls.key"))
                    .replace("=LOG", "=" + folder.resolve("kube-scheduler.log"))
                    .replace(
                            "POLICY",
                            RepositoryFiles.root()
                                    .resolve("policy-files/policies/policy-1.17.yaml")
                                    .toString()));
        }
        if (!line.contains("--port=0")) {
            arguments.add("--port=" + freePort());
        }
        if (!line.contains("--secure-port=0")) {
            arguments.add("--secure-port=" + freePort());
        }
        return arguments;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void writeCertificate() throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "serving",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=kube-scheduler",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertTrue(keytool.waitFor(60, TimeUnit.SECONDS));
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        pem(
                "tls.crt",
                "CERTIFICATE",
                Objects.requireNonNull(keys.getCertificate("serving")).getEncoded());
        pem(
                "tls.key",
                "PRIVATE KEY",
                Objects.requireNonNull(keys.getKey("serving", PASSWORD.toCharArray()))
                        .getEncoded());
    }

    private void pem(String file, String kind, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }
}
