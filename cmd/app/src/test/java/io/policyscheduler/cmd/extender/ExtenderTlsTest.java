package io.policyscheduler.cmd.extender;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsServer;
import io.policyscheduler.cmd.extender.client.ExtenderClients;
import io.policyscheduler.cmd.extender.client.HttpExtender;
import io.policyscheduler.cmd.extender.client.RawObjects.FileRawObjects;
import io.policyscheduler.cmd.server.TestAuthority;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Connects to a server whose certificate names ext.example at 127.0.0.1. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExtenderTlsTest {
    private HttpsServer server;
    private Path pem;

    @BeforeAll
    void start(@TempDir Path dir) throws Exception {
        TestAuthority authority = new TestAuthority("extenders");
        pem = Files.writeString(dir.resolve("ca.pem"), authority.pem());
        server = authority.https("ext.example");
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
    }

    @AfterAll
    void stop() {
        server.stop(0);
    }

    private static ExtenderTls tls(boolean insecure, String serverName, String caFile, String caData) {
        return new ExtenderTls(insecure, serverName, "", "", caFile, "", "", caData);
    }

    /** Returns "ok", or the error of a bind. */
    private String call(boolean enableHttps, @Nullable ExtenderTls tls) throws IOException {
        return call(enableHttps, tls, false);
    }

    private String call(boolean enableHttps, @Nullable ExtenderTls tls, boolean strict) throws IOException {
        ExtenderConfig config = new ExtenderConfig(
                "https://127.0.0.1:" + server.getAddress().getPort(),
                "",
                "",
                "",
                1,
                "bind",
                enableHttps,
                tls,
                0,
                true,
                List.of(),
                false,
                SourcePosition.UNKNOWN,
                SourcePosition.UNKNOWN);
        OkHttpClient client = ExtenderClients.client(config, strict);
        try {
            new HttpExtender(config, new FileRawObjects(), client, false).bind(pod("p").build(), "n");
            return "ok";
        } catch (ExtenderException e) {
            return e.text();
        } finally {
            client.connectionPool().evictAll();
        }
    }

    @Test
    void verificationIsOffWhenAskedAndInStrictModeWithoutACa() throws IOException {
        assertTrue(call(true, null).contains("PKIX path building failed"));
        assertTrue(call(true, tls(false, "", "", "")).contains("PKIX path building failed"));
        assertEquals("ok", call(true, null, true));
        assertEquals("ok", call(true, tls(false, "", "", ""), true));
        assertEquals("ok", call(false, tls(true, "", "", "")));
    }

    @Test
    void theCaAndTheServerNameAreVerified() throws IOException {
        String data = Base64.getEncoder().encodeToString(Files.readAllBytes(pem));
        assertEquals("ok", call(true, tls(false, "ext.example", pem.toString(), "")));
        assertEquals("ok", call(true, tls(false, "ext.example", "", data)));
        assertTrue(call(true, tls(false, "", pem.toString(), "")).contains("127.0.0.1 not verified"));
        assertTrue(call(true, tls(false, "other.example", pem.toString(), "")).startsWith("Post \"https://"));
    }

    @Test
    void unknownCertificatesAreRefused() throws IOException {
        assertTrue(call(false, null).contains("PKIX path building failed"));
        String empty = Base64.getEncoder().encodeToString("nothing".getBytes(StandardCharsets.UTF_8));
        assertTrue(call(true, tls(false, "", "", empty)).contains("x509: certificate signed by unknown authority"));
    }

    @Test
    void filesMustBeReadable() {
        assertThrows(IOException.class, () -> call(true, tls(false, "", "/nowhere/ca.pem", "")));
    }
}
