package io.policyscheduler.cmd.http.tls;

import io.policyscheduler.cmd.kube.connection.ClientTls.CertificateAndKey;
import io.policyscheduler.cmd.server.ServerTls;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;

/**
 * What a server on a loopback address needs for TLS when nobody has given it a certificate.
 *
 * @param tls for the server
 * @param pem the certificate, for clients that are to trust it
 */
public record OwnCertificate(ServerTls tls, String pem) {
    /**
     * A new one, for localhost and the loopback addresses.
     *
     * @param clock tells from when it is valid
     * @throws IOException when this Java cannot make one; the message is one line
     */
    public static OwnCertificate create(Clock clock) throws IOException {
        SecureRandom random = new SecureRandom();
        CertificateAndKey made = SelfSigned.create(clock, random);
        ServingKeys keys = new ServingKeys(new ServingCertificate(made), List.of());
        return new OwnCertificate(
                new ServerTls(TlsContext.context(keys, random), List.of(), List.of()),
                SelfSigned.pem(made.chain().get(0)));
    }
}
