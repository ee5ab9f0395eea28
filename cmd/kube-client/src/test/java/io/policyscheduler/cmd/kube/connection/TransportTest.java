package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.policyscheduler.cmd.kube.connection.ClientConfigLoader.ClientConfig;
import io.policyscheduler.cmd.kube.connection.ClientTls.Pem;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.cmd.server.TestAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.CipherSuite;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against servers that are called api.example but reached as 127.0.0.1, and that answer with the name of the client. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransportTest {
    private final Map<String, TestAuthority> authorities =
            Map.of("api-1", new TestAuthority("api-1"), "api-2", new TestAuthority("api-2"));
    private final TestAuthority clients = new TestAuthority("clients");
    private final VirtualTime time = new VirtualTime();
    private final List<HttpsServer> servers = new ArrayList<>();
    private Path folder;

    @BeforeAll
    void create(@TempDir Path dir) throws IOException {
        folder = dir;
        for (Map.Entry<String, TestAuthority> authority : authorities.entrySet()) {
            Files.writeString(pem(authority.getKey()), authority.getValue().pem());
        }
        for (String name : List.of("ann", "bob")) {
            TestAuthority.write(folder, name, clients.client("CN=" + name));
        }
    }

    @AfterAll
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    private Path pem(String name) {
        return folder.resolve(name + ".crt");
    }

    private String serve(String name) throws Exception {
        CertificateAndKey certificate =
                Objects.requireNonNull(authorities.get(name)).server("EC", "api.example");
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(TestAuthority.keys(certificate), clients.trust(), null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = context.getDefaultSSLParameters();
                ssl.setWantClientAuth(true);
                parameters.setSSLParameters(ssl);
            }
        });
        server.createContext("/", exchange -> {
            String client;
            try {
                client = ((HttpsExchange) exchange)
                        .getSSLSession()
                        .getPeerPrincipal()
                        .getName();
            } catch (SSLPeerUnverifiedException e) {
                client = String.valueOf(e.getMessage());
            }
            byte[] answer = client.getBytes(StandardCharsets.UTF_8);
            int code = exchange.getRequestURI().getPath().equals("/no") ? 401 : 200;
            exchange.sendResponseHeaders(code, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        servers.add(server);
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    private Path place(String file, Path content) throws IOException {
        return Files.writeString(folder.resolve(file), Files.readString(content));
    }

    private ClientConfig access(String server, String serverName) {
        return new ClientConfig(
                "kubeconfig F, cluster \"c\", user \"u\"",
                server,
                new ClientConfig.TlsFiles(
                        new Pem("", folder.resolve("ca")),
                        new Pem("", folder.resolve("cert")),
                        new Pem("", folder.resolve("key")),
                        true,
                        serverName),
                null,
                Credentials.NONE,
                Map.of());
    }

    private String failure(ClientConfig access) {
        try (KubeConnection connection = new KubeConnection(access, Duration.ofSeconds(30))) {
            return connection
                    .failure(assertThrows(ApiIoException.class, () -> connection.get("/version")))
                    .replace(connection.serverUrl(), "SERVER");
        }
    }

    @Test
    void failuresAreInWordsWithTheirFix() throws Exception {
        String server = serve("api-1");
        become("ann");
        place("ca", pem("api-2"));
        String unknown = failure(access(server, "api.example"));
        place("ca", pem("api-1"));
        String refused = failure(access("https://127.0.0.1:1", ""));
        String lost = failure(access("https://no-such-host.invalid", ""));
        CertificateAndKey old = clients.client("CN=old", Instant.parse("2026-01-02T03:04:05Z"));
        TestAuthority.write(folder, "old", old);
        become("old");
        String expired = failure(access("https://127.0.0.1:1", ""));
        String where = "cannot connect to SERVER: GET /version: ";
        assertEquals(
                List.of(
                        where + "no known CA has signed the certificate of the server",
                        where + "connection refused",
                        where + "no such host: no-such-host.invalid",
                        where + "connection refused; the client certificate has expired (NotAfter: "
                                + old.chain().get(0).getNotAfter() + "): renew it",
                        "the server does not use TLS: check the scheme and the port"),
                List.of(
                        unknown,
                        refused,
                        lost,
                        expired,
                        ApiIoException.describe(new SSLException("Unsupported or unrecognized SSL message"))));
    }

    @Test
    void anInvalidUrlIsAnError() {
        assertEquals(
                "kubeconfig F, cluster \"c\", user \"u\": server \"https://foo bar\" is not a URL",
                assertThrows(
                                ClusterException.class,
                                () -> new KubeConnection(access("https://foo bar", ""), Duration.ZERO))
                        .getMessage());
    }

    @Test
    void aKeyWithoutCertificateNamesTheEntries() throws IOException {
        become("old");
        Files.writeString(folder.resolve("key"), "not a key");
        assertEquals(
                "kubeconfig F, cluster \"c\", user \"u\": tls: the private key is missing, encrypted, or not in PEM",
                assertThrows(
                                ClusterException.class,
                                () -> new KubeConnection(access("https://127.0.0.1:1", ""), Duration.ZERO))
                        .getMessage());
    }

    private void become(String name) throws IOException {
        place("cert", pem(name));
        place("key", folder.resolve(name + ".key"));
    }

    private static String ask(OkHttpClient client, String url) throws IOException {
        try (Response response =
                client.newCall(new Request.Builder().url(url).build()).execute()) {
            return response.body().string();
        }
    }

    @Test
    void certificatesAndAuthoritiesAreReplacedWithoutARestart() throws Exception {
        String server = serve("api-1");
        place("ca", pem("api-1"));
        become("ann");
        Transport transport = new Transport(access(server, "api.example"), time.ticker()::read, null);
        OkHttpClient first = transport.client();
        assertEquals("CN=ann", ask(first, server));

        become("bob");
        assertEquals("CN=ann", ask(transport.client(), server), "not looked at yet");
        time.advance(Duration.ofSeconds(10));
        assertEquals("CN=bob", ask(transport.client(), server));
        assertNotEquals(first, transport.client());

        become("ann");
        assertEquals("CN=bob", ask(transport.client(), server + "/no"));
        assertEquals("CN=ann", ask(transport.client(), server), "a refusal is a reason to look");

        place("cert", pem("bob"));
        time.advance(Duration.ofSeconds(10));
        assertEquals("CN=ann", ask(transport.client(), server), "a half-made change waits for the other half");
        Files.writeString(folder.resolve("ca"), "");
        become("bob");
        place("ca", pem("api-2"));
        String other = serve("api-2");
        assertThrows(IOException.class, () -> ask(transport.client(), other));
        time.advance(Duration.ofSeconds(10));
        assertEquals("CN=bob", ask(transport.client(), other));
        transport.close();
    }

    @Test
    void theServersNameIsVerified() throws Exception {
        String server = serve("api-1");
        place("ca", pem("api-1"));
        become("ann");
        Transport transport = new Transport(access(server, ""), time.ticker()::read, null);
        IOException e = assertThrows(IOException.class, () -> ask(transport.client(), server));
        assertTrue(String.valueOf(e.getMessage()).contains("127.0.0.1"), e.getMessage());
    }

    @Test
    void requestsGoThroughTheProxyWithItsPassword() throws IOException {
        try (FakeApiServer proxy = new FakeApiServer(request -> {
            if (request.header("Proxy-Authorization").equals("null")) {
                request.exchange().getResponseHeaders().set("Proxy-Authenticate", "Basic");
                request.answer(407, "");
            } else {
                request.answer(200, request.exchange().getRequestURI() + " " + request.header("Proxy-Authorization"));
            }
        })) {
            String address = URI.create(proxy.url()).getAuthority();
            ClientConfig access = new ClientConfig(
                    "server http://api.example",
                    "http://api.example",
                    ClientConfig.TlsFiles.STANDARD,
                    ProxyEnvironment.of(Map.of("HTTP_PROXY", "http://ann:pw@" + address)),
                    Credentials.NONE,
                    Map.of());
            Transport transport = new Transport(access, time.ticker()::read, null);
            assertEquals("http://api.example/x Basic YW5uOnB3", ask(transport.client(), "http://api.example/x"));
        }
    }

    /** The names of Java 17 and later with all compilers, with -XX:TieredStopAtLevel=1, and without compilers. */
    @ParameterizedTest
    @CsvSource({
        "'mixed mode, sharing', TLS_AES_128_GCM_SHA256",
        "'mixed mode, emulated-client, sharing', TLS_CHACHA20_POLY1305_SHA256",
        "'interpreted mode, sharing', TLS_AES_128_GCM_SHA256",
        "'', TLS_AES_128_GCM_SHA256"
    })
    void offersFirstWhatTheMachineDecryptsBest(String machine, String first) {
        List<CipherSuite> offered =
                Objects.requireNonNull(Transport.tls(machine).cipherSuites());
        assertEquals(first, offered.get(0).javaName());
        assertEquals(Set.copyOf(Objects.requireNonNull(ConnectionSpec.MODERN_TLS.cipherSuites())), Set.copyOf(offered));
    }
}
