package io.policyscheduler.cmd.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.cmd.http.Authenticator.Certificates;
import io.policyscheduler.cmd.http.Authenticator.FailedException;
import io.policyscheduler.cmd.http.Authenticator.Proxies;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.document.TextInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The certificate authorities of clients. */
final class ClientAuthorities {
    private static final String CLIENT_AUTHENTICATION = "1.3.6.1.5.5.7.3.2";
    private static final String ANY_USE = "2.5.29.37.0";

    private final Set<TrustAnchor> anchors;

    private ClientAuthorities(Set<TrustAnchor> anchors) {
        this.anchors = anchors;
    }

    /**
     * The authorities in a PEM text.
     *
     * @throws IOException if it contains no certificate; the message is one line
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
     * Validates the certificate chain of a client.
     *
     * @param chain the client's certificate first
     * @throws FailedException if it has expired, is for another use, or is not signed by one of them
     */
    void verify(List<X509Certificate> chain, Instant now) throws FailedException {
        try {
            List<String> uses = chain.get(0).getExtendedKeyUsage();
            if (uses != null && !uses.contains(CLIENT_AUTHENTICATION) && !uses.contains(ANY_USE)) {
                throw new FailedException("the certificate is not for clients");
            }
            PKIXParameters parameters = new PKIXParameters(anchors);
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(now));
            CertPathValidator.getInstance("PKIX")
                    .validate(
                            CertificateFactory.getInstance("X.509").generateCertPath(withoutAnchor(chain)), parameters);
        } catch (GeneralSecurityException e) {
            throw new FailedException("the client's certificate: " + e.getMessage(), e);
        }
    }

    /** The certification path does not include the authority, but many clients send it. */
    private List<X509Certificate> withoutAnchor(List<X509Certificate> chain) {
        X509Certificate last = chain.get(chain.size() - 1);
        return chain.size() > 1
                        && anchors.stream()
                                .anyMatch(anchor -> anchor.getTrustedCert().equals(last))
                ? chain.subList(0, chain.size() - 1)
                : chain;
    }

    /**
     * Loads the authorities of clients and front proxies: from files, or from the ConfigMap that the API server publishes for its
     * extensions.
     */
    static final class OfCluster {
        static final String CONFIG_MAP = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

        private static final ObjectMapper JSON = new ObjectMapper();

        private final ServingSettings.Authentication settings;
        private final @Nullable KubeConnection connection;
        private final Clock clock;

        /** @param connection null if there is no API server */
        OfCluster(ServingSettings.Authentication settings, @Nullable KubeConnection connection, Clock clock) {
            this.settings = settings;
            this.connection = connection;
            this.clock = clock;
        }

        /**
         * The current authenticators for certificates.
         *
         * @throws IOException if a file cannot be read or the lookup failed; the message is one line
         */
        List<Authenticator> read() throws IOException {
            JsonNode data = isLookupNeeded() ? lookup() : JSON.createObjectNode();
            ImmutableList.Builder<Authenticator> found = ImmutableList.builder();
            String proxies = pem(settings.requestHeader().clientCaFile(), data.path("requestheader-client-ca-file"));
            if (!proxies.isEmpty()) {
                ServingSettings.RequestHeader headers =
                        settings.requestHeader().clientCaFile() == null ? headers(data) : settings.requestHeader();
                found.add(new Proxies(ClientAuthorities.of(proxies), headers, clock));
            }
            String clients = pem(settings.clientCaFile(), data.path("client-ca-file"));
            if (!clients.isEmpty()) {
                found.add(new Certificates(ClientAuthorities.of(clients), clock));
            }
            return found.build();
        }

        private boolean isLookupNeeded() {
            return !settings.skipLookup()
                    && connection != null
                    && (settings.clientCaFile() == null
                            || settings.requestHeader().clientCaFile() == null);
        }

        private JsonNode lookup() throws IOException {
            if (connection == null) {
                return JSON.createObjectNode();
            }
            ApiResponse response = connection.get(CONFIG_MAP);
            if (response.isNotFound("extension-apiserver-authentication")) {
                return JSON.createObjectNode();
            }
            if (!response.success()) {
                throw new IOException("GET " + CONFIG_MAP + ": " + response.message());
            }
            return response.json().path("data");
        }

        private static String pem(@Nullable Path file, JsonNode data) throws IOException {
            if (file == null) {
                return data.asText();
            }
            try {
                return new String(TextInput.read(file), StandardCharsets.ISO_8859_1);
            } catch (NoSuchFileException e) {
                throw new IOException("open " + file + ": no such file or directory", e);
            } catch (IOException e) {
                throw new IOException("read " + file + ": " + e.getMessage(), e);
            }
        }

        private static ServingSettings.RequestHeader headers(JsonNode data) throws IOException {
            return new ServingSettings.RequestHeader(
                    null,
                    list(data, "requestheader-allowed-names"),
                    list(data, "requestheader-username-headers"),
                    list(data, "requestheader-uid-headers"),
                    list(data, "requestheader-group-headers"),
                    list(data, "requestheader-extra-headers-prefix"));
        }

        private static List<String> list(JsonNode data, String key) throws IOException {
            ImmutableList.Builder<String> texts = ImmutableList.builder();
            if (data.has(key)) {
                JSON.readTree(data.path(key).asText()).forEach(each -> texts.add(each.asText()));
            }
            return texts.build();
        }
    }
}
