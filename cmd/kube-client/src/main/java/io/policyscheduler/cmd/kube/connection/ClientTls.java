package io.policyscheduler.cmd.kube.connection;

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
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What TLS is made of at one moment. Two that are equal make the same connections.
 *
 * @param authorities in PEM; empty for those that the Java machine trusts
 * @param certificate the client's; null for none
 */
public record ClientTls(
        String authorities, @Nullable ClientCertificate certificate, boolean verify, String serverName) {
    /**
     * Reads what is configured.
     *
     * @throws IOException when something cannot be read; the message is one line
     */
    public static ClientTls of(ClientConfig access) throws IOException {
        ClientConfig.TlsFiles files = access.tls();
        ClientCertificate given = access.credentials().certificate();
        if (given == null && files.certificate().isGiven()) {
            given = new ClientCertificate(
                    files.certificate().read(), files.key().read());
        }
        return new ClientTls(files.authorities().read(), given, files.verify(), files.serverName());
    }

    /**
     * Has a client use it.
     *
     * @throws IOException when the parts are not what they should be; the message is one line
     */
    public void apply(OkHttpClient.Builder builder) throws IOException {
        try {
            X509TrustManager trust = !verify ? new Anybody() : trust();
            KeyManager @Nullable [] keys = certificate == null
                    ? null
                    : Keys.keyManagers(certificate.certificateBytes(), certificate.keyBytes());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {trust}, null);
            SSLSocketFactory sockets = context.getSocketFactory();
            builder.sslSocketFactory(serverName.isEmpty() ? sockets : new SniSockets(sockets, serverName), trust);
        } catch (GeneralSecurityException e) {
            throw new IOException("tls: " + e.getMessage(), e);
        }
        if (!verify) {
            builder.hostnameVerifier((host, session) -> true);
        } else if (!serverName.isEmpty()) {
            HostnameVerifier standard = new OkHttpClient().hostnameVerifier();
            builder.hostnameVerifier((host, session) -> standard.verify(serverName, session));
        }
    }

    private X509TrustManager trust() throws GeneralSecurityException, IOException {
        KeyStore store = null;
        if (!authorities.isEmpty()) {
            store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            byte[] pem = authorities.getBytes(StandardCharsets.ISO_8859_1);
            int count = 0;
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
                store.setCertificateEntry("ca" + count++, each);
            }
            if (count == 0) {
                throw new IOException("tls: the CA data contains no certificate");
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager trust) {
                return trust;
            }
        }
        throw new GeneralSecurityException("no X.509 trust manager");
    }

    /** For {@code insecure-skip-tls-verify}. */
    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            // as configured
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            // as configured
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /**
     * A client certificate and its key.
     *
     * @param certificate in PEM, perhaps with intermediate ones
     * @param key in PEM
     */
    record ClientCertificate(String certificate, String key) {
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
     * Where certificates or a key come from. Data takes precedence over a file; with neither there is nothing.
     *
     * @param data in base64, as in a kubeconfig; empty for none
     * @param file read anew each time, for somebody may replace it; null for none
     */
    public record Pem(String data, @Nullable Path file) {
        static final Pem NOTHING = new Pem("", null);

        boolean isGiven() {
            return !data.isEmpty() || file != null;
        }

        /** The text in PEM; empty when there is nothing. */
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

    /** Client certificates in PEM, as kubeconfig files and extenders' TLS settings hold them. */
    public static final class Keys {
        private Keys() {}

        /**
         * Key managers that present the certificate.
         *
         * @throws IOException when the two cannot be read or do not belong together; the message is one line
         */
        public static KeyManager[] keyManagers(byte[] certificate, byte[] key) throws IOException {
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
