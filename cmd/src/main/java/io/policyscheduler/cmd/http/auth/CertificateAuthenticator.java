package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableList;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.AttributeTypeAndValue;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;

/** Takes a client for whom its certificate says: the common name is the user, organizations are the groups. */
final class CertificateAuthenticator implements Authenticator {
    private final ClientAuthorities authorities;
    private final Clock clock;

    CertificateAuthenticator(ClientAuthorities authorities, Clock clock) {
        this.authorities = authorities;
        this.clock = clock;
    }

    @Override
    public Optional<Identity> identify(AccessRequest request) throws AuthenticationException {
        if (request.certificates().isEmpty()) {
            return Optional.empty();
        }
        authorities.verify(request.certificates(), clock.instant());
        X509Certificate own = request.certificates().get(0);
        String name = name(own);
        return name.isEmpty()
                ? Optional.empty()
                : Optional.of(Identity.authenticated(name, "", values(own, BCStyle.O), Map.of()));
    }

    /** The common name; empty when there is none. */
    static String name(X509Certificate certificate) {
        List<String> names = values(certificate, BCStyle.CN);
        return names.isEmpty() ? "" : names.get(names.size() - 1);
    }

    private static List<String> values(X509Certificate certificate, ASN1ObjectIdentifier type) {
        X500Name subject =
                X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        ImmutableList.Builder<String> values = ImmutableList.builder();
        for (RDN part : subject.getRDNs()) {
            for (AttributeTypeAndValue attribute : part.getTypesAndValues()) {
                if (attribute.getType().equals(type)) {
                    values.add(IETFUtils.valueToString(attribute.getValue()));
                }
            }
        }
        return values.build();
    }
}
