package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.kubernetes.client.openapi.ApiClient;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KubeConnectionTest {
    @TempDir
    Path directory = Path.of("");

    private Path kubeconfig(String server, String user) throws IOException {
        return Files.writeString(directory.resolve("config"), """
                apiVersion: v1
                kind: Config
                current-context: one
                contexts:
                - {name: one, context: {cluster: c, user: u}}
                clusters:
                - {name: c, cluster: {server: "%s"}}
                users:
                - {name: u, user: %s}
                """.formatted(server, user));
    }

    private static FakeApiServer echo() {
        return new FakeApiServer(request -> request.answer(200, request.header("Authorization")));
    }

    @Test
    void sendsTheTokenWithCallsAndStreams() throws IOException {
        try (FakeApiServer server = echo();
                KubeConnection connection =
                        KubeConnection.fromKubeconfig(kubeconfig(server.url(), "{token: s3cret}"), null)) {
            assertEquals(server.url(), connection.serverUrl());
            assertEquals("Bearer s3cret", connection.get("/api").text());
            assertEquals(
                    "Bearer s3cret", connection.post("/x", new byte[] {'1'}).text());
            try (Stream stream = connection.stream("/w", Duration.ofSeconds(5))) {
                assertEquals("Bearer s3cret", new String(stream.open().readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void masterReplacesTheServerAndKeepsTheCredentials() throws IOException {
        try (FakeApiServer server = echo();
                KubeConnection connection = KubeConnection.fromKubeconfig(
                        kubeconfig("http://192.0.2.1:1", "{username: ann, password: pw}"), server.url() + "/")) {
            String basic = Base64.getEncoder().encodeToString("ann:pw".getBytes(StandardCharsets.UTF_8));
            assertEquals("Basic " + basic, connection.get("/api").text());
        }
    }

    @Test
    void impersonationIsSentWithCallsAndStreams() throws IOException {
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(
                        200,
                        request.header("Authorization") + " as " + request.header("Impersonate-User") + " "
                                + request.exchange().getRequestHeaders().get("Impersonate-Group")));
                KubeConnection connection = KubeConnection.fromKubeconfig(
                        kubeconfig(server.url(), "{token: t, as: bob, as-groups: [a, b]}"), null)) {
            String identity = "Bearer t as bob [a, b]";
            assertEquals(identity, connection.get("/api").text());
            try (Stream stream = connection.stream("/w", Duration.ofSeconds(5))) {
                assertEquals(identity, new String(stream.open().readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void execPluginIsRunAgainAfterUnauthorized() throws IOException {
        Path plugin = directory.resolve("plugin.sh");
        Files.writeString(plugin, """
                #!/bin/sh
                echo x >> %1$s/runs
                n=$(wc -l < %1$s/runs | tr -d ' ')
                echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t'$n'"}}'
                """.formatted(directory));
        Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));
        try (FakeApiServer server = new FakeApiServer(request ->
                        request.answer(request.path().equals("/no") ? 401 : 200, request.header("Authorization")));
                KubeConnection connection = KubeConnection.fromKubeconfig(
                        kubeconfig(
                                server.url(),
                                "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh,"
                                        + " interactiveMode: Never}}"),
                        null)) {
            String first = connection.get("/api").text();
            assertTrue(first.matches("Bearer t\\d"), first);
            assertEquals(first, connection.get("/api").text());
            assertEquals(401, connection.get("/no").code());
            assertFalse(connection.get("/api").text().equals(first));
        }
    }

    @Test
    void retryAfterIsHonoredForLessThanAMinute() throws IOException {
        List<Duration> waits = new ArrayList<>();
        Interceptor busy = chain -> new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(chain.request().url().encodedPath().equals("/soon") && !waits.isEmpty() ? 200 : 429)
                .message("")
                .header("Retry-After", "25")
                .body(ResponseBody.create("busy", null))
                .build();
        try (KubeConnection connection = KubeConnection.inProcess(busy, waits::add)) {
            assertEquals(200, connection.get("/soon").code());
            assertEquals(List.of(Duration.ofSeconds(25)), waits);
            assertEquals(429, connection.post("/never", new byte[0]).code());
            assertEquals(Collections.nCopies(3, Duration.ofSeconds(25)), waits);
            assertEquals(429, connection.postOnce("/never", new byte[0]).code());
            assertEquals(3, waits.size());
        }
    }

    @Test
    void sendsBodiesAndReturnsAnyStatus() throws IOException {
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(
                        409, request.method() + " " + request.header("Content-Type") + " " + request.body()));
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
            assertEquals("POST application/json {}", connection.post("/a", body).text());
            assertEquals("PUT application/json {}", connection.put("/a", body).text());
            assertEquals(
                    "PATCH application/merge-patch+json {}",
                    connection.patch("/a", KubeConnection.MERGE_PATCH, body).text());
            assertEquals(
                    "DELETE application/json {}", connection.delete("/a", body).text());
            assertEquals("DELETE null ", connection.delete("/a", null).text());
            assertEquals(409, connection.get("/a?b=c").code());
            assertEquals("null", server.requests.get(0).header("Authorization"));
            assertEquals("policy-scheduler/dev", server.requests.get(0).header("User-Agent"));
        }
    }

    /** A write that was sent in time must not be carried out by a process that no longer leads: the call ends with the term. */
    @Test
    void aWriteEndsWithTheTermOfTheLeader() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                KubeConnection connection =
                        KubeConnection.fromUrl("http://127.0.0.1:" + silent.getLocalPort(), Duration.ofMinutes(2))) {
            KubeConnection leader = connection.writableFor(() -> Duration.ofMillis(200));
            assertThrows(ApiIoException.class, () -> leader.post("/x", new byte[0]));
            KubeConnection former = connection.writableFor(() -> Duration.ZERO);
            ApiIoException unsent = assertThrows(ApiIoException.class, () -> former.post("/x", new byte[0]));
            assertFalse(unsent.isSent());
        }
    }

    /** A process that no longer leads waits for the end of its writes. Reads do not count. */
    @Test
    void awaitsTheEndOfItsWrites() throws InterruptedException {
        CountDownLatch received = new CountDownLatch(2);
        CountDownLatch answer = new CountDownLatch(1);
        try (FakeApiServer server = new FakeApiServer(request -> {
                    received.countDown();
                    Uninterruptibles.awaitUninterruptibly(answer);
                    request.answer(200, "{}");
                });
                KubeConnection connection = KubeConnection.fromUrl(server.url(), Duration.ofMinutes(1))) {
            KubeConnection writer = connection.writableFor(() -> Duration.ofMinutes(1));
            Thread writing = new Thread(() -> assertDoesNotThrow(() -> writer.post("/x", new byte[0])), "writing");
            Thread reading = new Thread(() -> assertDoesNotThrow(() -> connection.get("/x")), "reading");
            writing.start();
            reading.start();
            received.await();
            assertFalse(writer.awaitWrites(Duration.ofMillis(1)));
            assertTrue(connection.awaitWrites(Duration.ZERO));
            answer.countDown();
            writing.join();
            reading.join();
            assertTrue(writer.awaitWrites(Duration.ZERO));
        }
    }

    /** The client for plugins reads always, and writes only while this process leads. */
    @Test
    void theClientOfPluginsWritesOnlyWithinTheTerm() throws IOException {
        Duration[] term = {Duration.ofMinutes(1)};
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(200, request.method()));
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            OkHttpClient client = connection
                    .writableFor(() -> term[0])
                    .unwrap(ApiClient.class)
                    .orElseThrow()
                    .getHttpClient();
            Request read = new Request.Builder().url(server.url() + "/a").build();
            Request write =
                    read.newBuilder().post(RequestBody.create(new byte[0])).build();
            List<String> seen = new ArrayList<>();
            for (Duration left : List.of(term[0], Duration.ZERO, Duration.ofNanos(-1))) {
                term[0] = left;
                for (Request request : List.of(read, write)) {
                    try (Response response = client.newCall(request).execute()) {
                        seen.add(response.body().string());
                    } catch (ApiIoException e) {
                        seen.add(e.getMessage() + (e.isSent() ? " sent" : ""));
                    }
                }
            }
            String refused = "POST /a: not sent: this scheduler is no longer the leader";
            assertEquals(List.of("GET", "POST", "GET", refused, "GET", refused), seen);
            assertTrue(connection.unwrap(String.class).isEmpty());
        }
    }

    /** OkHttp would send the request again over another connection, and the caller decides whether a delete may be repeated. */
    @Test
    void aDeleteWithoutAResponseIsSentOnce() throws IOException {
        try (FakeApiServer server = new FakeApiServer(request -> {
                    if (request.method().equals("GET")) {
                        request.answer(200, "{}");
                    } else {
                        request.exchange().close();
                    }
                });
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
            connection.get("/a");
            assertThrows(ApiIoException.class, () -> connection.delete("/a", body));
            assertEquals(
                    List.of("GET", "DELETE"),
                    server.requests.stream().map(FakeApiServer.Request::method).toList());
        }
    }

    @Test
    void viewsHaveOtherLimits() throws IOException {
        FakeApiServer[] self = new FakeApiServer[1];
        try (FakeApiServer server = new FakeApiServer(request -> {
            if (request.path().equals("/slow")) {
                self[0].hold();
            }
            request.answer(200, "12345");
        })) {
            self[0] = server;
            try (KubeConnection connection = KubeConnection.fromUrl(server.url(), Duration.ofHours(1))) {
                for (Duration timeout : List.of(Duration.ofMillis(100), Duration.ofNanos(1), Duration.ZERO)) {
                    assertThrows(
                            ApiIoException.class,
                            () -> connection.withTimeout(timeout).get("/slow"));
                }
                assertEquals("12345", connection.withBodyLimit(5).get("/fast").text());
                ApiIoException longer = assertThrows(
                        ApiIoException.class, () -> connection.withBodyLimit(4).get("/fast"));
                assertEquals("GET /fast: the response is longer than 4 bytes", longer.getMessage());
            }
        }
    }

    /** The last response is the result of a call that is interrupted while it waits for a busy server. */
    @Test
    void anInterruptEndsTheWaitForABusyServer() throws IOException {
        Interceptor busy = chain -> new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(429)
                .message("")
                .header("Retry-After", "1")
                .body(ResponseBody.create("busy", null))
                .build();
        try (KubeConnection connection = KubeConnection.inProcess(busy, delay -> {
            throw new InterruptedException();
        })) {
            assertEquals(429, connection.get("/x").code());
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void transportErrorsAndTimeoutsAreNamed() {
        FakeApiServer[] self = new FakeApiServer[1];
        try (FakeApiServer server = new FakeApiServer(request -> self[0].hold())) {
            self[0] = server;
            try (KubeConnection connection = KubeConnection.fromUrl(server.url(), Duration.ofMillis(200))) {
                ApiIoException timeout = assertThrows(ApiIoException.class, () -> connection.get("/slow?x=y"));
                assertTrue(String.valueOf(timeout.getMessage()).startsWith("GET /slow: "), timeout.getMessage());
                assertEquals(0, timeout.code());
                server.goDown();
                assertThrows(ApiIoException.class, () -> connection.post("/slow", new byte[0]));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "a: [", "contexts: 7\ncurrent-context: x", "current-context: nowhere\n"})
    void unusableKubeconfigIsOneLine(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("broken"), text);
        ClusterException e = assertThrows(ClusterException.class, () -> KubeConnection.fromKubeconfig(file, null));
        assertTrue(String.valueOf(e.getMessage()).startsWith("kubeconfig " + file + ": "), e.getMessage());
        assertEquals(1, String.valueOf(e.getMessage()).lines().count());
    }

    @Test
    void looksForConfigurationInOrder() throws IOException {
        Path flag = kubeconfig("http://flag", "{}");
        Path listed = Files.writeString(
                directory.resolve("listed"), Files.readString(flag).replace("flag", "listed"));
        Path home = Files.createDirectories(directory.resolve("home"));
        Path token = directory.resolve("token");
        Map<String, String> environment = Map.of("KUBECONFIG", directory.resolve("absent") + ":" + listed);
        ClientConfigLoader loader = new ClientConfigLoader(environment, home, token);
        assertEquals("http://flag", loader.auto(flag, null, null).server());
        assertEquals("https://m", loader.auto(flag, "https://m", null).server());
        assertEquals("https://m:6443", loader.auto(null, "m:6443", null).server());
        assertEquals("http://m:8080", loader.auto(null, "m:8080", null).server());
        assertEquals("http://listed", loader.auto(null, null, null).server());

        ClientConfigLoader bare = new ClientConfigLoader(Map.of(), home, token);
        ClusterException nothing = assertThrows(ClusterException.class, () -> bare.auto(null, null, null));
        assertEquals(
                "no cluster configured: set --kubeconfig, --master, or KUBECONFIG, or run in a pod (there is no " + home
                        + "/.kube/config, and no service account at " + token + ")",
                nothing.getMessage());
        assertThrows(ClusterException.class, bare::inCluster);

        Files.createDirectories(home.resolve(".kube"));
        Files.writeString(home.resolve(".kube/config"), Files.readString(flag).replace("flag", "home"));
        assertEquals("http://home", bare.auto(null, "", null).server());
        ClientConfigLoader wrong = new ClientConfigLoader(Map.of("KUBECONFIG", "/absent"), home, token);
        assertThrows(ClusterException.class, () -> wrong.auto(null, null, null));
    }
}
