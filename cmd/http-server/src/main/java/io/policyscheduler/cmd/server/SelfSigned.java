package io.policyscheduler.cmd.server;

import io.policyscheduler.cmd.server.ServingCertificate.CertificateAndKey;
import io.policyscheduler.cmd.server.ServingCertificate.CertificateFiles;
import io.policyscheduler.cmd.server.ServingCertificate.Keys;
import io.policyscheduler.cmd.server.WebServer.Tls;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A self-signed certificate for a port without a configured one, as in kube-scheduler: for localhost and the loopback addresses,
 * valid for a year.
 */
public final class SelfSigned {
    /** File names in {@code --cert-dir}, as in kube-scheduler. */
    static final String CERTIFICATE = "kube-scheduler.crt";

    static final String KEY = "kube-scheduler.key";

    private static final Duration VALID = Duration.ofDays(365);
    private static final Duration SKEW = Duration.ofHours(1);
    private static final int SERIAL_BITS = 120;

    private SelfSigned() {}

    /** A new one. */
    static CertificateAndKey create(Clock clock, SecureRandom random) throws IOException {
        Instant now = clock.instant();
        X500Name name = new X500Name("CN=localhost@" + now.getEpochSecond());
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            KeyPair pair = generator.generateKeyPair();
            X509CertificateHolder holder = new JcaX509v3CertificateBuilder(
                            name,
                            new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE),
                            Date.from(now.minus(SKEW)),
                            Date.from(now.plus(VALID)),
                            name,
                            pair.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                    .addExtension(
                            Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyCertSign))
                    .addExtension(
                            Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                        new GeneralName(GeneralName.dNSName, "localhost"),
                        new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
                        new GeneralName(GeneralName.iPAddress, "::1")
                    }))
                    .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()));
            return new CertificateAndKey(
                    pair.getPrivate(), List.of(new JcaX509CertificateConverter().getCertificate(holder)));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IOException("cannot create a certificate: " + e.getMessage(), e);
        }
    }

    /**
     * The files in a folder; created if both are missing.
     *
     * @throws IOException if they cannot be written; the message is one line
     */
    static CertificateFiles inFolder(Path folder, Clock clock, SecureRandom random) throws IOException {
        CertificateFiles files = new CertificateFiles(folder.resolve(CERTIFICATE), folder.resolve(KEY), List.of());
        if (Files.exists(files.certificate()) && Files.exists(files.key())) {
            return files;
        }
        CertificateAndKey made = create(clock, random);
        try {
            Files.createDirectories(folder);
            Files.deleteIfExists(files.key());
            if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.createFile(
                        files.key(),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.writeString(files.key(), pem(new JcaPKCS8Generator(made.key(), null)), StandardCharsets.US_ASCII);
            Files.writeString(files.certificate(), pem(made.chain().get(0)), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IOException("cannot write a certificate to " + folder + ": " + e, e);
        }
        return files;
    }

    /** An object in PEM. */
    static String pem(Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }

    /**
     * The TLS settings of a server on a loopback address without a configured certificate.
     *
     * @param tls for the server
     * @param pem the certificate, for clients that must trust it
     */
    public record Own(Tls tls, String pem) {
        /**
         * A new certificate for localhost and the loopback addresses.
         *
         * @param clock sets the start of its validity
         * @throws IOException if this JVM cannot create one; the message is one line
         */
        public static Own create(Clock clock) throws IOException {
            SecureRandom random = new SecureRandom();
            CertificateAndKey made = SelfSigned.create(clock, random);
            Keys keys = new Keys(new ServingCertificate(made), List.of());
            return new Own(
                    new Tls(TlsContext.context(keys, random), List.of(), List.of()),
                    SelfSigned.pem(made.chain().get(0)));
        }
    }
}
