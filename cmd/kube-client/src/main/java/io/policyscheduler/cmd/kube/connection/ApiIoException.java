package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to the API server without a usable response: a transport error (no connection, timeout, broken stream; {@link #code()} is 0)
 * or an HTTP error status.
 */
public final class ApiIoException extends IOException {
    private static final long serialVersionUID = 1L;
    private final int code;
    private final boolean sent;
    private final @Nullable Duration retryAfter;

    private ApiIoException(
            String message, @Nullable Throwable cause, int code, boolean sent, @Nullable Duration retryAfter) {
        super(message, cause);
        this.code = code;
        this.sent = sent;
        this.retryAfter = retryAfter;
    }

    /** Creates a transport error. */
    public ApiIoException(String message, Throwable cause) {
        this(message, cause, 0, true, null);
    }

    /** Creates an HTTP error. */
    public ApiIoException(String message, int code) {
        this(message, null, code, true, null);
    }

    /** Returns an HTTP error, perhaps with {@code Retry-After}. */
    public static ApiIoException answered(String message, int code, Optional<Duration> retryAfter) {
        return new ApiIoException(message, null, code, true, retryAfter.orElse(null));
    }

    /** Returns the error of a request that was not sent. */
    public static ApiIoException unsent(String message) {
        return new ApiIoException(message, null, 0, false, null);
    }

    /** Returns the HTTP status; 0 if there was no response. */
    public int code() {
        return code;
    }

    /** Returns false if the server has certainly not received the request. */
    public boolean isSent() {
        return sent;
    }

    /** Returns the value of {@code Retry-After}. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Returns an exception on one line, with its class unless its message is complete without it. */
    public static String describe(Throwable e) {
        String message = e.getMessage();
        if ((e instanceof ApiIoException || e instanceof ResponseTooLongException) && message != null) {
            return message;
        }
        String kind = e.getClass().getSimpleName();
        return message == null
                ? kind
                : kind + ": " + message.lines().findFirst().orElse("").strip();
    }
}
