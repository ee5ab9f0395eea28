package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import java.io.IOException;
import java.time.Duration;
import javax.net.ssl.HostnameVerifier;
import okhttp3.OkHttpClient;

/** HTTP clients for extenders: one a config, with its timeout, its TLS and a connection pool of its own. */
public final class ExtenderClients {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    private ExtenderClients() {}

    /**
     * A client.
     *
     * @param strictV117 trust any certificate where TLS is enabled without a CA, as v1.17; otherwise the system's roots decide
     * @throws IOException when the TLS material cannot be used
     */
    public static OkHttpClient client(ExtenderConfig config, boolean strictV117) throws IOException {
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .callTimeout(timeout(config.httpTimeoutNanos()))
                .connectTimeout(CONNECT_TIMEOUT)
                .readTimeout(Duration.ZERO)
                .writeTimeout(Duration.ZERO);
        ExtenderTls tls = config.tlsConfig();
        boolean trustAll = strictV117
                && config.enableHttps()
                && (tls == null || (tls.caFile().isEmpty() && tls.caData().isEmpty()));
        if (tls == null && !trustAll) {
            return builder.build();
        }
        TlsMaterial material = TlsMaterial.of(tls, trustAll);
        builder.sslSocketFactory(material.sockets(), material.trust());
        if (material.trustsAll()) {
            builder.hostnameVerifier((host, session) -> true);
        } else if (!material.serverName().isEmpty()) {
            HostnameVerifier standard = builder.build().hostnameVerifier();
            builder.hostnameVerifier((host, session) -> standard.verify(material.serverName(), session));
        }
        return builder.build();
    }

    private static Duration timeout(long nanos) {
        if (nanos == 0) {
            return DEFAULT_TIMEOUT;
        }
        // Zero means no limit to the client, which counts whole milliseconds.
        return nanos < 0
                ? Duration.ZERO
                : Duration.ofMillis(Math.min(Math.max(1, nanos / 1_000_000), Integer.MAX_VALUE));
    }

    /** Makes the HTTP client of an extender; {@link ExtenderClients#client} in production. */
    @FunctionalInterface
    public interface ExtenderClientSource {
        /**
         * A client.
         *
         * @param strictV117 trust whom v1.17 trusts
         * @throws IOException when the TLS material cannot be used
         */
        OkHttpClient client(ExtenderConfig config, boolean strictV117) throws IOException;
    }
}
