package io.policyscheduler.cmd.kube.access;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.KeyManager;
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
    public static ClientTls of(ClusterAccess access) throws IOException {
        ClusterAccess.TlsFiles files = access.tls();
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
                    : ClientKeys.keyManagers(certificate.certificateBytes(), certificate.keyBytes());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {trust}, null);
            SSLSocketFactory sockets = context.getSocketFactory();
            builder.sslSocketFactory(serverName.isEmpty() ? sockets : new NamedSockets(sockets, serverName), trust);
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
}
