package io.policyscheduler.cmd.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyedCertificateTest {
    private final Path folder;
    private final TestAuthority authority = new TestAuthority("ca");

    KeyedCertificateTest(@TempDir Path folder) {
        this.folder = folder;
    }

    /** Key files of kubeadm, openssl, and Go. */
    @ParameterizedTest
    @CsvSource({
        "EC,ec -in a.key -out b.key",
        "EC,ec -in a.key -no_public -out b.key",
        "RSA,rsa -in a.key -traditional -out b.key",
        "RSA,pkcs8 -topk8 -nocrypt -in a.key -out b.key",
    })
    void readsKeysInEveryForm(String type, String openssl) throws Exception {
        CertificateAndKey made = authority.server(type, "a.example");
        CertificateFiles files = TestAuthority.write(folder, "a", made);
        Assumptions.assumeTrue(rewrite(openssl) == 0, () -> "no openssl that can: " + openssl);
        assertEquals(
                made.chain(),
                CertificateAndKey.read(
                                Files.readAllBytes(files.certificate()), Files.readAllBytes(folder.resolve("b.key")))
                        .chain());
    }

    /** Returns the exit code of openssl; -1 if it is missing. */
    private int rewrite(String openssl) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(("openssl " + openssl).split(" "))
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            return process.exitValue();
        } catch (IOException e) {
            return -1;
        }
    }

    @Test
    void refusesWhatDoesNotBelongTogether() throws IOException {
        CertificateFiles a = TestAuthority.write(folder, "a", authority.server("EC", "a.example"));
        CertificateFiles b = TestAuthority.write(folder, "b", authority.server("EC", "b.example"));
        CertificateFiles c = TestAuthority.write(folder, "c", authority.server("RSA", "c.example"));
        assertEquals("tls: the private key does not match the certificate", refusal(a.certificate(), b.key()));
        assertEquals("tls: the private key does not match the certificate", refusal(a.certificate(), c.key()));
        assertEquals("tls: no certificate in PEM", refusal(Path.of("/dev/null"), a.key()));
        assertEquals(
                "tls: the private key is missing, encrypted, or not in PEM",
                refusal(a.certificate(), Path.of("/dev/null")));
        assertEquals(
                "tls: the private key is missing, encrypted, or not in PEM", refusal(a.certificate(), b.certificate()));
    }

    private static String refusal(Path certificate, Path key) {
        return String.valueOf(assertThrows(
                        IOException.class,
                        () -> CertificateAndKey.read(Files.readAllBytes(certificate), Files.readAllBytes(key)))
                .getMessage());
    }

    @Test
    void tellsNothingOfTheKey() throws IOException {
        assertEquals("CN=a.example", authority.server("EC", "a.example").toString());
        assertThrows(
                IOException.class,
                () -> CertificateAndKey.read("x".getBytes(StandardCharsets.UTF_8), new byte[] {1, 2}));
    }
}
