package io.policyscheduler.framework.plugin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler's connection to the API server, with its address, credentials, and limits. For methods that are called on a binding
 * thread, such as {@link PreBindPlugin#preBind} and {@link BindPlugin#bind}: a request blocks. Mirrors {@code ClientSet()} of
 * {@code framework.Handle}.
 */
public interface ApiConnection {
    /** The connection of offline commands: every request fails. */
    ApiConnection NONE = (method, path, contentType, body) -> {
        throw new IOException(method + " " + path + ": there is no API server; the pods are decided offline");
    };

    /**
     * A complete response, with any status.
     *
     * @param body empty if there is none
     */
    record Response(int code, byte[] body) {
        public Response {
            body = body.clone();
        }

        @Override
        public byte[] body() {
            return body.clone();
        }

        /** Whether the status is 2xx. */
        public boolean isSuccess() {
            return code / 100 == 2;
        }

        /** The body as text. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /**
     * Sends a request and waits for the response. Requests other than GET are not sent once another process leads.
     *
     * @param method GET, POST, PUT, PATCH, or DELETE
     * @param path of the API with its query, such as {@code /api/v1/namespaces/default/pods/web}
     * @param contentType of the body, such as {@code application/json}; null for JSON
     * @param body null for none
     * @throws IOException if there is no response, or the request is not sent
     */
    Response request(String method, String path, @Nullable String contentType, byte @Nullable [] body)
            throws IOException;

    /**
     * Returns the connection as a client of a library: {@code io.kubernetes.client.openapi.ApiClient} in a running scheduler.
     *
     * @return empty if the connection cannot be used through such a client
     */
    default <T> Optional<T> unwrap(Class<T> type) {
        return Optional.empty();
    }
}
