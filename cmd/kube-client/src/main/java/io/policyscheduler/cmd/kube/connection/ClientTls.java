package io.policyscheduler.cmd.kube.connection;

import io.kubernetes.client.openapi.ApiClient;
import io.policyscheduler.cmd.kube.connection.ClientConfigLoader.ClientConfig;
import io.policyscheduler.cmd.kube.connection.Transport.SniSockets;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.engine.document.TextInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Base64;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of a client at one moment, for {@link ApiClient}. Two that are equal make the same connections.
 *
 * @param authorities in PEM; empty for those that the JVM trusts
 * @param certificate of the client; null for none
 * @param verify whether the certificate of the server is verified
 * @param serverName the name to verify and to send as SNI; empty for that of the URL
 */
public record ClientTls(
        String authorities, @Nullable ClientCertificate certificate, boolean verify, String serverName) {
    /**
     * Reads the files of a configuration.
     *
     * @throws IOException if a file cannot be read; the message is one line
     */
    static ClientTls of(ClientConfig access) throws IOException {
        ClientConfig.TlsFiles files = access.tls();
        ClientCertificate given = access.credentials().certificate();
        if (given == null && files.certificate().isGiven()) {
            given = new ClientCertificate(
                    files.certificate().read(), files.key().read());
        }
        return new ClientTls(files.authorities().read(), given, files.verify(), files.serverName());
    }

    /**
     * Returns an HTTP client that differs from another one in these settings.
     *
     * @throws IOException if the PEM has no certificate, or key and certificate do not match; the message is one line
     */
    public OkHttpClient applyTo(OkHttpClient http) throws IOException {
        return apiClient(http).getHttpClient();
    }

    /** As {@link #applyTo}, as an API client. */
    ApiClient apiClient(OkHttpClient http) throws IOException {
        ApiClient client = new TlsApiClient(http, this);
        if (!serverName.isEmpty()) {
            OkHttpClient verifying = client.getHttpClient();
            client.setHttpClient(verifying
                    .newBuilder()
                    .sslSocketFactory(
                            new SniSockets(verifying.sslSocketFactory(), serverName),
                            Objects.requireNonNull(verifying.x509TrustManager()))
                    .build());
        }
        return client;
    }

    /**
     * An API client that applies all TLS settings at once. Each setter of {@link ApiClient}, and thus {@code ClientBuilder}, applies
     * all of them again, and reads the certificates that the JVM trusts each time.
     */
    private static final class TlsApiClient extends ApiClient {
        TlsApiClient(OkHttpClient http, ClientTls tls) throws IOException {
            super(http);
            ClientCertificate certificate = tls.certificate();
            if (certificate != null) {
                keyManagers = Keys.keyManagers(certificate.certificateBytes(), certificate.keyBytes());
            }
            if (!tls.authorities().isEmpty()) {
                sslCaCert = new ByteArrayInputStream(tls.authorities().getBytes(StandardCharsets.ISO_8859_1));
            }
            verifyingSsl = tls.verify();
            tlsServerName = tls.serverName();
            try {
                applySslSettings();
            } catch (IllegalArgumentException e) {
                throw new IOException("tls: the CA data contains no certificate", e);
            } catch (RuntimeException e) {
                Throwable reason = e.getCause() instanceof GeneralSecurityException cause ? cause : e;
                throw new IOException("tls: " + reason.getMessage(), e);
            }
        }
    }

    /**
     * A client certificate and its key.
     *
     * @param certificate in PEM, perhaps with intermediate ones
     * @param key in PEM
     */
    public record ClientCertificate(String certificate, String key) {
        /** Returns that the certificate has expired, as the end of a message; empty otherwise. */
        String expiry() {
            try {
                CertificateAndKey.read(certificateBytes(), keyBytes())
                        .chain()
                        .get(0)
                        .checkValidity();
                return "";
            } catch (CertificateExpiredException e) {
                return "; the client certificate has expired (" + e.getMessage() + "): renew it";
            } catch (IOException | CertificateNotYetValidException e) {
                return "";
            }
        }

        byte[] certificateBytes() {
            return certificate.getBytes(StandardCharsets.ISO_8859_1);
        }

        byte[] keyBytes() {
            return key.getBytes(StandardCharsets.ISO_8859_1);
        }

        /** Without the key. */
        @Override
        public String toString() {
            return "a client certificate";
        }
    }

    /**
     * The source of certificates or of a key. Data takes precedence over a file.
     *
     * @param data in base64, as in a kubeconfig; empty for none
     * @param file read each time, because it can be replaced; null for none
     */
    record Pem(String data, @Nullable Path file) {
        static final Pem NOTHING = new Pem("", null);

        boolean isGiven() {
            return !data.isEmpty() || file != null;
        }

        /** The text in PEM; empty for none. */
        String read() throws IOException {
            if (!data.isEmpty()) {
                try {
                    return new String(Base64.getMimeDecoder().decode(data), StandardCharsets.ISO_8859_1);
                } catch (IllegalArgumentException e) {
                    throw new IOException("certificate data is not base64: " + e.getMessage(), e);
                }
            }
            if (file == null) {
                return "";
            }
            try {
                return new String(TextInput.read(file), StandardCharsets.ISO_8859_1);
            } catch (IOException e) {
                throw new IOException(file + ": " + ApiIoException.describe(e), e);
            }
        }

        /** Without the data, which may be a key. */
        @Override
        public String toString() {
            return data.isEmpty() ? String.valueOf(file) : "data";
        }
    }

    /** Parses client certificates in PEM, as in kubeconfig files and in TLS settings of extenders. */
    static final class Keys {
        private Keys() {}

        /**
         * Key managers that present the certificate.
         *
         * @throws IOException if they cannot be read, or certificate and key do not match; the message is one line
         */
        static KeyManager[] keyManagers(byte[] certificate, byte[] key) throws IOException {
            CertificateAndKey read = CertificateAndKey.read(certificate, key);
            try {
                KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
                store.load(null, null);
                store.setKeyEntry(
                        "client", read.key(), new char[0], read.chain().toArray(new Certificate[0]));
                KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                factory.init(store, new char[0]);
                return factory.getKeyManagers();
            } catch (GeneralSecurityException e) {
                throw new IOException("tls: " + e.getMessage(), e);
            }
        }
    }
}
