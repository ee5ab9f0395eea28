package io.policyscheduler.cmd.kube.access;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** Client certificates in PEM, as kubeconfig files and extenders' TLS settings hold them. */
public final class ClientKeys {
    private ClientKeys() {}

    /**
     * Key managers that present the certificate.
     *
     * @throws IOException when the two cannot be read or do not belong together; the message is one line
     */
    public static KeyManager[] keyManagers(byte[] certificate, byte[] key) throws IOException {
        KeyedCertificate read = KeyedCertificate.read(certificate, key);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setKeyEntry("client", read.key(), new char[0], read.chain().toArray(new Certificate[0]));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException e) {
            throw new IOException("tls: " + e.getMessage(), e);
        }
    }
}
