package io.policyscheduler.cmd.options;

/** What the exit codes of all commands mean. */
public final class ExitCode {
    /** All is well. */
    public static final int OK = 0;
    /** The command worked and the answer is no: a policy is refused, a pod fits nowhere, a recording differs. */
    public static final int NEGATIVE = 1;
    /** The command line is wrong. */
    public static final int USAGE = 2;
    /** A file is missing, unreadable or malformed, or the output cannot be written. */
    public static final int BAD_INPUT = 3;
    /** The cluster cannot be reached or does not do as asked. */
    public static final int CLUSTER_TROUBLE = 4;
    /** The scheduler led and has lost the leadership; whoever started it should start it again. */
    public static final int LEADERSHIP_LOST = 5;
    /** A bug of this program. */
    public static final int BUG = 70;

    private ExitCode() {}
}
