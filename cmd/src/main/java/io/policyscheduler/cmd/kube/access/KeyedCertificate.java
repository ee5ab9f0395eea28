package io.policyscheduler.cmd.kube.access;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/**
 * A certificate with its private key.
 *
 * @param chain the certificate first, then those that signed it; never empty
 */
public record KeyedCertificate(PrivateKey key, List<X509Certificate> chain) {
    private static final Map<String, String> SIGNATURES = Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

    public KeyedCertificate {
        chain = ImmutableList.copyOf(chain);
    }

    /**
     * Reads both in PEM; the key as PKCS #1, PKCS #8 or SEC 1.
     *
     * @throws IOException when one cannot be read, or they do not belong together; the message is one line
     */
    public static KeyedCertificate read(byte[] certificate, byte[] key) throws IOException {
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
            KeyedCertificate read = new KeyedCertificate(key(key), chain.build());
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
            // Files of EC keys may begin with their parameters.
            for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
                if (part instanceof PEMKeyPair pair) {
                    return new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
                }
                if (part instanceof PrivateKeyInfo info) {
                    return new JcaPEMKeyConverter().getPrivateKey(info);
                }
            }
        }
        throw new IOException("tls: no unencrypted private key in PEM");
    }

    /** Signs something with the key: while the files are being replaced, the certificate may be that of another. */
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
