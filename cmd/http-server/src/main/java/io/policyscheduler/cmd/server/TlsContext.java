package io.policyscheduler.cmd.server;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateFiles;
import io.policyscheduler.cmd.server.ServingCertificate.Keys;
import io.policyscheduler.cmd.server.WebServer.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Creates the TLS context of a server from its settings. */
public final class TlsContext {
    /** In ascending order; the setting is the lowest allowed version. */
    private static final ImmutableList<String> VERSIONS = ImmutableList.of("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3");

    private static final String VERSION_PREFIX = "VersionTLS1";
    private static final int USUAL_VERSION = 2;

    private TlsContext() {}

    /**
     * The TLS settings of a server. Files are read again when they change.
     *
     * @param clock sets the start of validity of a self-signed certificate
     * @throws IOException if a file cannot be read or written, or if a cipher or version is unknown; the message is one line
     */
    public static Tls of(Settings settings, Clock clock) throws IOException {
        SecureRandom random = new SecureRandom();
        List<String> protocols = protocols(settings.minVersion());
        ImmutableList.Builder<ServingCertificate> named = ImmutableList.builder();
        for (CertificateFiles files : sniCertificates(settings)) {
            named.add(new ServingCertificate(files, System::nanoTime));
        }
        Keys keys = new Keys(usual(settings, clock, random), named.build());
        SSLContext context = context(keys, random);
        return new Tls(context, protocols, ciphers(settings.cipherSuites(), context));
    }

    /** A context with these keys that accepts all clients. */
    static SSLContext context(Keys keys, SecureRandom random) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, new TrustManager[] {new AcceptAllTrustManager()}, random);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("tls: " + e.getMessage(), e);
        }
    }

    private static List<CertificateFiles> sniCertificates(Settings settings) throws IOException {
        ImmutableList.Builder<CertificateFiles> files = ImmutableList.builder();
        for (String text : settings.sniCertKeys()) {
            try {
                files.add(CertificateFiles.parse(text));
            } catch (IllegalArgumentException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        return files.build();
    }

    private static ServingCertificate usual(Settings settings, Clock clock, SecureRandom random) throws IOException {
        Path certificate = settings.certFile();
        Path key = settings.keyFile();
        if (certificate != null && key != null) {
            return new ServingCertificate(new CertificateFiles(certificate, key, List.of()), System::nanoTime);
        }
        if (certificate != null || key != null) {
            throw new IOException("a certificate and its key are required together, but only one is set: "
                    + Objects.requireNonNullElse(certificate, key));
        }
        return settings.certDir() != null
                ? new ServingCertificate(SelfSigned.inFolder(settings.certDir(), clock, random), System::nanoTime)
                : new ServingCertificate(SelfSigned.create(clock, random));
    }

    /**
     * The protocols from a minimum version on.
     *
     * @throws IOException if the version is unknown
     */
    static List<String> protocols(String minVersion) throws IOException {
        int first = USUAL_VERSION;
        if (!minVersion.isEmpty()) {
            String minor = minVersion.startsWith(VERSION_PREFIX) ? minVersion.substring(VERSION_PREFIX.length()) : "";
            first = "0123".indexOf(minor);
            if (minor.length() != 1 || first < 0) {
                throw new IOException("unknown tls version \"" + minVersion
                        + "\"; known are VersionTLS10, VersionTLS11, VersionTLS12 and VersionTLS13");
            }
        }
        return VERSIONS.subList(first, VERSIONS.size());
    }

    private static List<String> ciphers(List<String> names, SSLContext context) throws IOException {
        Set<String> known =
                new TreeSet<>(Arrays.asList(context.getSupportedSSLParameters().getCipherSuites()));
        ImmutableList.Builder<String> ciphers = ImmutableList.builder();
        for (String name : names) {
            // Go has other names for two of them.
            String standard = name.endsWith("_CHACHA20_POLY1305") ? name + "_SHA256" : name;
            if (!known.contains(standard)) {
                throw new IOException("Cipher suite " + name + " not supported or doesn't exist; known are "
                        + String.join(", ", known));
            }
            ciphers.add(standard);
        }
        return ciphers.build();
    }

    /** The handshake accepts all client certificates; they are verified with the request. */
    private static final class AcceptAllTrustManager extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            // with the request
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket) {
            // with the request
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine) {
            // with the request
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            throw new IllegalStateException("no client");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket) {
            throw new IllegalStateException("no client");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine) {
            throw new IllegalStateException("no client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /**
     * Certificates and protocols.
     *
     * @param certFile certificate chain, PEM; null for a self-signed one
     * @param keyFile its private key, PEM; null for none
     * @param certDir folder of a self-signed one; null for in memory
     * @param sniCertKeys additional certificates, each {@code CERT,KEY} or {@code CERT,KEY:NAME,...}
     * @param cipherSuites Go names; empty for the default of the JVM
     * @param minVersion {@code VersionTLS10} to {@code VersionTLS13}; empty for the default of the JVM
     */
    public record Settings(
            @Nullable Path certFile,
            @Nullable Path keyFile,
            @Nullable Path certDir,
            List<String> sniCertKeys,
            List<String> cipherSuites,
            String minVersion) {
        public Settings {
            sniCertKeys = ImmutableList.copyOf(sniCertKeys);
            cipherSuites = ImmutableList.copyOf(cipherSuites);
        }
    }
}
