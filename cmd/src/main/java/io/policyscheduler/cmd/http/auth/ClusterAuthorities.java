package io.policyscheduler.cmd.http.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds those who sign the certificates of clients and proxies: in files, or in the ConfigMap with which the API server tells
 * its extensions about them.
 */
final class ClusterAuthorities {
    static final String CONFIG_MAP = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ServingSettings.Authentication settings;
    private final @Nullable KubeConnection connection;
    private final Clock clock;

    /** @param connection null when there is no API server to ask */
    ClusterAuthorities(ServingSettings.Authentication settings, @Nullable KubeConnection connection, Clock clock) {
        this.settings = settings;
        this.connection = connection;
        this.clock = clock;
    }

    /**
     * The ways to show who one is by a certificate, as they are now.
     *
     * @throws IOException when a file cannot be read or the lookup failed; the message is one line
     */
    List<Authenticator> read() throws IOException {
        JsonNode data = isLookupNeeded() ? lookup() : JSON.createObjectNode();
        ImmutableList.Builder<Authenticator> found = ImmutableList.builder();
        String proxies = pem(settings.requestHeader().clientCaFile(), data.path("requestheader-client-ca-file"));
        if (!proxies.isEmpty()) {
            ServingSettings.RequestHeader headers =
                    settings.requestHeader().clientCaFile() == null ? headers(data) : settings.requestHeader();
            found.add(new ProxyAuthenticator(ClientAuthorities.of(proxies), headers, clock));
        }
        String clients = pem(settings.clientCaFile(), data.path("client-ca-file"));
        if (!clients.isEmpty()) {
            found.add(new CertificateAuthenticator(ClientAuthorities.of(clients), clock));
        }
        return found.build();
    }

    private boolean isLookupNeeded() {
        return !settings.skipLookup()
                && connection != null
                && (settings.clientCaFile() == null || settings.requestHeader().clientCaFile() == null);
    }

    private JsonNode lookup() throws IOException {
        if (connection == null) {
            return JSON.createObjectNode();
        }
        ApiResponse answer = connection.get(CONFIG_MAP);
        if (answer.isNotFound("extension-apiserver-authentication")) {
            return JSON.createObjectNode();
        }
        if (!answer.success()) {
            throw new IOException("GET " + CONFIG_MAP + ": " + answer.message());
        }
        return answer.json().path("data");
    }

    private static String pem(@Nullable Path file, JsonNode data) throws IOException {
        if (file == null) {
            return data.asText();
        }
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
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
