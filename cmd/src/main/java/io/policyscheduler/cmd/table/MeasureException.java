package io.policyscheduler.cmd.table;

/** Values that cannot be had now; the message is one line for users. */
public final class MeasureException extends Exception {
    private static final long serialVersionUID = 1L;

    MeasureException(String message) {
        super(message);
    }

    MeasureException(String message, Throwable cause) {
        super(message, cause);
    }
}
