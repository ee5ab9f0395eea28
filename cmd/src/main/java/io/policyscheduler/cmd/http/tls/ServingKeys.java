package io.policyscheduler.cmd.http.tls;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.connection.ClientTls.CertificateAndKey;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Presents the certificate that is in effect when a handshake begins, and that is meant for the host asked for. */
final class ServingKeys extends X509ExtendedKeyManager {
    /** Handshakes may be under way with an earlier one when a certificate is replaced. */
    private static final int REMEMBERED = 16;

    private final ServingCertificate usual;
    private final List<ServingCertificate> named;
    private final Map<String, CertificateAndKey> byAlias = new LinkedHashMap<>();
    private long count;

    /** @param named asked first, in this order */
    ServingKeys(ServingCertificate usual, List<ServingCertificate> named) {
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
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
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
