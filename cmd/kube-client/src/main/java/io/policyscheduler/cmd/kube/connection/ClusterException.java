package io.policyscheduler.cmd.kube.connection;

/** The configuration does not lead to a cluster; the message is one line for the user and names what was tried. */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
