package io.policyscheduler.cmd.kube;

import java.io.IOException;

/**
 * A request to the API server brought no usable answer: a transport error (no connection, timeout, broken stream; {@link
 * #code()} is 0), or, where the caller has no use for the failing answer itself, an HTTP error status.
 */
public final class ApiIoException extends IOException {
    private static final long serialVersionUID = 1L;
    private final int code;

    /** A transport error. */
    public ApiIoException(String message, Throwable cause) {
        super(message, cause);
        this.code = 0;
    }

    /** An answer with an HTTP error status. */
    public ApiIoException(String message, int code) {
        super(message);
        this.code = code;
    }

    /** The HTTP status, 0 when there was no answer. */
    public int code() {
        return code;
    }
}
