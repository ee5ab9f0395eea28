package io.policyscheduler.cmd.server;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
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
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server certificate. Its files are read again when a client connects, at most once a second; while they are missing or do not
 * match, the last valid certificate stays in use. Thread-safe.
 */
public final class ServingCertificate {
    private static final Logger LOG = LoggerFactory.getLogger(ServingCertificate.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final @Nullable CertificateFiles files;
    private final LongSupplier nanos;
    private CertificateAndKey current;
    private long readAt;
    private String trouble = "";

    /** A fixed certificate. */
    ServingCertificate(CertificateAndKey certificate) {
        this.files = null;
        this.nanos = () -> 0;
        this.current = certificate;
    }

    /**
     * A certificate from files.
     *
     * @param nanos a monotonic clock, as {@link System#nanoTime}
     * @throws IOException if they cannot be read; the message is one line with the file
     */
    ServingCertificate(CertificateFiles files, LongSupplier nanos) throws IOException {
        this.files = files;
        this.nanos = nanos;
        this.current = files.read();
        this.readAt = nanos.getAsLong();
    }

    /** The current certificate. */
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

    /** Whether it matches a requested host name. */
    boolean isFor(String host) {
        CertificateAndKey certificate = current();
        return files != null && !files.domains().isEmpty()
                ? HostPatterns.anyMatches(files.domains(), host)
                : HostPatterns.anyMatches(HostPatterns.of(certificate.chain().get(0)), host);
    }

    /** Host names and {@code *.example.org}, where the star matches one label. */
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
            String requested = host.toLowerCase(Locale.ROOT);
            String parent = "*" + requested.substring(Math.max(requested.indexOf('.'), 0));
            return patterns.stream()
                    .map(pattern -> pattern.toLowerCase(Locale.ROOT))
                    .anyMatch(pattern ->
                            pattern.equals(requested) || (requested.contains(".") && pattern.equals(parent)));
        }
    }

    /** Presents the certificate that is current when a handshake starts, and that matches the requested host. */
    static final class Keys extends X509ExtendedKeyManager {
        /** Handshakes with the previous certificate can be running when it is replaced. */
        private static final int REMEMBERED = 16;

        private final ServingCertificate usual;
        private final List<ServingCertificate> named;
        private final Map<String, CertificateAndKey> byAlias = new LinkedHashMap<>();
        private long count;

        /** @param named certificates for host names, in order of precedence */
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

    /**
     * A certificate and its key in two files in PEM.
     *
     * @param domains names for which it is presented, exact or {@code *.example.org}; empty for those in the certificate
     */
    public record CertificateFiles(Path certificate, Path key, List<String> domains) {
        public CertificateFiles {
            domains = ImmutableList.copyOf(domains);
        }

        /**
         * A pair in the syntax of {@code --tls-sni-cert-key}: {@code CERT,KEY} or {@code CERT,KEY:DOMAIN,DOMAIN}.
         *
         * @throws IllegalArgumentException if it is invalid; the message is for users
         */
        public static CertificateFiles parse(String text) {
            int colon = text.lastIndexOf(':');
            String files = colon < 0 ? text : text.substring(0, colon);
            List<String> domains =
                    colon < 0 ? List.of() : List.of(text.substring(colon + 1).split(",", -1));
            String[] parts = files.split(",", -1);
            if (parts.length != 2 || parts[0].isEmpty() || parts[1].isEmpty() || domains.contains("")) {
                throw new IllegalArgumentException(
                        "expected comma separated certificate and key file paths, CERT,KEY or CERT,KEY:DOMAIN,..., but"
                                + " got \""
                                + text + "\"");
            }
            return new CertificateFiles(Path.of(parts[0]), Path.of(parts[1]), domains);
        }

        /**
         * Reads both.
         *
         * @throws IOException if a file cannot be read, or certificate and key do not match; the message is one line with the
         *     file
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

        /** A device file can be endless; a longer file is not a certificate. */
        private static final int MAX_BYTES = 1 << 20;

        private static byte[] bytes(Path file) throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                return in.readNBytes(MAX_BYTES);
            } catch (NoSuchFileException e) {
                throw new IOException("open " + file + ": no such file or directory", e);
            } catch (IOException e) {
                throw new IOException("read " + file + ": " + e.getMessage(), e);
            }
        }
    }

    /**
     * A certificate with its private key.
     *
     * @param chain the certificate first, then its issuers; never empty
     */
    public record CertificateAndKey(PrivateKey key, List<X509Certificate> chain) {
        private static final Map<String, String> SIGNATURES = Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

        public CertificateAndKey {
            chain = ImmutableList.copyOf(chain);
        }

        /**
         * Reads both in PEM; the key as PKCS #1, PKCS #8 or SEC 1.
         *
         * @throws IOException if a file cannot be read, or certificate and key do not match; the message is one line
         */
        public static CertificateAndKey read(byte[] certificate, byte[] key) throws IOException {
            try {
                ImmutableList.Builder<X509Certificate> chain = ImmutableList.builder();
                for (Certificate each : CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(certificate))) {
                    if (each instanceof X509Certificate found) {
                        chain.add(found);
                    }
                }
                if (chain.build().isEmpty()) {
                    throw new IOException("tls: no certificate in PEM");
                }
                CertificateAndKey read = new CertificateAndKey(key(key), chain.build());
                if (!read.isPair()) {
                    throw new IOException("tls: the private key does not match the certificate");
                }
                return read;
            } catch (GeneralSecurityException | RuntimeException e) {
                throw new IOException("tls: " + e.getMessage(), e);
            }
        }

        private static PrivateKey key(byte[] pem) throws IOException {
            try (PEMParser parser = new PEMParser(new StringReader(new String(pem, StandardCharsets.ISO_8859_1)))) {
                // Files of EC keys can begin with parameters.
                for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
                    if (part instanceof PEMKeyPair pair) {
                        return new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
                    }
                    if (part instanceof PrivateKeyInfo info) {
                        return new JcaPEMKeyConverter().getPrivateKey(info);
                    }
                }
            }
            throw new IOException("tls: the private key is missing, encrypted, or not in PEM");
        }

        /** Checks the pair with a signature: while the files are being replaced, they may not match. */
        private boolean isPair() throws GeneralSecurityException {
            if (!SIGNATURES.containsKey(key.getAlgorithm())) {
                return true;
            }
            if (!chain.get(0).getPublicKey().getAlgorithm().equals(key.getAlgorithm())) {
                return false;
            }
            Signature signature = Signature.getInstance(SIGNATURES.get(key.getAlgorithm()));
            signature.initSign(key);
            byte[] signed = signature.sign();
            signature.initVerify(chain.get(0).getPublicKey());
            return signature.verify(signed);
        }

        /** Without the key. */
        @Override
        public String toString() {
            return chain.get(0).getSubjectX500Principal().getName();
        }
    }
}
