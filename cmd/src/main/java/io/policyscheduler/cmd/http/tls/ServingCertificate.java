package io.policyscheduler.cmd.http.tls;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.connection.ClientTls.CertificateAndKey;
import java.io.IOException;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
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

    /** Host names and {@code *.example.org}, where the star stands for one label. */
    static final class HostPatterns {
        private static final int DNS_NAME = 2;

        private HostPatterns() {}

        /** The DNS names of a certificate. */
        static List<String> of(X509Certificate certificate) {
            ImmutableList.Builder<String> names = ImmutableList.builder();
            try {
                Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
                if (alternatives != null) {
                    alternatives.stream()
                            .filter(name -> Integer.valueOf(DNS_NAME).equals(name.get(0)))
                            .forEach(name -> names.add(String.valueOf(name.get(1))));
                }
            } catch (CertificateParsingException e) {
                return List.of();
            }
            return names.build();
        }

        static boolean anyMatches(Collection<String> patterns, String host) {
            String wanted = host.toLowerCase(Locale.ROOT);
            String parent = "*" + wanted.substring(Math.max(wanted.indexOf('.'), 0));
            return patterns.stream()
                    .map(pattern -> pattern.toLowerCase(Locale.ROOT))
                    .anyMatch(pattern -> pattern.equals(wanted) || (wanted.contains(".") && pattern.equals(parent)));
        }
    }

    /** Presents the certificate that is in effect when a handshake begins, and that is meant for the host asked for. */
    static final class Keys extends X509ExtendedKeyManager {
        /** Handshakes may be under way with an earlier one when a certificate is replaced. */
        private static final int REMEMBERED = 16;

        private final ServingCertificate usual;
        private final List<ServingCertificate> named;
        private final Map<String, CertificateAndKey> byAlias = new LinkedHashMap<>();
        private long count;

        /** @param named asked first, in this order */
        Keys(ServingCertificate usual, List<ServingCertificate> named) {
            this.usual = usual;
            this.named = ImmutableList.copyOf(named);
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            CertificateAndKey chosen = chosen(engine);
            return chosen.key().getAlgorithm().equals(keyType) ? aliasOf(chosen) : null;
        }

        private CertificateAndKey chosen(@Nullable SSLEngine engine) {
            if (engine != null && engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
                List<String> hosts = session.getRequestedServerNames().stream()
                        .filter(SNIHostName.class::isInstance)
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .toList();
                for (ServingCertificate certificate : named) {
                    if (hosts.stream().anyMatch(certificate::isFor)) {
                        return certificate.current();
                    }
                }
            }
            return usual.current();
        }

        private synchronized String aliasOf(CertificateAndKey certificate) {
            for (Map.Entry<String, CertificateAndKey> known : byAlias.entrySet()) {
                if (known.getValue().equals(certificate)) {
                    return known.getKey();
                }
            }
            if (byAlias.size() >= REMEMBERED) {
                byAlias.remove(byAlias.keySet().iterator().next());
            }
            String alias = "serving-" + ++count;
            byAlias.put(alias, certificate);
            return alias;
        }

        @Override
        public synchronized X509Certificate @Nullable [] getCertificateChain(String alias) {
            CertificateAndKey certificate = byAlias.get(alias);
            return certificate == null ? null : certificate.chain().toArray(new X509Certificate[0]);
        }

        @Override
        public synchronized @Nullable PrivateKey getPrivateKey(String alias) {
            CertificateAndKey certificate = byAlias.get(alias);
            return certificate == null ? null : certificate.key();
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }
}
