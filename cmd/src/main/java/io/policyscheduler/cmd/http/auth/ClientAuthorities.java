package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableSet;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;

/** Those whose word about a client is taken. */
final class ClientAuthorities {
    private static final String CLIENT_AUTHENTICATION = "1.3.6.1.5.5.7.3.2";
    private static final String ANY_USE = "2.5.29.37.0";

    private final Set<TrustAnchor> anchors;

    private ClientAuthorities(Set<TrustAnchor> anchors) {
        this.anchors = anchors;
    }

    /**
     * Those of a text in PEM.
     *
     * @throws IOException when it has no certificate; the message is one line
     */
    static ClientAuthorities of(String pem) throws IOException {
        ImmutableSet.Builder<TrustAnchor> anchors = ImmutableSet.builder();
        try {
            for (Certificate each : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.ISO_8859_1)))) {
                if (each instanceof X509Certificate certificate) {
                    anchors.add(new TrustAnchor(certificate, null));
                }
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificates of authorities: " + e.getMessage(), e);
        }
        if (anchors.build().isEmpty()) {
            throw new IOException("no certificate of an authority in PEM");
        }
        return new ClientAuthorities(anchors.build());
    }

    /**
     * Follows a client's certificate to one of them.
     *
     * @param chain the client's certificate first
     * @throws AuthenticationException when it has run out, is for another use, or nobody here has signed it
     */
    void verify(List<X509Certificate> chain, Instant now) throws AuthenticationException {
        try {
            List<String> uses = chain.get(0).getExtendedKeyUsage();
            if (uses != null && !uses.contains(CLIENT_AUTHENTICATION) && !uses.contains(ANY_USE)) {
                throw new AuthenticationException("the certificate is not for clients");
            }
            PKIXParameters parameters = new PKIXParameters(anchors);
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(now));
            CertPathValidator.getInstance("PKIX")
                    .validate(
                            CertificateFactory.getInstance("X.509").generateCertPath(withoutAnchor(chain)), parameters);
        } catch (GeneralSecurityException e) {
            throw new AuthenticationException("the client's certificate: " + e.getMessage(), e);
        }
    }

    /** A path ends before the authority; many clients send it all the same. */
    private List<X509Certificate> withoutAnchor(List<X509Certificate> chain) {
        X509Certificate last = chain.get(chain.size() - 1);
        return chain.size() > 1
                        && anchors.stream()
                                .anyMatch(anchor -> anchor.getTrustedCert().equals(last))
                ? chain.subList(0, chain.size() - 1)
                : chain;
    }
}
