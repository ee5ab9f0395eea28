package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.ClientTls.ClientCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ExecPluginTest {
    private static final String VERSION = "client.authentication.k8s.io/v1";
    private static final Duration LONG = Duration.ofSeconds(50);

    private final Path folder;
    private final VirtualTime time = new VirtualTime();

    ExecPluginTest(@TempDir Path folder) {
        this.folder = folder;
    }

    /** Counts its runs in a file. */
    private ExecPlugin plugin(String script, Duration timeout) throws IOException {
        Path file = folder.resolve("plugin.sh");
        Files.writeString(file, "#!/bin/sh\necho x >> " + folder.resolve("runs") + "\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return new ExecPlugin(
                new ExecPlugin.Program(
                        file.toString(), List.of("first"), Map.of("GREETING", "hello"), VERSION, "", "the info"),
                timeout,
                time);
    }

    private int runs() throws IOException {
        return Files.readAllLines(folder.resolve("runs")).size();
    }

    private static String printing(String status) {
        return "echo '{\"apiVersion\":\"" + VERSION + "\",\"kind\":\"ExecCredential\",\"status\":{" + status + "}}'";
    }

    private String name() {
        return "exec plugin " + folder.resolve("plugin.sh");
    }

    @Test
    void runsAgainWhenItsCredentialsHaveExpiredOrWereRefused() throws IOException {
        ExecPlugin plugin = plugin(
                "n=$(wc -l < " + folder.resolve("runs") + " | tr -d ' ')\n"
                        + printing("\"token\":\"t'$n'\",\"expirationTimestamp\":\"2024-05-01T13:0'$n':00Z\""),
                LONG);
        assertEquals("Bearer t1", plugin.authorization());
        assertEquals("Bearer t1", plugin.authorization());
        time.advance(Duration.ofMinutes(61));
        assertEquals("Bearer t2", plugin.authorization());
        plugin.refused("Bearer t1");
        assertEquals("Bearer t2", plugin.authorization());
        plugin.refused("Bearer t2");
        assertEquals("Bearer t3", plugin.authorization());
    }

    @Test
    void isToldWhatItIsFor() throws IOException {
        ExecPlugin plugin = plugin(printing("\"token\":\"'\"$1 $GREETING $KUBERNETES_EXEC_INFO\"'\""), LONG);
        assertEquals("Bearer first hello the info", plugin.authorization());
    }

    @Test
    void mayGiveAClientCertificate() throws IOException {
        ExecPlugin plugin = plugin(printing("\"clientCertificateData\":\"cert\",\"clientKeyData\":\"key\""), LONG);
        assertEquals("", plugin.authorization());
        assertEquals(new ClientCertificate("cert", "key"), plugin.certificate());
        assertEquals(1, runs());
        assertFalse(String.valueOf(plugin.certificate()).contains("key"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "echo no login >&2; echo try again >&2; exit 3 | exit code 3: no login try again",
                "exit 1 | exit code 1",
                "echo hello | the output is not JSON",
                "echo '{}' | is configured for client.authentication.k8s.io/v1 ExecCredential, but printed no apiVersion"
                        + " without kind",
                "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"kind\":\"ExecCredential\"}' | is configured"
                        + " for client.authentication.k8s.io/v1 ExecCredential, but printed"
                        + " client.authentication.k8s.io/v1beta1 ExecCredential",
            })
    void failuresAreOneLine(String script, String message) throws IOException {
        ExecPlugin plugin = plugin(script, LONG);
        for (int i = 1; i <= 2; i++) {
            IOException e = assertThrows(IOException.class, plugin::authorization);
            assertEquals(name() + ": " + message, e.getMessage());
            assertEquals(i, runs());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | printed neither a token nor a client certificate",
                "\"clientKeyData\":\"k\" | printed only one of clientCertificateData and clientKeyData",
                "\"token\":\"t\",\"expirationTimestamp\":\"soon\" | expirationTimestamp \"soon\" is not a time",
            })
    void halfCredentialsAreRefused(String status, String message) throws IOException {
        ExecPlugin plugin = plugin(printing(status), LONG);
        assertEquals(
                name() + ": " + message,
                assertThrows(IOException.class, plugin::authorization).getMessage());
    }

    @Test
    void oneThatHangsIsKilledWithAllThatItHasStarted() throws Exception {
        ExecPlugin plugin = plugin(
                "echo $$ > " + folder.resolve("pid") + "\necho waiting for a login >&2\nsleep 300 &\nwait",
                Duration.ofMillis(1500));
        IOException e = assertThrows(IOException.class, plugin::authorization);
        assertEquals(name() + ": timed out after 1500 ms and was killed: waiting for a login", e.getMessage());
        long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        ProcessHandle.of(pid).ifPresent(left -> left.onExit().join());
        assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void oneThatIsNotThereIsNamedWithTheHint() {
        ExecPlugin plugin = new ExecPlugin(
                new ExecPlugin.Program(
                        folder.resolve("absent").toString(), List.of(), Map.of(), VERSION, "install\nit", ""),
                LONG,
                time);
        String message = String.valueOf(
                assertThrows(IOException.class, plugin::authorization).getMessage());
        assertTrue(message.startsWith("exec plugin " + folder.resolve("absent") + ": cannot be started: "), message);
        assertTrue(message.endsWith("; install it"), message);
        assertEquals(1, message.lines().count());
    }
}
