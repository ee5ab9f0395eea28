package io.policyscheduler.cmd.http.auth;

/** What somebody has shown is not worth anything; the message is for the log. */
final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1L;

    AuthenticationException(String message) {
        super(message);
    }

    AuthenticationException(String message, Throwable cause) {
        super(message, cause);
    }
}
