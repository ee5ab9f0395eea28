package io.policyscheduler.cmd.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.http.StatusContent.Page;
import io.policyscheduler.cmd.http.StatusServer.HealthReport.Check;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StatusServerTest {
    private static final Check BROKEN = new Check("informer-sync", () -> Optional.of("not yet"));

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final StatusContent content;
    private final StatusServer server;

    StatusServerTest() throws IOException {
        Counter.builder().name("pods_total").help("Pods").register(registry).inc();
        content = new StatusContent(
                List.of(Check.PING),
                List.of(Check.PING, Check.noting("tables", () -> Optional.of("1 of 2 not up to date"))),
                List.of(Check.PING, BROKEN),
                registry,
                () -> "{\"componentconfig\":{\"url\":\"http://u:p@h\"}}",
                parameters -> Page.Answer.text(200, "pods " + parameters.apply("pod")));
        server = new StatusServer(ListenAddress.parse("127.0.0.1:0"), content);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Returns the status line of a request with this Host header; null for none. */
    private String statusOf(int port, String host) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            String header = host.isEmpty() ? "" : "Host: " + host + "\r\n";
            String version = host.isEmpty() ? "HTTP/1.0" : "HTTP/1.1";
            socket.getOutputStream()
                    .write(("GET /metrics " + version + "\r\n" + header + "Connection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.substring(answer.indexOf(' ') + 1, answer.indexOf(' ') + 4);
        }
    }

    /** A page of another site reaches the port under a name that resolves to it. */
    @ParameterizedTest
    @CsvSource({
        "localhost, 200, 200",
        "LOCALHOST:1, 200, 200",
        "127.0.0.1:10251, 200, 200",
        "10.0.0.7, 200, 200",
        "'[::1]:80', 200, 200",
        "'', 200, 200",
        "evil.example, 403, 403",
        "127.0.0.1.evil.example, 403, 403",
        "localhost.evil.example, 403, 403",
        "Proxy.Example:443, 403, 200",
        "other.proxy.example, 403, 403"
    })
    void onlyAddressesAndGivenNamesAreAnswered(String host, String plain, String behindProxy) throws IOException {
        assertEquals(plain, statusOf(server.address().getPort(), host));
        try (StatusServer named = new StatusServer(
                ListenAddress.parse("127.0.0.1:0"),
                content,
                null,
                StatusServer.Access.ofHosts(List.of("proxy.example")))) {
            assertEquals(behindProxy, statusOf(named.address().getPort(), host));
        }
    }

    private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/healthz | 200 | ok",
                "/healthz?verbose | 200 | [+]ping ok/healthz check passed/",
                "/healthz?verbose=true | 200 | [+]ping ok/healthz check passed/",
                "/healthz?verbose&exclude=ping | 200 | [+]ping excluded: ok/healthz check passed/",
                "/healthz?verbose&exclude=x | 200 | [+]ping ok/warn: some health checks cannot be excluded: no matches"
                        + " for \"x\"/healthz check passed/",
                "/healthz/ping | 200 | ok",
                "/healthz/leaderElection | 404 | 404 page not found/",
                "/livez | 200 | ok",
                "/livez?verbose | 200 | [+]ping ok/[+]tables ok: 1 of 2 not up to date/livez check passed/",
                "/livez?verbose&exclude=tables | 200 | [+]ping ok/[+]tables excluded: ok/livez check passed/",
                "/readyz | 500 | [+]ping ok/[-]informer-sync failed: reason withheld/readyz check failed/",
                "/readyz?exclude=informer-sync | 200 | ok",
                "/readyz/informer-sync | 500 | internal server error: not yet/",
                "/readyz/ping | 200 | ok",
                "/configz | 200 | {\"componentconfig\":{\"url\":\"http://u:***@h\"}}",
                "/debug/decisions | 200 | pods []",
                "/debug/decisions?pod=a%2Fb&limit=1 | 200 | pods [a/b]",
                "/debug/threadsx | 404 | 404 page not found/",
                "/debug/decisionsx | 404 | 404 page not found/",
                "/debug | 404 | 404 page not found/",
                "/ | 404 | 404 page not found/",
                "/version | 404 | 404 page not found/",
                "/healthzz | 404 | 404 page not found/",
                "/metrics/x | 404 | 404 page not found/",
            })
    void answers(String path, int code, String body) throws Exception {
        HttpResponse<String> response = send("GET", path);
        assertEquals(
                code + " " + body, response.statusCode() + " " + response.body().replace('\n', '/'));
        assertEquals(Optional.of("no-cache, private"), response.headers().firstValue("Cache-Control"));
    }

    @Test
    void metricsAreInTheTextFormat() throws Exception {
        HttpResponse<String> response = send("GET", "/metrics");
        assertEquals("# HELP pods_total Pods\n# TYPE pods_total counter\npods_total 1.0\n", response.body());
        assertTrue(
                response.headers().firstValue("Content-Type").orElse("").startsWith("text/plain; version=0.0.4"),
                response.headers()::toString);
    }

    @Test
    void onlyReads() throws Exception {
        assertEquals(405, send("DELETE", "/metrics").statusCode());
        assertEquals(405, send("POST", "/healthz").statusCode());
        HttpResponse<String> head = send("HEAD", "/healthz");
        assertEquals("200 ", head.statusCode() + " " + head.body());
    }

    /** Without such a header, a browser does not show a response to the page of another site. */
    @Test
    void sendsNoCorsHeaders() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.address().getPort() + "/debug/decisions"))
                .header("Origin", "http://evil.example")
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode());
        assertEquals(
                List.of(),
                response.headers().map().keySet().stream()
                        .filter(name -> name.startsWith("access-control-"))
                        .toList());
    }

    @Test
    void aPortThatIsTakenIsToldInOneLine() {
        StatusContent content = new StatusContent(List.of(), List.of(), List.of(), registry, () -> "{}");
        IOException e = assertThrows(IOException.class, () -> new StatusServer(server.address(), content));
        assertEquals(
                "cannot listen on 127.0.0.1:" + server.address().getPort() + ": Address already in use",
                e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:10251, 127.0.0.1:10251",
        "10251, 127.0.0.1:10251",
        ":10251, 0.0.0.0:10251",
        "0.0.0.0:0, 0.0.0.0:0",
        "[::]:10251, [0:0:0:0:0:0:0:0]:10251",
        "[::1]:1, [0:0:0:0:0:0:0:1]:1",
    })
    void addresses(String text, String expected) {
        InetSocketAddress address = ListenAddress.parse(text);
        assertEquals(expected, ListenAddress.text(address));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "a:b", "1.2.3.4:65536", "70000", "99999999999", "::1:80", "[::1]"})
    void malformedAddresses(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> ListenAddress.parse(text));
        assertEquals(
                "\"" + text
                        + "\" is not an address to listen on (such as 127.0.0.1:10251, [::]:10251, :10251 or 10251)",
                e.getMessage());
    }
}
