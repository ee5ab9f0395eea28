package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusContent.Page;
import io.policyscheduler.cmd.http.StatusServer.HealthReport.Check;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateFiles;
import io.policyscheduler.cmd.server.TestAuthority;
import io.policyscheduler.cmd.server.TlsContext;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ports as seen by clients that verify the server's certificate. */
@Timeout(60)
class StatusPortsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestAuthority servers = new TestAuthority("servers");
    private final TestAuthority clients = new TestAuthority("clients");
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final Path folder;
    private final KubeConnection cluster;

    StatusPortsTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        WebServer server = new WebServer(
                "api",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Limits.withBodies(1 << 16, 1 << 20),
                StatusPortsTest::review);
        toClose.add(server);
        cluster = KubeConnection.fromUrl("http://127.0.0.1:" + server.address().getPort());
        toClose.add(cluster);
    }

    /** An API server that authenticates the token "good" as prometheus, who may only read metrics. */
    private static void review(Exchange exchange) {
        String body = new String(exchange.body(), StandardCharsets.UTF_8);
        boolean isToken = exchange.path().endsWith("/tokenreviews") && body.contains("\"token\":\"good\"");
        boolean isAccess = exchange.path().endsWith("/subjectaccessreviews")
                && body.contains("\"prometheus\"")
                && body.contains("\"/metrics\"");
        String status = isToken
                ? "{\"authenticated\":true,\"user\":{\"username\":\"prometheus\"}}"
                : "{\"authenticated\":false,\"allowed\":" + isAccess + "}";
        exchange.answer(
                exchange.method().equals("POST") ? 201 : 404,
                "application/json",
                ("{\"status\":" + status + "}").getBytes(StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private ServingSettings settings(
            int plainPort, int securePort, @Nullable CertificateFiles certificate, Path clientCa) {
        Duration ttl = Duration.ofSeconds(10);
        return new ServingSettings(
                plainPort == 0 ? null : new InetSocketAddress(InetAddress.getLoopbackAddress(), plainPort),
                "127.0.0.1",
                securePort,
                new TlsContext.Settings(
                        certificate == null ? null : certificate.certificate(),
                        certificate == null ? null : certificate.key(),
                        null,
                        List.of(),
                        List.of(),
                        ""),
                new ServingSettings.Authentication(
                        clientCa,
                        null,
                        true,
                        true,
                        ttl,
                        new ServingSettings.RequestHeader(null, List.of(), List.of(), List.of(), List.of(), List.of())),
                new ServingSettings.Authorization(null, List.of("/healthz"), ttl, ttl));
    }

    private StatusPorts open(ServingSettings settings) {
        return open(settings, true);
    }

    private StatusPorts open(ServingSettings settings, boolean asked) {
        return open(settings, new StatusPorts.Plain("--port", asked));
    }

    private StatusPorts open(ServingSettings settings, StatusPorts.Plain plain) {
        PrometheusRegistry registry = new PrometheusRegistry();
        Counter.builder().name("pods_total").help("Pods").register(registry).inc();
        List<Check> checks = List.of(Check.PING);
        StatusPorts ports = StatusPorts.open(
                settings,
                plain,
                new StatusContent(
                        checks,
                        checks,
                        checks,
                        registry,
                        () -> "{}",
                        parameters -> Page.Answer.text(200, "pods"),
                        exchange -> {
                            if (exchange.path().equals("/")) {
                                exchange.answer(200, "page");
                            }
                            return exchange.path().equals("/");
                        }),
                cluster,
                Clock.systemUTC());
        toClose.add(ports);
        return ports;
    }

    private HttpClient client(@Nullable CertificateAndKey certificate) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(certificate == null ? null : TestAuthority.keys(certificate), servers.trust(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static int status(HttpClient client, String url, String token) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /** An old command line opens 10251 on all addresses. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0, false, 404", "0.0.0.0, true, 200", "127.0.0.1, false, 200"})
    void podsAreToldOnAPlainPortOfTheLoopbackAddressOrWhereAsked(String address, boolean asked, int code)
            throws Exception {
        int plain = freePort();
        ServingSettings given = settings(plain, 0, null, folder);
        open(
                new ServingSettings(
                        new InetSocketAddress(address, plain),
                        given.bindAddress(),
                        0,
                        given.tls(),
                        given.authentication(),
                        given.authorization()),
                asked);
        String url = "http://127.0.0.1:" + plain;
        HttpClient nobody = client(null);
        assertEquals(
                List.of(200, 200, code, code),
                List.of(
                        status(nobody, url + "/healthz", ""),
                        status(nobody, url + "/metrics", ""),
                        status(nobody, url + "/debug/decisions", ""),
                        status(nobody, url + "/", "")));
    }

    /** The metrics of a configuration have a server of their own unless both addresses are equal. */
    @ParameterizedTest
    @CsvSource({"true, 2", "false, 1"})
    void metricsAreServedOnTheirAddress(boolean another, int servers) throws Exception {
        int plain = freePort();
        InetSocketAddress metrics =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), another ? freePort() : plain);
        StatusPorts ports =
                open(settings(plain, 0, null, folder), new StatusPorts.Plain("--port", false, metrics, List.of()));
        assertEquals(servers, ports.urls().size());
        assertEquals(200, status(client(null), "http://127.0.0.1:" + metrics.getPort() + "/metrics", ""));
    }

    @Test
    void bothPorts() throws Exception {
        int plain = freePort();
        int secure = freePort();
        CertificateFiles certificate = TestAuthority.write(folder, "server", servers.server("RSA", "localhost"));
        Path clientCa = Files.writeString(folder.resolve("clients.crt"), clients.pem());
        StatusPorts ports = open(settings(plain, secure, certificate, clientCa));
        assertEquals(List.of("http://127.0.0.1:" + plain, "https://127.0.0.1:" + secure), ports.urls());
        String url = "https://localhost:" + secure;
        HttpClient nobody = client(null);
        assertEquals(
                List.of(200, 403, 200, 403, 401, 401),
                List.of(
                        status(nobody, url + "/healthz", ""),
                        status(nobody, url + "/metrics", ""),
                        status(nobody, url + "/metrics", "good"),
                        status(nobody, url + "/configz", "good"),
                        status(nobody, url + "/metrics", "stolen"),
                        status(nobody, url + "/healthz", "stolen")));
        assertEquals(200, status(nobody, "http://127.0.0.1:" + plain + "/metrics", ""), "plain HTTP is for everybody");
        assertEquals(200, status(client(clients.client("CN=admin,O=system:masters")), url + "/configz", ""));
        assertEquals(
                401,
                status(
                        client(clients.client(
                                "CN=admin,O=system:masters", Instant.now().minusSeconds(1))),
                        url + "/configz",
                        ""),
                "expired");
    }

    @Test
    void aCertificateIsReplacedWhileItRuns() throws Exception {
        int secure = freePort();
        CertificateFiles certificate = TestAuthority.write(folder, "server", servers.server("EC", "first.example"));
        Path clientCa = Files.writeString(folder.resolve("clients.crt"), clients.pem());
        open(settings(0, secure, certificate, clientCa));
        assertThrows(
                IOException.class,
                () -> status(client(null), "https://localhost:" + secure + "/healthz", ""),
                "the certificate is that of another host");
        TestAuthority.write(folder, "server", servers.server("RSA", "localhost"));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                assertEquals(200, status(client(null), "https://localhost:" + secure + "/healthz", ""));
                return;
            } catch (IOException notYet) {
                assertTrue(System.nanoTime() < deadline, String.valueOf(notYet));
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void whatCannotBeOpenedIsTold() throws Exception {
        Path clientCa = Files.writeString(folder.resolve("clients.crt"), clients.pem());
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertEquals(
                    "--port: cannot listen on 127.0.0.1:" + port + ": Address already in use",
                    refusal(settings(port, 0, null, clientCa)));
            assertEquals(
                    "--secure-port: cannot listen on 127.0.0.1:" + port + ": Address already in use",
                    refusal(settings(0, port, null, clientCa)));
        }
        assertEquals(
                "--secure-port: open " + folder.resolve("none") + ": no such file or directory",
                refusal(settings(0, freePort(), null, folder.resolve("none"))));
        CertificateFiles half = new CertificateFiles(folder.resolve("a.crt"), folder.resolve("a.key"), List.of());
        assertEquals(
                "--secure-port: open " + half.certificate() + ": no such file or directory",
                refusal(settings(0, freePort(), half, clientCa)));
    }

    private String refusal(ServingSettings settings) {
        return String.valueOf(
                assertThrows(InputException.class, () -> open(settings)).getMessage());
    }

    @Test
    void noPortsAtAll() throws IOException {
        Path clientCa = Files.writeString(folder.resolve("clients.crt"), clients.pem());
        assertEquals(List.of(), open(settings(0, 0, null, clientCa)).urls());
    }

    @Test
    void nobodyTrustsTheCertificateOfItsOwnUntold() throws Exception {
        int secure = freePort();
        Path clientCa = Files.writeString(folder.resolve("clients.crt"), clients.pem());
        open(settings(0, secure, null, clientCa));
        assertThrows(
                IOException.class,
                () -> status(client(null), "https://127.0.0.1:" + secure + "/healthz", ""),
                "nobody known has signed it");
    }
}
