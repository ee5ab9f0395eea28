package io.policyscheduler.cmd.kube.access;

import io.policyscheduler.cmd.kube.ApiIoException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Where certificates or a key come from. Data takes precedence over a file; with neither there is nothing.
 *
 * @param data in base64, as in a kubeconfig; empty for none
 * @param file read anew each time, for somebody may replace it; null for none
 */
public record PemSource(String data, @Nullable Path file) {
    static final PemSource NOTHING = new PemSource("", null);

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
            return Files.readString(file, StandardCharsets.ISO_8859_1);
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
