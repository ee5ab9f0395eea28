package io.policyscheduler.cmd.kube.connection;

import com.google.common.base.Ascii;
import com.google.common.base.Throwables;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;
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

    /** Returns an exception on one line: common failures of networks and files in words, and others with their class. */
    public static String describe(Throwable e) {
        String message = e.getMessage();
        if ((e instanceof ApiIoException || e instanceof ResponseTooLongException) && message != null) {
            return message;
        }
        String words = inWords(e);
        if (!words.isEmpty()) {
            return words;
        }
        String kind = e.getClass().getSimpleName();
        return message == null
                ? kind
                : kind + ": " + message.lines().findFirst().orElse("").strip();
    }

    /** Returns the failure in words; empty if it is not a common one. */
    private static String inWords(Throwable e) {
        Throwable cause = Throwables.getRootCause(e);
        String message = String.valueOf(e.getMessage());
        String reason = String.valueOf(cause.getMessage());
        if (e instanceof ConnectException && !reason.isEmpty()) {
            return Ascii.toLowerCase(reason.substring(0, 1)) + reason.substring(1);
        }
        if (e instanceof UnknownHostException) {
            return "no such host: " + message.replaceFirst(": .*", "");
        }
        if (cause instanceof CertificateExpiredException) {
            return "the certificate of the server has expired: " + reason;
        }
        if (e instanceof SSLException && cause instanceof CertPathBuilderException) {
            return "no known CA has signed the certificate of the server";
        }
        if (e instanceof SSLException && message.startsWith("Unsupported or unrecognized SSL message")) {
            return "the server does not use TLS: check the scheme and the port";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof IOException && message.equals("Is a directory") ? "is a directory, not a file" : "";
    }
}
