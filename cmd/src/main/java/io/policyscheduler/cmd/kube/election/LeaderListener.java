package io.policyscheduler.cmd.kube.election;

/** The callbacks of a leader election (client-go LeaderCallbacks). They run on the thread of the election and must not block. */
public interface LeaderListener {
    /** This candidate leads from now on. */
    default void onStartedLeading() {}

    /**
     * This candidate does not lead any more, for good. {@link LeaseElection#isLeader()} has been false since before.
     *
     * @param why for the log; empty after an orderly close
     */
    default void onStoppedLeading(String why) {}

    /**
     * This candidate has no permission to read or to write the lock, and never led; the election is over.
     *
     * @param why one line for users, with the verbs that are missing
     */
    default void onForbidden(String why) {}

    /** Another leader than before was seen, perhaps this candidate. */
    default void onNewLeader(String identity) {}
}
