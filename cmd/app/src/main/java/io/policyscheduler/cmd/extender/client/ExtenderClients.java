package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.cmd.kube.connection.ClientTls;
import io.policyscheduler.cmd.kube.connection.ClientTls.ClientCertificate;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** HTTP clients for extenders, one per configuration, each with its timeout, TLS settings, and connection pool. */
public final class ExtenderClients {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    private ExtenderClients() {}

    /**
     * A client.
     *
     * @param strictV117 accept any certificate if TLS is enabled without a CA, as in v1.17; otherwise the system's roots are used
     * @throws IOException if the TLS files cannot be used
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
        return secure(builder.build(), tls, trustAll);
    }

    /** Mirrors {@code TLSConfigFor} of client-go's {@code rest/transport}. */
    private static OkHttpClient secure(OkHttpClient http, @Nullable ExtenderTls tls, boolean trustAll)
            throws IOException {
        if (tls == null) {
            return new ClientTls("", null, !trustAll, "").applyTo(http);
        }
        String authorities = load(tls.caData(), tls.caFile());
        String certificate = load(tls.certData(), tls.certFile());
        String key = load(tls.keyData(), tls.keyFile());
        boolean verify = !trustAll && !tls.insecure();
        boolean ownCa = !(tls.caData().isEmpty() && tls.caFile().isEmpty());
        // Go creates an empty certificate pool from such a text, which trusts no certificate.
        boolean trustsNobody = verify && ownCa && !authorities.contains("-----BEGIN CERTIFICATE-----");
        boolean trustsSome = verify && !trustsNobody;
        ClientCertificate client =
                certificate.isEmpty() || key.isEmpty() ? null : new ClientCertificate(certificate, key);
        OkHttpClient secured =
                new ClientTls(trustsSome ? authorities : "", client, trustsSome, tls.serverName()).applyTo(http);
        return trustsNobody
                ? secured.newBuilder()
                        .addNetworkInterceptor(ExtenderClients::trustNobody)
                        .build()
                : secured;
    }

    /** Fails between the handshake and the request. */
    private static Response trustNobody(Interceptor.Chain chain) throws IOException {
        if (chain.request().isHttps()) {
            throw new SSLHandshakeException("x509: certificate signed by unknown authority");
        }
        return chain.proceed(chain.request());
    }

    private static String load(String data, String file) throws IOException {
        byte[] pem = new byte[0];
        if (!data.isEmpty()) {
            pem = ExtenderTls.decode(data);
        } else if (!file.isEmpty()) {
            pem = TextInput.read(Path.of(file));
        }
        return new String(pem, StandardCharsets.ISO_8859_1);
    }

    private static Duration timeout(long nanos) {
        if (nanos == 0) {
            return DEFAULT_TIMEOUT;
        }
        // Zero means no limit for the client, which counts in milliseconds.
        return nanos < 0
                ? Duration.ZERO
                : Duration.ofMillis(Math.min(Math.max(1, nanos / 1_000_000), Integer.MAX_VALUE));
    }

    /** Creates the HTTP client of an extender; {@link ExtenderClients#client} in production. */
    @FunctionalInterface
    public interface ExtenderClientSource {
        /**
         * A client.
         *
         * @param strictV117 trust the same certificates as v1.17
         * @throws IOException if the TLS files cannot be used
         */
        OkHttpClient client(ExtenderConfig config, boolean strictV117) throws IOException;
    }
}
