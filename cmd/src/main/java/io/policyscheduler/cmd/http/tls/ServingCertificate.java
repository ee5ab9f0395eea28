package io.policyscheduler.cmd.http.tls;

import io.policyscheduler.cmd.kube.connection.ClientTls.CertificateAndKey;
import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate that is presented to clients. Its files are read again when a connection comes in, at most once a second; while
 * they are missing or do not belong together, what was read last is presented. Thread-safe.
 */
final class ServingCertificate {
    private static final Logger LOG = LoggerFactory.getLogger(ServingCertificate.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final @Nullable CertificateFiles files;
    private final LongSupplier nanos;
    private CertificateAndKey current;
    private long readAt;
    private String trouble = "";

    /** One that does not change. */
    ServingCertificate(CertificateAndKey certificate) {
        this.files = null;
        this.nanos = () -> 0;
        this.current = certificate;
    }

    /**
     * One from files.
     *
     * @param nanos a clock that only runs forward, as {@link System#nanoTime}
     * @throws IOException when they cannot be read; the message is one line with the file
     */
    ServingCertificate(CertificateFiles files, LongSupplier nanos) throws IOException {
        this.files = files;
        this.nanos = nanos;
        this.current = files.read();
        this.readAt = nanos.getAsLong();
    }

    /** What to present now. */
    synchronized CertificateAndKey current() {
        long now = nanos.getAsLong();
        if (files != null && now - readAt >= PAUSE.toNanos()) {
            readAt = now;
            read(files);
        }
        return current;
    }

    private void read(CertificateFiles from) {
        try {
            CertificateAndKey read = from.read();
            if (!read.chain().equals(current.chain())) {
                LOG.info(
                        "reloaded the serving certificate from {}: {}, valid until {}",
                        from.certificate(),
                        read,
                        read.chain().get(0).getNotAfter().toInstant());
            }
            current = read;
            trouble = "";
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(trouble)) {
                LOG.warn("cannot reload the serving certificate, using the previous one: {}", message);
            }
            trouble = message;
        }
    }

    /** True when it is meant for a host name that a client has asked for. */
    boolean isFor(String host) {
        CertificateAndKey certificate = current();
        return files != null && !files.domains().isEmpty()
                ? HostPatterns.anyMatches(files.domains(), host)
                : HostPatterns.anyMatches(HostPatterns.of(certificate.chain().get(0)), host);
    }
}
