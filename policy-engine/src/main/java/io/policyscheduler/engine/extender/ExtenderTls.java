package io.policyscheduler.engine.extender;

import com.google.common.io.BaseEncoding;

/**
 * TLS settings of an extender. Data wins over a file of the same kind; empty strings and empty data mean not given.
 *
 * @param certData PEM in base64, as in the file
 * @param keyData PEM in base64, as in the file
 * @param caData PEM in base64, as in the file
 */
public record ExtenderTls(
        boolean insecure,
        String serverName,
        String certFile,
        String keyFile,
        String caFile,
        String certData,
        String keyData,
        String caData) {

    /** The decoded bytes of one of the data fields; the reader has checked the encoding. */
    public static byte[] decode(String base64) {
        return BaseEncoding.base64().decode(base64.replace("\n", "").replace("\r", ""));
    }

    /** Does not show the key. */
    @Override
    public String toString() {
        return "ExtenderTls[insecure=" + insecure + ", serverName=" + serverName + ", certFile=" + certFile
                + ", keyFile=" + keyFile + ", caFile=" + caFile + "]";
    }
}
