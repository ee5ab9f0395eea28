package io.policyscheduler.cmd.kube.connection;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.Authentication;
import io.policyscheduler.cmd.kube.connection.ClientTls.ClientCertificate;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.function.LongSupplier;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The credentials of a client: an {@link Authentication} of client-java that adds the header {@code Authorization} to each request.
 * Unlike those of client-java, it sees the status of the response. Thread-safe.
 */
public interface Credentials extends Authentication, Interceptor {
    /** No credentials, or only those of a client certificate of the configuration. */
    Credentials NONE = () -> "";

    /**
     * Returns the value of the header {@code Authorization}; empty for none. Can wait, for example for an exec plugin.
     *
     * @throws IOException if there are no credentials; the message is one line
     */
    String authorization() throws IOException;

    /** Returns a client certificate that comes with the credentials instead of the configuration; null for none. */
    default @Nullable ClientCertificate certificate() throws IOException {
        return null;
    }

    /** The server responded with 401 to a request with this header. */
    default void refused(String authorization) {}

    @Override
    default void provide(ApiClient client) {
        client.setHttpClient(
                client.getHttpClient().newBuilder().addInterceptor(this).build());
    }

    @Override
    default Response intercept(Interceptor.Chain chain) throws IOException {
        String authorization = authorization();
        Request request = chain.request();
        Response response = chain.proceed(
                authorization.isEmpty()
                        ? request
                        : request.newBuilder()
                                .header("Authorization", authorization)
                                .build());
        if (response.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            refused(authorization);
        }
        return response;
    }

    /** Returns the credentials of a token that does not change. */
    static Credentials token(String token) {
        return () -> "Bearer " + token;
    }

    /** Returns the credentials of a user name and a password. */
    static Credentials basic(String username, String password) {
        String pair = username + ":" + password;
        String header = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        return () -> header;
    }

    /** Tokens of a kubeconfig's {@code auth-provider} (oidc, gcp), requested from client-java every five minutes and after a 401. */
    static final class AuthProvider implements Credentials {
        private static final long PERIOD = Duration.ofMinutes(5).toNanos();

        private final KubeConfig config;
        private final LongSupplier nanos;
        private @Nullable String token;
        private long requestedAt;

        /** @param nanos such as {@link System#nanoTime} */
        AuthProvider(KubeConfig config, LongSupplier nanos) {
            this.config = config;
            this.nanos = nanos;
        }

        @Override
        public synchronized String authorization() throws IOException {
            if (token == null || nanos.getAsLong() - requestedAt >= PERIOD) {
                token = ask();
                requestedAt = nanos.getAsLong();
            }
            return "Bearer " + token;
        }

        private String ask() throws IOException {
            @Nullable Map<String, String> credentials;
            try {
                credentials = config.getCredentials();
            } catch (RuntimeException e) {
                throw new IOException("auth-provider: " + ApiIoException.describe(e), e);
            }
            String found = credentials == null ? null : credentials.get(KubeConfig.CRED_TOKEN_KEY);
            if (found == null || found.isEmpty()) {
                throw new IOException("auth-provider: returned no token");
            }
            return found;
        }

        @Override
        public synchronized void refused(String authorization) {
            if (authorization.equals("Bearer " + token)) {
                token = null;
            }
        }
    }

    /**
     * A token in a file that another process replaces, such as the kubelet. Read every ten seconds (client-go: every minute) and after a
     * 401. While the file is unreadable or empty, the last token stays valid.
     */
    static final class TokenFile implements Credentials {
        private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
        private static final long PERIOD = Duration.ofSeconds(10).toNanos();

        private final Path file;
        private final LongSupplier nanos;
        private String token = "";
        private long readAt;

        /** @param nanos such as {@link System#nanoTime} */
        TokenFile(Path file, LongSupplier nanos) {
            this.file = file;
            this.nanos = nanos;
        }

        @Override
        public synchronized String authorization() throws IOException {
            if (token.isEmpty() || nanos.getAsLong() - readAt >= PERIOD) {
                read();
            }
            return "Bearer " + token;
        }

        private void read() throws IOException {
            readAt = nanos.getAsLong();
            try {
                String found = TextInput.decode(TextInput.read(file)).strip();
                if (found.isEmpty()) {
                    throw new IOException("is empty");
                }
                token = found;
            } catch (IOException e) {
                if (token.isEmpty()) {
                    throw new IOException("token file " + file + ": " + ApiIoException.describe(e), e);
                }
                LOG.debug("cannot read token file {}, using the previous token", file, e);
            }
        }

        @Override
        public synchronized void refused(String authorization) {
            if (authorization.equals("Bearer " + token)) {
                readAt = nanos.getAsLong() - PERIOD;
            }
        }
    }
}
