package io.policyscheduler.cmd.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.cmd.server.TestAuthority;
import io.policyscheduler.cmd.server.TlsContext;
import io.policyscheduler.cmd.server.WebServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class DelegatedAccessTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> TOKENS = Map.of("good", "prometheus", "other", "nobody-much");

    private static final Duration TTL = Duration.ofSeconds(60);
    private static final ServingSettings.Authorization OPEN_HEALTH =
            new ServingSettings.Authorization(null, List.of("/healthz", "/readyz", "/livez"), TTL, TTL);

    private static ServingSettings.Authentication authentication(
            @Nullable Path clientCa, boolean skipLookup, boolean tolerant) {
        return new ServingSettings.Authentication(
                clientCa,
                null,
                skipLookup,
                tolerant,
                TTL,
                new ServingSettings.RequestHeader(
                        null,
                        List.of(),
                        List.of("x-remote-user"),
                        List.of(),
                        List.of("x-remote-group"),
                        List.of("x-remote-extra-")));
    }

    private final TestAuthority clients = new TestAuthority("clients");
    private final TestAuthority proxies = new TestAuthority("proxies");
    private final TestAuthority strangers = new TestAuthority("strangers");
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private volatile boolean down;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    /** An API server that authenticates two tokens, allows prometheus and alice to read metrics, and publishes its client CAs. */
    private Response server(Interceptor.Chain chain) throws IOException {
        String path = chain.request().url().encodedPath();
        Buffer sent = new Buffer();
        if (chain.request().body() != null) {
            chain.request().body().writeTo(sent);
        }
        JsonNode body = sent.size() == 0 ? JSON.createObjectNode() : JSON.readTree(sent.readByteArray());
        ObjectNode answer = JSON.createObjectNode();
        if (path.endsWith("/tokenreviews")) {
            String token = body.path("spec").path("token").asText();
            asked.add("token " + token);
            ObjectNode status = answer.putObject("status").put("authenticated", TOKENS.containsKey(token));
            if (TOKENS.containsKey(token)) {
                status.putObject("user")
                        .put("username", TOKENS.get(token))
                        .put("uid", "u1")
                        .putArray("groups")
                        .add("robots");
            }
        } else if (path.endsWith("/subjectaccessreviews")) {
            JsonNode spec = body.path("spec");
            asked.add("access " + spec);
            answer.putObject("status")
                    .put(
                            "allowed",
                            spec.path("user").asText().matches("prometheus|alice|carol")
                                    && spec.path("nonResourceAttributes")
                                            .path("path")
                                            .asText()
                                            .equals("/metrics"));
        } else {
            asked.add("lookup");
            answer.putObject("data")
                    .put("client-ca-file", clients.pem())
                    .put("requestheader-client-ca-file", proxies.pem())
                    .put("requestheader-allowed-names", "[\"front-proxy\"]")
                    .put("requestheader-username-headers", "[\"X-Remote-User\"]")
                    .put("requestheader-group-headers", "[\"X-Remote-Group\"]")
                    .put("requestheader-extra-headers-prefix", "[\"X-Remote-Extra-\"]");
        }
        return new Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(down ? 500 : 200)
                .message("")
                .body(ResponseBody.create(answer.toString(), MediaType.get("application/json")))
                .build();
    }

    private KubeConnection cluster() {
        KubeConnection connection = KubeConnection.inProcess(this::server, Sleeper.REAL);
        toClose.add(connection);
        return connection;
    }

    private WebServer serve(DelegatedAccess access) throws IOException {
        toClose.add(access);
        WebServer server = new WebServer(
                "test",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Limits.withoutBodies(),
                TlsContext.of(new TlsContext.Settings(null, null, null, List.of(), List.of(), ""), Clock.systemUTC()),
                exchange -> access.check(exchange, () -> exchange.answer(200, "served\n")));
        toClose.add(server);
        return server;
    }

    private WebServer serve() throws IOException {
        KubeConnection cluster = cluster();
        return serve(new DelegatedAccess(
                authentication(null, false, true), OPEN_HEALTH, cluster, cluster, Clock.systemUTC()));
    }

    private static String ask(WebServer server, String path, @Nullable CertificateAndKey certificate, String... headers)
            throws IOException, InterruptedException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                certificate == null ? null : new KeyManager[] {new Shown(certificate)},
                new TrustManager[] {new Anybody()},
                null);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create("https://127.0.0.1:" + server.address().getPort() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> response = HttpClient.newBuilder()
                .sslContext(context)
                .build()
                .send(request.build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body().strip();
    }

    private static String forbidden(String user, String path) {
        return "403 {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"forbidden:"
                + " User \\\"" + user + "\\\" cannot get path \\\"" + path
                + "\\\"\",\"reason\":\"Forbidden\",\"details\":{},"
                + "\"code\":403}";
    }

    private static final String UNAUTHORIZED =
            "401 {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"Unauthorized\","
                    + "\"reason\":\"Unauthorized\",\"code\":401}";

    @ParameterizedTest
    @CsvSource({"/healthz", "/livez", "/readyz"})
    void healthIsOpenAndAsksNobody(String path) throws Exception {
        WebServer server = serve();
        asked.clear();
        assertEquals("200 served", ask(server, path, null));
        assertEquals(List.of(), asked);
    }

    @Test
    void whoeverShowsNothingIsAnonymous() throws Exception {
        WebServer server = serve();
        asked.clear();
        assertEquals(forbidden("system:anonymous", "/metrics"), ask(server, "/metrics", null));
        assertEquals(forbidden("system:anonymous", "/healthz/ping"), ask(server, "/healthz/ping", null));
        assertEquals(forbidden("system:anonymous", "/metrics"), ask(server, "/%6Detrics", null));
        assertEquals(
                List.of(
                        "access {\"user\":\"system:anonymous\",\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":"
                                + "\"get\"},\"groups\":[\"system:unauthenticated\"],\"extra\":{}}",
                        "access {\"user\":\"system:anonymous\",\"nonResourceAttributes\":{\"path\":\"/healthz/ping\","
                                + "\"verb\":\"get\"},\"groups\":[\"system:unauthenticated\"],\"extra\":{}}"),
                asked,
                "asked once for the same path, however it is spelled");
    }

    @Test
    void tokensAreReviewedAndKept() throws Exception {
        WebServer server = serve();
        asked.clear();
        for (int i = 0; i < 3; i++) {
            assertEquals("200 served", ask(server, "/metrics", null, "Authorization", "Bearer good"));
            assertEquals(
                    forbidden("prometheus", "/configz"), ask(server, "/configz", null, "Authorization", "bearer good"));
            assertEquals(
                    forbidden("nobody-much", "/metrics"),
                    ask(server, "/metrics", null, "Authorization", "Bearer other"));
            assertEquals(UNAUTHORIZED, ask(server, "/metrics", null, "Authorization", "Bearer stolen"));
            assertEquals(
                    UNAUTHORIZED,
                    ask(server, "/healthz", null, "Authorization", "Bearer stolen"),
                    "a wrong token is wrong everywhere");
        }
        String groups = "\"uid\":\"u1\",\"groups\":[\"robots\",\"system:authenticated\"],\"extra\":{}}";
        assertEquals(
                List.of(
                        "token good",
                        "access {\"user\":\"prometheus\",\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"},"
                                + groups,
                        "access {\"user\":\"prometheus\",\"nonResourceAttributes\":{\"path\":\"/configz\",\"verb\":\"get\"},"
                                + groups,
                        "token other",
                        "access {\"user\":\"nobody-much\",\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"},"
                                + groups,
                        "token stolen"),
                asked);
    }

    @Test
    void certificatesOfClients() throws Exception {
        WebServer server = serve();
        assertEquals("200 served", ask(server, "/metrics", clients.client("CN=alice,O=ops")));
        assertEquals(forbidden("bob", "/metrics"), ask(server, "/metrics", clients.client("CN=bob")));
        assertEquals("200 served", ask(server, "/debug", clients.client("CN=root,O=system:masters")));
        assertEquals(
                UNAUTHORIZED,
                ask(server, "/metrics", clients.client("CN=alice", Instant.now().minusSeconds(60))),
                "expired");
        assertEquals(UNAUTHORIZED, ask(server, "/metrics", clients.server("EC", "alice")), "not for clients");
        assertEquals(UNAUTHORIZED, ask(server, "/metrics", strangers.client("CN=alice")), "signed by nobody known");
        assertEquals(
                "200 served",
                ask(server, "/metrics", strangers.client("CN=alice"), "Authorization", "Bearer good"),
                "one thing shown that is worth something is enough");
    }

    @Test
    void proxiesSayForWhomTheyAsk() throws Exception {
        WebServer server = serve();
        asked.clear();
        CertificateAndKey proxy = proxies.client("CN=front-proxy");
        assertEquals(
                "200 served",
                ask(
                        server,
                        "/metrics",
                        proxy,
                        "X-Remote-User",
                        "carol",
                        "X-Remote-Group",
                        "g1",
                        "X-Remote-Extra-Scopes%2Fa",
                        "v"));
        assertEquals(
                List.of("access {\"user\":\"carol\",\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"},"
                        + "\"groups\":[\"g1\",\"system:authenticated\"],\"extra\":{\"scopes/a\":[\"v\"]}}"),
                asked);
        assertEquals(
                UNAUTHORIZED,
                ask(server, "/metrics", proxies.client("CN=evil"), "X-Remote-User", "carol"),
                "not an allowed name");
        assertEquals(
                UNAUTHORIZED,
                ask(server, "/metrics", strangers.client("CN=front-proxy"), "X-Remote-User", "carol"),
                "not signed by the proxies' authority");
        assertEquals(
                forbidden("system:anonymous", "/metrics"),
                ask(server, "/metrics", null, "X-Remote-User", "carol"),
                "headers without a certificate are nothing");
    }

    @Test
    void withoutAnApiServerOnlyMastersMay(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("ca.crt"), clients.pem());
        ServingSettings.Authorization open =
                new ServingSettings.Authorization(null, List.of("/healthz", "/open/*"), TTL, TTL);
        WebServer server =
                serve(new DelegatedAccess(authentication(file, false, true), open, null, null, Clock.systemUTC()));
        assertEquals("200 served", ask(server, "/healthz", null));
        assertEquals("200 served", ask(server, "/open/a/b", null));
        assertEquals(forbidden("system:anonymous", "/readyz"), ask(server, "/readyz", null));
        assertEquals("200 served", ask(server, "/metrics", clients.client("CN=root,O=system:masters")));
        assertEquals(forbidden("alice", "/metrics"), ask(server, "/metrics", clients.client("CN=alice")));
        assertEquals(
                forbidden("system:anonymous", "/metrics"),
                ask(server, "/metrics", null, "Authorization", "Bearer good"),
                "nobody to ask whose it is");
    }

    @Test
    void anApiServerThatDoesNotAnswerOpensNothing() throws Exception {
        WebServer server = serve();
        down = true;
        assertEquals("200 served", ask(server, "/livez", null));
        assertEquals(UNAUTHORIZED, ask(server, "/metrics", null, "Authorization", "Bearer good"));
        assertEquals("500 Internal Server Error: \"/metrics\"", ask(server, "/metrics", clients.client("CN=alice")));
        down = false;
        assertEquals(
                "200 served", ask(server, "/metrics", null, "Authorization", "Bearer good"), "errors are not kept");
    }

    @Test
    void aLookupThatFailsEndsTheStartOnlyWhereItIsNotTolerated() {
        down = true;
        KubeConnection cluster = cluster();
        IOException refused = assertThrows(
                IOException.class,
                () -> new DelegatedAccess(
                        authentication(null, false, false), OPEN_HEALTH, cluster, cluster, Clock.systemUTC()));
        assertEquals(
                "cannot read the client CAs: GET /api/v1/namespaces/kube-system/configmaps/"
                        + "extension-apiserver-authentication: {\"data\":{\"client-ca-file\":\"-----BEGIN",
                String.valueOf(refused.getMessage()).split(" CERTIFICATE", 2)[0]);
    }

    @Test
    void aFileThatCannotBeReadEndsTheStart(@TempDir Path folder) {
        IOException refused = assertThrows(
                IOException.class,
                () -> new DelegatedAccess(
                        authentication(folder.resolve("none.crt"), true, true),
                        OPEN_HEALTH,
                        null,
                        null,
                        Clock.systemUTC()));
        assertEquals("open " + folder.resolve("none.crt") + ": no such file or directory", refused.getMessage());
    }

    /** Creates a client certificate, which any server requests. */
    private static final class Shown extends X509ExtendedKeyManager {
        private final CertificateAndKey certificate;

        Shown(CertificateAndKey certificate) {
            this.certificate = certificate;
        }

        @Override
        public String chooseEngineClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return "client";
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return "client";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return certificate.chain().toArray(new X509Certificate[0]);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return certificate.key();
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {"client"};
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }

    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
