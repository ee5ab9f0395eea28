package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.cmd.kube.connection.ClientTls.Keys;
import io.policyscheduler.cmd.kube.connection.Transport.SniSockets;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

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

    /**
     * What a client needs for TLS. Mirrors {@code TLSConfigFor} of client-go's {@code rest/transport}.
     *
     * @param sockets makes the connections
     * @param trust decides about the server's certificate
     * @param trustsAll any certificate for any name will do
     * @param serverName the name to verify; empty for that of the URL
     */
    record TlsMaterial(SSLSocketFactory sockets, X509TrustManager trust, boolean trustsAll, String serverName) {

        /**
         * Reads files and decodes data.
         *
         * @param trustAll do not verify, even if the settings do not say so
         */
        static TlsMaterial of(@Nullable ExtenderTls tls, boolean trustAll) throws IOException {
            try {
                byte[] ca = tls == null ? new byte[0] : load(tls.caData(), tls.caFile());
                byte[] certificate = tls == null ? new byte[0] : load(tls.certData(), tls.certFile());
                byte[] key = tls == null ? new byte[0] : load(tls.keyData(), tls.keyFile());
                boolean insecure = trustAll || (tls != null && tls.insecure());
                boolean ownCa =
                        tls != null && !(tls.caData().isEmpty() && tls.caFile().isEmpty());
                X509TrustManager trust = insecure ? new Fixed(true) : ownCa ? pool(ca) : system(null);
                KeyManager @Nullable [] keys =
                        certificate.length == 0 || key.length == 0 ? null : Keys.keyManagers(certificate, key);
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(keys, new TrustManager[] {trust}, null);
                String serverName = tls == null ? "" : tls.serverName();
                SSLSocketFactory sockets = context.getSocketFactory();
                return new TlsMaterial(
                        serverName.isEmpty() ? sockets : new SniSockets(sockets, serverName),
                        trust,
                        insecure,
                        serverName);
            } catch (GeneralSecurityException e) {
                throw new IOException("tls: " + e.getMessage(), e);
            }
        }

        private static byte[] load(String data, String file) throws IOException {
            if (!data.isEmpty()) {
                return ExtenderTls.decode(data);
            }
            return file.isEmpty() ? new byte[0] : TextInput.read(Path.of(file));
        }

        private static X509TrustManager pool(byte[] pem) throws GeneralSecurityException, IOException {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int count = 0;
            // Text without any certificate is a pool that trusts nobody, not an error.
            if (new String(pem, StandardCharsets.ISO_8859_1).contains("-----BEGIN CERTIFICATE-----")) {
                for (Certificate each :
                        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
                    store.setCertificateEntry("ca" + count++, each);
                }
            }
            return count == 0 ? new Fixed(false) : system(store);
        }

        /** @param store the roots, null for those of the system */
        private static X509TrustManager system(@Nullable KeyStore store) throws GeneralSecurityException {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager trust) {
                    return trust;
                }
            }
            throw new GeneralSecurityException("no X.509 trust manager");
        }

        /** Always the same answer. */
        private static final class Fixed implements X509TrustManager {
            private final boolean trusted;

            Fixed(boolean trusted) {
                this.trusted = trusted;
            }

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
                checkServerTrusted(chain, authType);
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
                if (!trusted) {
                    throw new CertificateException("x509: certificate signed by unknown authority");
                }
            }

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        }
    }
}
