package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.framework.plugin.ApiConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The API server for plugins: the connection through which the scheduler writes. */
public final class PluginConnection implements ApiConnection {
    private final KubeConnection connection;

    /** @param connection the view that writes only while this process leads */
    public PluginConnection(KubeConnection connection) {
        this.connection = connection;
    }

    @Override
    public Response request(String method, String path, @Nullable String contentType, byte @Nullable [] body)
            throws IOException {
        byte[] sent = body == null ? new byte[0] : body;
        ApiResponse response = switch (method.toUpperCase(Locale.ROOT)) {
            case "GET" -> connection.get(path);
            case "POST" -> connection.post(path, sent);
            case "PUT" -> connection.put(path, sent);
            case "PATCH" ->
                connection.patch(path, contentType == null ? KubeConnection.STRATEGIC_MERGE_PATCH : contentType, sent);
            case "DELETE" -> connection.delete(path, body);
            default -> throw new IOException(method + " is not GET, POST, PUT, PATCH, or DELETE");
        };
        return new Response(response.code(), response.text().getBytes(StandardCharsets.UTF_8));
    }

    /** {@code io.kubernetes.client.openapi.ApiClient} with the credentials and limits of this connection. */
    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        return connection.unwrap(type);
    }
}
