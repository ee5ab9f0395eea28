package io.policyscheduler.cmd.kube.access;

import java.nio.charset.StandardCharsets;

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
