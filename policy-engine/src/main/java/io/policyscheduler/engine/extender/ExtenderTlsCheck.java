package io.policyscheduler.engine.extender;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks at start-up that the TLS material of an extender can be used, mirrors client-go's {@code TLSConfigFor}. */
public final class ExtenderTlsCheck {
    private ExtenderTlsCheck() {}

    /** The text with which v1.17 refuses the extender, null if its client can be built. */
    public static @Nullable String problem(ExtenderConfig extender) {
        ExtenderTls tls = extender.tlsConfig();
        if (tls == null) {
            return null;
        }
        boolean hasCa = !tls.caFile().isEmpty() || !tls.caData().isEmpty();
        boolean hasCertificate = !tls.certFile().isEmpty() || !tls.certData().isEmpty();
        boolean hasKey = !tls.keyFile().isEmpty() || !tls.keyData().isEmpty();
        boolean insecure = tls.insecure() || (extender.enableHttps() && !hasCa);
        boolean used = hasCa
                || (hasCertificate && hasKey)
                || insecure
                || !tls.serverName().isEmpty();
        if (!used) {
            return null;
        }
        if (hasCa && insecure) {
            return "specifying a root certificates file with the insecure flag is not allowed";
        }
        try {
            load(tls.caData(), tls.caFile());
            String certificate = load(tls.certData(), tls.certFile());
            String key = load(tls.keyData(), tls.keyFile());
            if (hasCertificate && hasKey) {
                return pairProblem(certificate, key);
            }
            return null;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static @Nullable String pairProblem(String certificate, String key) {
        if (!certificate.contains("-----BEGIN CERTIFICATE-----")) {
            return "tls: failed to find any PEM data in certificate input";
        }
        return key.contains("PRIVATE KEY-----") ? null : "tls: failed to find any PEM data in key input";
    }

    private static String load(String data, String file) throws IOException {
        if (!data.isEmpty()) {
            return new String(ExtenderTls.decode(data), StandardCharsets.UTF_8);
        }
        if (file.isEmpty()) {
            return "";
        }
        if (new File(file).isDirectory()) {
            throw new IOException("read " + file + ": is a directory");
        }
        try {
            return Files.readString(Path.of(file), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IOException("open " + file + ": no such file or directory", e);
        } catch (AccessDeniedException e) {
            throw new IOException("open " + file + ": permission denied", e);
        }
    }
}
