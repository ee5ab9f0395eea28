package io.policyscheduler.cmd.kube.access;

import io.kubernetes.client.util.SSLUtils;
import java.io.IOException;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;

/** Client certificates in PEM, as kubeconfig files and extenders' TLS settings hold them. */
public final class ClientKeys {
    private ClientKeys() {}

    /**
     * Key managers that present the certificate.
     *
     * @throws IOException when the two cannot be read or do not belong together
     */
    public static KeyManager[] keyManagers(byte[] certificate, byte[] key) throws IOException {
        try {
            return SSLUtils.keyManagers(certificate, key, SSLUtils.recognizePrivateKeyAlgo(key), "", null, null);
        } catch (GeneralSecurityException e) {
            throw new IOException("tls: " + e.getMessage(), e);
        }
    }
}
