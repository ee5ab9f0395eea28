package io.policyscheduler.cmd.kube.election;

/** Hears about leadership; called on the thread of the election, whose renewals a method must not hold up. */
public interface LeaderListener {
    /** This candidate leads from now on. */
    default void onStartedLeading() {}

    /**
     * This candidate does not lead any more, for good. {@link LeaseElection#isLeader()} has been false since before.
     *
     * @param why for the log; empty after an orderly close
     */
    default void onStoppedLeading(String why) {}

    /** Another leader than before was seen, perhaps this candidate. */
    default void onNewLeader(String identity) {}
}
