package io.policyscheduler.cmd.kube.access;

import io.policyscheduler.cmd.kube.ApiIoException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A token in a file that somebody else replaces, such as the kubelet. Read again every ten seconds (client-go: every minute) and
 * after a refusal; while it cannot be read, or is empty, the last token stays.
 */
final class TokenFile implements Credentials {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final long PERIOD = Duration.ofSeconds(10).toNanos();

    private final Path file;
    private final LongSupplier nanos;
    private String token = "";
    private long readAt;

    /** @param nanos such as {@link System#nanoTime} */
    TokenFile(Path file, LongSupplier nanos) {
        this.file = file;
        this.nanos = nanos;
    }

    @Override
    public synchronized String authorization() throws IOException {
        if (token.isEmpty() || nanos.getAsLong() - readAt >= PERIOD) {
            read();
        }
        return "Bearer " + token;
    }

    private void read() throws IOException {
        readAt = nanos.getAsLong();
        try {
            String found = Files.readString(file, StandardCharsets.UTF_8).strip();
            if (found.isEmpty()) {
                throw new IOException("is empty");
            }
            token = found;
        } catch (IOException e) {
            if (token.isEmpty()) {
                throw new IOException("token file " + file + ": " + ApiIoException.describe(e), e);
            }
            LOG.debug("cannot read token file {}, using the previous token", file, e);
        }
    }

    @Override
    public synchronized void refused(String authorization) {
        if (authorization.equals("Bearer " + token)) {
            readAt = nanos.getAsLong() - PERIOD;
        }
    }
}
