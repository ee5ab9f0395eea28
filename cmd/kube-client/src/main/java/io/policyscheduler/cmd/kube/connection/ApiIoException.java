package io.policyscheduler.cmd.kube.connection;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to the API server brought no usable answer: a transport error (no connection, timeout, broken stream; {@link
 * #code()} is 0), or, where the caller has no use for the failing answer itself, an HTTP error status.
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

    /** A transport error. */
    public ApiIoException(String message, Throwable cause) {
        this(message, cause, 0, true, null);
    }

    /** An answer with an HTTP error status. */
    public ApiIoException(String message, int code) {
        this(message, null, code, true, null);
    }

    /** An answer with an HTTP error status that may tell when to come back. */
    public static ApiIoException answered(String message, int code, Optional<Duration> retryAfter) {
        return new ApiIoException(message, null, code, true, retryAfter.orElse(null));
    }

    /** A request that was never sent. */
    public static ApiIoException unsent(String message) {
        return new ApiIoException(message, null, 0, false, null);
    }

    /** The HTTP status, 0 when there was no answer. */
    public int code() {
        return code;
    }

    /** False when the server has surely not heard of the request. */
    public boolean isSent() {
        return sent;
    }

    /** How long the server wants to be left alone. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** An exception on one line; our own need no class name. */
    public static String describe(Throwable e) {
        String message = e.getMessage();
        if (e instanceof ApiIoException && message != null) {
            return message;
        }
        String kind = e.getClass().getSimpleName();
        return message == null
                ? kind
                : kind + ": " + message.lines().findFirst().orElse("").strip();
    }
}
