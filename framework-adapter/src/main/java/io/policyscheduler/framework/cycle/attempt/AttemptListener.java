package io.policyscheduler.framework.cycle.attempt;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Hears of attempts, on the thread that decides; must be fast. */
public interface AttemptListener {
    /** Hears nothing. */
    AttemptListener UNHEARD = new AttemptListener() {};

    /** Whether {@link #attempted} is to be told; otherwise nothing is collected for it. Asked once. */
    default boolean wantsDetails() {
        return false;
    }

    /** What an attempt has seen, as soon as it has ended and before its decision is carried out. */
    default void attempted(PodInfo pod, AttemptDetails details) {}

    /** A decision was made a second time, to verify what is kept about the nodes; told after {@link #differs}. */
    default void verified(PodInfo pod) {}

    /** A decision came out otherwise when it was verified. */
    default void differs(DecisionDifference difference) {}

    /** The result cache failed with an exception, and the attempt continues without it. */
    default void fellBack(PodInfo pod, Throwable e) {}

    /** An attempt enters a phase, and leaves the one before. */
    default void entered(AttemptPhase phase) {}
}
