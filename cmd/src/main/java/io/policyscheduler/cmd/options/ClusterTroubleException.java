package io.policyscheduler.cmd.options;

/** A cluster that is unreachable or that rejects a request. Ends the program with exit code 4. */
public final class ClusterTroubleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An error.
     *
     * @param message for the user, names the cluster's address
     */
    public ClusterTroubleException(String message) {
        super(message);
    }

    /** An error with its cause, which {@code --debug} shows. */
    public ClusterTroubleException(String message, Throwable cause) {
        super(message, cause);
    }
}
