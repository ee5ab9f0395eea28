package io.policyscheduler.cmd.options;

/** The exit codes of all commands. */
public final class ExitCode {
    /** Success. */
    public static final int OK = 0;
    /** Negative result: a policy is rejected, a pod is unschedulable, or a recording differs. */
    public static final int NEGATIVE = 1;
    /** Usage error. */
    public static final int USAGE = 2;
    /** A file is missing, unreadable, or malformed, or the output cannot be written. */
    public static final int BAD_INPUT = 3;
    /** The cluster is unreachable or rejects a request. */
    public static final int CLUSTER_TROUBLE = 4;
    /** The leader lost its lease. The process should be restarted. */
    public static final int LEADERSHIP_LOST = 5;
    /** Internal error. */
    public static final int BUG = 70;

    private ExitCode() {}

    /** A cluster that is unreachable or that rejects a request. Ends the program with exit code 4. */
    public static final class ClusterFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /**
         * An error.
         *
         * @param message for the user, names the cluster's address
         */
        public ClusterFailure(String message) {
            super(message);
        }

        /** An error with its cause, which {@code --debug} shows. */
        public ClusterFailure(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
