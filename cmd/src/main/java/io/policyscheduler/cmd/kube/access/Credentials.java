package io.policyscheduler.cmd.kube.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Who the client is to the API server. Thread-safe. */
public interface Credentials {
    /** Nobody, or whom a client certificate of the configuration names. */
    Credentials NONE = () -> "";

    /**
     * The value of the header {@code Authorization}; empty for none. May wait, e.g. for a plug-in.
     *
     * @throws IOException when there are none to be had; the message is one line
     */
    String authorization() throws IOException;

    /** A client certificate that comes with the credentials, rather than with the configuration; null for none. */
    default @Nullable ClientCertificate certificate() throws IOException {
        return null;
    }

    /** The server has refused a request with this header (401). */
    default void refused(String authorization) {}

    /** A token that stays as it is. */
    static Credentials token(String token) {
        return () -> "Bearer " + token;
    }

    /** A user's name and password. */
    static Credentials basic(String username, String password) {
        String pair = username + ":" + password;
        String header = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        return () -> header;
    }
}
