package io.policyscheduler.cmd.extender;

/** A request to our extender that cannot be understood; the message says why. */
final class MalformedRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedRequestException(String message) {
        super(message);
    }
}
