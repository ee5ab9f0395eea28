package io.policyscheduler.cmd.server;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** A certificate authority for tests. */
public final class TestAuthority {
    private static final Duration DAY = Duration.ofDays(1);
    private static final char[] PASSWORD = "password".toCharArray();

    private final KeyPair pair;
    private final X500Name name;
    private final CertificateAndKey own;
    private long serial;

    public TestAuthority(String name) {
        this.name = new X500Name("CN=" + name);
        this.pair = pair("EC");
        this.own = sign(this.name, pair, Instant.now().plus(DAY), true, List.of(), null);
    }

    /** Returns its certificate in PEM. */
    public String pem() {
        return pem(own.chain().get(0));
    }

    /** Returns the keys of a server or a client with a certificate. */
    public static KeyManager[] keys(CertificateAndKey certificate) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(
                    "own", certificate.key(), PASSWORD, certificate.chain().toArray(X509Certificate[]::new));
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, PASSWORD);
            return managers.getKeyManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a trust manager for its certificates. */
    public TrustManager[] trust() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("authority", own.chain().get(0));
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            return managers.getTrustManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates a client certificate, such as for {@code CN=alice,O=ops}. */
    public CertificateAndKey client(String subject) {
        return client(subject, Instant.now().plus(DAY));
    }

    /** Creates a client certificate that expires. */
    public CertificateAndKey client(String subject, Instant end) {
        return sign(new X500Name(subject), pair("EC"), end, false, List.of(), KeyPurposeId.id_kp_clientAuth);
    }

    /** Creates a server certificate for DNS names, with a key of type RSA or EC. */
    public CertificateAndKey server(String type, String... hosts) {
        return sign(
                new X500Name("CN=" + hosts[0]),
                pair(type),
                Instant.now().plus(DAY),
                false,
                List.of(hosts),
                KeyPurposeId.id_kp_serverAuth);
    }

    /** Returns a server on a free port of 127.0.0.1 with a certificate for a DNS name. It is not started. */
    public HttpsServer https(String host) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(server("EC", host)), null, null);
            HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(context));
            return server;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a certificate and its key to {@code NAME.crt} and {@code NAME.key}. */
    public static CertificateFiles write(Path folder, String name, CertificateAndKey certificate) throws IOException {
        CertificateFiles files =
                new CertificateFiles(folder.resolve(name + ".crt"), folder.resolve(name + ".key"), List.of());
        Files.writeString(files.certificate(), pem(certificate.chain().get(0)));
        Files.writeString(files.key(), pem(certificate.key()));
        return files;
    }

    private CertificateAndKey sign(
            X500Name subject,
            KeyPair keys,
            Instant end,
            boolean authority,
            List<String> hosts,
            @Nullable KeyPurposeId use) {
        try {
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name,
                    BigInteger.valueOf(++serial),
                    Date.from(end.minus(DAY.multipliedBy(2))),
                    Date.from(end),
                    subject,
                    keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            if (use != null) {
                builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(use));
            }
            if (!hosts.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(hosts.stream()
                                .map(host -> new GeneralName(GeneralName.dNSName, host))
                                .toArray(GeneralName[]::new)));
            }
            return new CertificateAndKey(
                    keys.getPrivate(),
                    List.of(new JcaX509CertificateConverter()
                            .getCertificate(builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())))));
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair pair(String type) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(type);
            // The smallest size that Java accepts, because finding primes would take a second.
            generator.initialize(type.equals("RSA") ? 1024 : 256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            // Java keys lack fields of the older form of EC keys.
            writer.writeObject(object instanceof PrivateKey key ? new JcaPKCS8Generator(key, null) : object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
