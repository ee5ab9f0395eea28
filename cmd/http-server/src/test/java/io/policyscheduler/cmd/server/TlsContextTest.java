package io.policyscheduler.cmd.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.server.ServingCertificate.CertificateFiles;
import io.policyscheduler.cmd.server.WebServer.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class TlsContextTest {
    private final TestAuthority authority = new TestAuthority("test-ca");
    private final Path folder;

    TlsContextTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private static TlsContext.Settings settings(
            @Nullable CertificateFiles files,
            @Nullable Path certDir,
            List<String> named,
            List<String> ciphers,
            String minVersion) {
        return new TlsContext.Settings(
                files == null ? null : files.certificate(),
                files == null ? null : files.key(),
                certDir,
                named,
                ciphers,
                minVersion);
    }

    private static TlsContext.Settings settings(@Nullable CertificateFiles files) {
        return settings(files, null, List.of(), List.of(), "");
    }

    /** Trusts every certificate. */
    private static final class AcceptAllTrustManager implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Returns the protocol and the certificate subject for a client with one protocol and a host name. */
    private static String presented(TlsContext.Settings settings, String protocol, String host)
            throws IOException, GeneralSecurityException {
        try (WebServer server = new WebServer(
                "test",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Limits.withoutBodies(),
                TlsContext.of(settings, Clock.systemUTC()),
                exchange -> exchange.answer(200, Exchange.TEXT, new byte[0]))) {
            return presented(server, protocol, host);
        }
    }

    private static String presented(WebServer server, String protocol, String host)
            throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new AcceptAllTrustManager()}, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(server.address().getAddress(), server.address().getPort())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {protocol});
            if (!host.isEmpty()) {
                parameters.setServerNames(List.of(new SNIHostName(host)));
            }
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return socket.getSession().getProtocol() + " "
                    + certificate.getSubjectX500Principal().getName();
        }
    }

    @ParameterizedTest
    @CsvSource({"RSA,TLSv1.2", "RSA,TLSv1.3", "EC,TLSv1.2", "EC,TLSv1.3"})
    void presentsWhatItIsGiven(String type, String protocol) throws Exception {
        CertificateFiles files = TestAuthority.write(folder, "a", authority.server(type, "a.example"));
        assertEquals(protocol + " CN=a.example", presented(settings(files), protocol, ""));
    }

    @Test
    void refusesOlderProtocols() throws Exception {
        CertificateFiles files = TestAuthority.write(folder, "a", authority.server("EC", "a.example"));
        TlsContext.Settings newest = settings(files, null, List.of(), List.of(), "VersionTLS13");
        assertThrows(IOException.class, () -> presented(newest, "TLSv1.2", ""));
        assertEquals("TLSv1.3 CN=a.example", presented(newest, "TLSv1.3", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "other.example,CN=a.example",
        "b.example,CN=b.example",
        "B.Example,CN=b.example",
        "x.c.example,CN=*.c.example",
        "x.y.c.example,CN=a.example",
        "d.given.example,CN=d.example",
        "d.example,CN=a.example",
    })
    void presentsTheOneForTheNameAskedFor(String host, String subject) throws Exception {
        CertificateFiles a = TestAuthority.write(folder, "a", authority.server("EC", "a.example"));
        CertificateFiles b = TestAuthority.write(folder, "b", authority.server("RSA", "b.example"));
        CertificateFiles c = TestAuthority.write(folder, "c", authority.server("EC", "*.c.example"));
        CertificateFiles d = TestAuthority.write(folder, "d", authority.server("EC", "d.example"));
        String given = ":*.given.example,d2.example";
        TlsContext.Settings settings = settings(a, null, List.of(text(b), text(c), text(d) + given), List.of(), "");
        assertEquals("TLSv1.3 " + subject, presented(settings, "TLSv1.3", host));
    }

    private static String text(CertificateFiles files) {
        return files.certificate() + "," + files.key();
    }

    @Test
    void readsFilesAgainAndKeepsWhatItHasWhileTheyAreWrong() throws Exception {
        AtomicLong now = new AtomicLong();
        CertificateFiles files = TestAuthority.write(folder, "a", authority.server("EC", "a.example"));
        ServingCertificate certificate = new ServingCertificate(files, now::get);
        TestAuthority.write(folder, "a", authority.server("RSA", "b.example"));
        assertEquals("CN=a.example", certificate.current().toString(), "not yet");
        now.addAndGet(1_000_000_000);
        assertEquals("CN=b.example", certificate.current().toString());
        Files.writeString(
                files.key(),
                TestAuthority.pem(authority.server("EC", "c.example").key()));
        now.addAndGet(1_000_000_000);
        assertEquals("CN=b.example", certificate.current().toString(), "the key of another");
        Files.delete(files.certificate());
        now.addAndGet(1_000_000_000);
        assertEquals("CN=b.example", certificate.current().toString(), "no file");
        TestAuthority.write(folder, "a", authority.server("EC", "d.example"));
        now.addAndGet(1_000_000_000);
        assertEquals("CN=d.example", certificate.current().toString());
    }

    @Test
    void makesOneOfItsOwn() throws Exception {
        String presented = presented(settings(null), "TLSv1.3", "localhost");
        assertTrue(presented.matches("TLSv1.3 CN=localhost@\\d+"), presented);
    }

    @Test
    void keepsOneOfItsOwnInAFolder() throws Exception {
        Path kept = folder.resolve("certs");
        TlsContext.Settings settings = settings(null, kept, List.of(), List.of(), "");
        String first = presented(settings, "TLSv1.3", "");
        assertEquals(first, presented(settings, "TLSv1.3", ""));
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(kept.resolve("kube-scheduler.key"))));
        assertTrue(Files.exists(kept.resolve("kube-scheduler.crt")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "VersionTLS14 | unknown tls version \"VersionTLS14\"; known are VersionTLS10, VersionTLS11,"
                        + " VersionTLS12 and VersionTLS13",
                "1.2 | unknown tls version \"1.2\"; known are VersionTLS10, VersionTLS11, VersionTLS12 and"
                        + " VersionTLS13",
                "VersionTLS1 | unknown tls version \"VersionTLS1\"; known are VersionTLS10, VersionTLS11, VersionTLS12"
                        + " and VersionTLS13",
            })
    void refusesUnknownVersions(String version, String message) {
        IOException refused = assertThrows(
                IOException.class,
                () -> TlsContext.of(settings(null, null, List.of(), List.of(), version), Clock.systemUTC()));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void takesGosNamesOfCiphersAndRefusesUnknownOnes() throws Exception {
        List<String> names = List.of(
                "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
                "TLS_AES_128_GCM_SHA256");
        assertEquals(
                List.of(
                        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                        "TLS_AES_128_GCM_SHA256"),
                TlsContext.of(settings(null, null, List.of(), names, ""), Clock.systemUTC())
                        .ciphers());
        IOException refused = assertThrows(
                IOException.class,
                () -> TlsContext.of(settings(null, null, List.of(), List.of("TLS_NULL"), ""), Clock.systemUTC()));
        assertTrue(
                String.valueOf(refused.getMessage())
                        .startsWith("Cipher suite TLS_NULL not supported or doesn't exist; known are TLS_"),
                refused.getMessage());
    }

    @Test
    void tellsWhichFileIsMissing() throws Exception {
        CertificateFiles files = TestAuthority.write(folder, "a", authority.server("EC", "a.example"));
        Files.delete(files.key());
        IOException refused = assertThrows(IOException.class, () -> TlsContext.of(settings(files), Clock.systemUTC()));
        assertEquals("open " + files.key() + ": no such file or directory", refused.getMessage());
        Files.writeString(files.key(), "nonsense");
        refused = assertThrows(IOException.class, () -> TlsContext.of(settings(files), Clock.systemUTC()));
        assertTrue(
                String.valueOf(refused.getMessage()).startsWith(files.certificate() + ", " + files.key() + ": tls: "),
                refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a.crt", "a.crt,", ",a.key", "a.crt,a.key,x", "a.crt,a.key:", "a.crt,a.key:x,,y"})
    void refusesWhatIsNoPairOfFiles(String text) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> CertificateFiles.parse(text));
        assertTrue(String.valueOf(refused.getMessage()).endsWith("but got \"" + text + "\""), refused.getMessage());
    }
}
