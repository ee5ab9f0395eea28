package io.policyscheduler.cmd.http.tls;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.connection.ClientTls.CertificateAndKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * A certificate and its key in two files in PEM.
 *
 * @param domains names for which it is presented, exact or {@code *.example.org}; empty for those that the certificate names
 */
public record CertificateFiles(Path certificate, Path key, List<String> domains) {
    public CertificateFiles {
        domains = ImmutableList.copyOf(domains);
    }

    /**
     * A pair as {@code --tls-sni-cert-key} has it: {@code CERT,KEY} or {@code CERT,KEY:DOMAIN,DOMAIN}.
     *
     * @throws IllegalArgumentException when it is none of these; the message is for users
     */
    public static CertificateFiles parse(String text) {
        int colon = text.lastIndexOf(':');
        String files = colon < 0 ? text : text.substring(0, colon);
        List<String> domains =
                colon < 0 ? List.of() : List.of(text.substring(colon + 1).split(",", -1));
        String[] parts = files.split(",", -1);
        if (parts.length != 2 || parts[0].isEmpty() || parts[1].isEmpty() || domains.contains("")) {
            throw new IllegalArgumentException(
                    "expected comma separated certificate and key file paths, CERT,KEY or CERT,KEY:DOMAIN,..., but got \""
                            + text + "\"");
        }
        return new CertificateFiles(Path.of(parts[0]), Path.of(parts[1]), domains);
    }

    /**
     * Reads both.
     *
     * @throws IOException when one cannot be read, or they do not belong together; the message is one line with the file
     */
    public CertificateAndKey read() throws IOException {
        byte[] certificateBytes = bytes(certificate);
        byte[] keyBytes = bytes(key);
        try {
            return CertificateAndKey.read(certificateBytes, keyBytes);
        } catch (IOException e) {
            throw new IOException(certificate + ", " + key + ": " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException("open " + file + ": no such file or directory", e);
        } catch (IOException e) {
            throw new IOException("read " + file + ": " + e.getMessage(), e);
        }
    }
}
