package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.kube.connection.ClientConfigLoader.ClientConfig;
import io.policyscheduler.cmd.kube.connection.ClientTls.Pem;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeconfigTest {
    private final Path folder;

    KubeconfigTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        return Files.writeString(file, text);
    }

    private ClientConfig auto(String kubeconfigs) {
        return new ClientConfigLoader(
                        Map.of("KUBECONFIG", kubeconfigs), folder.resolve("home"), folder.resolve("token"))
                .auto(null, null, null);
    }

    @Test
    void theFirstFileThatHasAnEntryCounts() throws IOException {
        Path one = write("one/config", """
                current-context: mine
                users:
                - {name: ann, user: {token: first}}
                clusters:
                - name: c
                  cluster: {certificate-authority: ca.crt}
                """);
        Path two = write("two/config", """
                current-context: other
                contexts:
                - {name: mine, context: {cluster: far, user: ann}}
                - {name: other, context: {cluster: c, user: bob}}
                users:
                - {name: ann, user: {token: second, client-key: key}}
                clusters:
                - {name: c, cluster: {server: "https://c"}}
                - {name: far, cluster: {server: "https://far/", certificate-authority: ../far.crt}}
                """);
        ClientConfig access = auto(folder.resolve("absent") + ":" + one + "::" + two + ":" + one);
        assertEquals("https://far", access.server());
        assertEquals("Bearer first", access.credentials().authorization());
        assertEquals(new Pem("", folder.resolve("far.crt")), access.tls().authorities());
        assertEquals(Pem.NOTHING, access.tls().key(), "nothing of an entry that does not count");

        ClusterException e = assertThrows(
                ClusterException.class, () -> auto(write("three", "current-context: other\n") + ":" + one + ":" + two));
        assertEquals(
                "kubeconfig " + folder.resolve("three") + ", " + one + ", " + two
                        + ": current-context \"other\" has no cluster with a server",
                e.getMessage());
    }

    /** What is not a usable kubeconfig is an error of one line with the fix. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{kind: Policy} | not a kubeconfig: it has neither contexts nor clusters",
                "{contexts: [{name: a, context: {cluster: c}}, {name: b, context: {}}], clusters: [{name: c}]} | no"
                        + " current-context; set current-context to a or b",
                "{current-context: z, contexts: [{name: a, context: {cluster: c}}]} | no context \"z\"; set current-context to a",
                "{current-context: a, contexts: [{name: a, context: {cluster: c}}]} | current-context \"a\" has no cluster with a"
                        + " server",
            })
    void withoutAServerTheMessageNamesTheFix(String text, String message) throws IOException {
        Path file = write("config", text);
        ClusterException e = assertThrows(ClusterException.class, () -> auto(file.toString()));
        assertEquals("kubeconfig " + file + ": " + message, e.getMessage());
    }

    @Test
    void aFileThatCannotBeReadIsNamed() {
        Path absent = folder.resolve("absent");
        assertEquals(
                List.of(
                        "kubeconfig " + folder + ": is a directory, not a file",
                        "kubeconfig " + absent + ": no such file"),
                Stream.of(folder, absent)
                        .map(file -> assertThrows(ClusterException.class, () -> Kubeconfig.read(List.of(file)))
                                .getMessage())
                        .toList());
    }

    private Path single(String cluster, String user) throws IOException {
        return write("config", """
                current-context: one
                contexts:
                - {name: one, context: {cluster: c, user: u}}
                clusters:
                - {name: c, cluster: {server: "https://api.example:6443", %s}}
                users:
                - {name: u, user: {%s}}
                """.formatted(cluster, user));
    }

    private ClientConfig access(String cluster, String user, Map<String, String> environment) throws IOException {
        return new ClientConfigLoader(environment, folder, folder.resolve("token"))
                .kubeconfig(List.of(single(cluster, user)), null);
    }

    @Test
    void tlsAndImpersonationAreTakenOver() throws IOException {
        ClientConfig access = access(
                "tls-server-name: real.example, certificate-authority-data: QUJD",
                "client-certificate: c.crt, client-key: /keys/c.key, as: bob, as-groups: [a, b], as-user-extra: {k: [v]}",
                Map.of());
        assertEquals(
                new ClientConfig.TlsFiles(
                        new Pem("QUJD", null),
                        new Pem("", folder.resolve("c.crt")),
                        new Pem("", Path.of("/keys/c.key")),
                        true,
                        "real.example"),
                access.tls());
        assertEquals("ABC", access.tls().authorities().read());
        assertEquals(
                Map.of(
                        "Impersonate-User",
                        List.of("bob"),
                        "Impersonate-Group",
                        List.of("a", "b"),
                        "Impersonate-Extra-k",
                        List.of("v")),
                access.headers());
    }

    /** {@code KubeConfig.verifySSL} of client-java is false there. */
    @Test
    void aMasterIsVerifiedIfTheContextHasNoCluster() throws IOException {
        Path file = write("config", """
                current-context: one
                contexts: [{name: one, context: {user: u}}]
                users: [{name: u, user: {token: t}}]
                """);
        ClientConfig access = new ClientConfigLoader(Map.of(), folder, folder.resolve("token"))
                .kubeconfig(List.of(file), "https://master");
        assertEquals("https://master", access.server());
        assertEquals(ClientConfig.TlsFiles.STANDARD, access.tls());
        assertEquals("Bearer t", access.credentials().authorization());
    }

    @Test
    void theProxyOfTheClusterGoesBeforeThatOfTheEnvironment() throws IOException {
        Map<String, String> environment = Map.of("HTTPS_PROXY", "env:1", "NO_PROXY", "*");
        URI server = URI.create("https://api.example:6443");
        ClientConfig plain = access("insecure-skip-tls-verify: true", "token: t", environment);
        assertNotNull(plain.proxies());
        assertEquals("[DIRECT]", plain.proxies().select(server).toString());
        ClientConfig own = access("proxy-url: \"socks5://sp:9\"", "token: t", environment);
        assertNotNull(own.proxies());
        assertEquals("[SOCKS @ sp/<unresolved>:9]", own.proxies().select(server).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "proxy-url: \"https://p\" | token: t | proxy-url of cluster \"c\": \"https://p\": an HTTPS proxy is not supported; use http:// (connections through it to an https server are still encrypted) or socks5://",
                "a: b | exec: {apiVersion: v1, command: x} | exec of user \"u\": apiVersion \"v1\" is not one of"
                        + " client.authentication.k8s.io/v1, v1beta1 and v1alpha1",
                "a: b | exec: {apiVersion: client.authentication.k8s.io/v1} | exec of user \"u\": there is no command",
                "a: b | exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always} | exec of user"
                        + " \"u\": interactiveMode is Always, but the scheduler has no terminal",
            })
    void whatCannotBeDoneIsRefused(String cluster, String user, String message) {
        ClusterException e = assertThrows(ClusterException.class, () -> access(cluster, user, Map.of()));
        assertEquals("kubeconfig " + folder.resolve("config") + ": " + message, e.getMessage());
    }

    @Test
    void aPodHasItsFilesAndTheProxiesOfItsEnvironment() throws IOException {
        Path token = write("token", "t\n");
        ClientConfig access = new ClientConfigLoader(
                        Map.of(
                                "KUBERNETES_SERVICE_HOST",
                                "fd00::1",
                                "KUBERNETES_SERVICE_PORT",
                                "6443",
                                "HTTPS_PROXY",
                                "p:1"),
                        folder.resolve("home"),
                        token)
                .auto(null, null, null);
        assertEquals("https://[fd00::1]:6443", access.server());
        assertEquals("Bearer t", access.credentials().authorization());
        assertEquals(new Pem("", folder.resolve("ca.crt")), access.tls().authorities());
        assertNotNull(access.proxies());
        assertEquals(
                "[HTTP @ p/<unresolved>:1]",
                access.proxies().select(URI.create(access.server())).toString());
    }
}
