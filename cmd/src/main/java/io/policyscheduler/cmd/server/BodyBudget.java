package io.policyscheduler.cmd.server;

/** The bytes that the bodies of all requests of a server may take together. Thread-safe. */
final class BodyBudget {
    private long left;

    BodyBudget(long bytes) {
        this.left = bytes;
    }

    /** Takes bytes; false when there are not so many left. */
    synchronized boolean take(long bytes) {
        if (bytes > left) {
            return false;
        }
        left -= bytes;
        return true;
    }

    /** Gives bytes back. */
    synchronized void give(long bytes) {
        left += bytes;
    }
}
