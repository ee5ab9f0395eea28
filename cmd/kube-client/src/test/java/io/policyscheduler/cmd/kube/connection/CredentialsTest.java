package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.authenticators.Authenticator;
import io.policyscheduler.cmd.kube.connection.Credentials.AuthProvider;
import io.policyscheduler.cmd.kube.connection.Credentials.TokenFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsTest {
    private final Path file;
    private final VirtualTime time = new VirtualTime();
    private final TokenFile token;

    CredentialsTest(@TempDir Path folder) {
        file = folder.resolve("token");
        token = new TokenFile(file, time.ticker()::read);
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    @Test
    void aTokenFileIsReadAgainAfterTenSecondsAndAfterARefusal() throws IOException {
        write("one\n");
        assertEquals("Bearer one", token.authorization());
        write("two");
        assertEquals("Bearer one", token.authorization());
        time.advance(Duration.ofSeconds(10));
        assertEquals("Bearer two", token.authorization());
        write("three");
        token.refused("Bearer one");
        assertEquals("Bearer two", token.authorization(), "what was refused is not what counts now");
        token.refused("Bearer two");
        assertEquals("Bearer three", token.authorization());
    }

    @Test
    void theLastTokenOfAFileStaysWhileThereIsNoOther() throws IOException {
        IOException e = assertThrows(IOException.class, token::authorization);
        assertEquals("token file " + file + ": no such file", e.getMessage());
        write("one");
        assertEquals("Bearer one", token.authorization());
        write("");
        time.advance(Duration.ofSeconds(10));
        assertEquals("Bearer one", token.authorization());
        Files.delete(file);
        time.advance(Duration.ofSeconds(10));
        assertEquals("Bearer one", token.authorization());
    }

    /** The n-th refresh returns the token n. */
    private static final class Counting implements Authenticator {
        private int refreshes;

        @Override
        public String getName() {
            return "counting";
        }

        @Override
        public String getToken(Map<String, Object> config) {
            return config.get("prefix") + String.valueOf(refreshes);
        }

        @Override
        public boolean isExpired(Map<String, Object> config) {
            return true;
        }

        @Override
        public Map<String, Object> refresh(Map<String, Object> config) {
            refreshes++;
            return config;
        }
    }

    private Path kubeconfig(String authProvider) throws IOException {
        return Files.writeString(file.resolveSibling("config"), """
                current-context: one
                contexts: [{name: one, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "https://api.example"}}]
                users: [{name: u, user: {auth-provider: {name: %s, config: {prefix: t}}}}]
                """.formatted(authProvider));
    }

    @Test
    void anAuthProviderIsAskedAgainAfterFiveMinutesAndAfterARefusal() throws IOException {
        KubeConfig.registerAuthenticator(new Counting());
        KubeConfig config = KubeConfig.loadKubeConfig(new StringReader(Files.readString(kubeconfig("counting"))));
        AuthProvider provider = new AuthProvider(config, time.ticker()::read);
        assertEquals("Bearer t1", provider.authorization());
        time.advance(Duration.ofMinutes(4));
        assertEquals("Bearer t1", provider.authorization());
        time.advance(Duration.ofMinutes(1));
        assertEquals("Bearer t2", provider.authorization());
        provider.refused("Bearer t1");
        assertEquals("Bearer t2", provider.authorization());
        provider.refused("Bearer t2");
        assertEquals("Bearer t3", provider.authorization());
    }

    @Test
    void theAuthProviderOfAKubeconfigIsUsed() throws IOException {
        KubeConfig.registerAuthenticator(new Counting());
        ClientConfigLoader loader = new ClientConfigLoader(Map.of(), file.resolveSibling("home"), file);
        assertEquals(
                "Bearer t1",
                loader.kubeconfig(List.of(kubeconfig("counting")), null)
                        .credentials()
                        .authorization());
        Credentials unknown =
                loader.kubeconfig(List.of(kubeconfig("unknown")), null).credentials();
        assertEquals(
                "auth-provider: returned no token",
                assertThrows(IOException.class, unknown::authorization).getMessage());
    }
}
