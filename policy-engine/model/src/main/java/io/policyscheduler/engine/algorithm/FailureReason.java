package io.policyscheduler.engine.algorithm;

/**
 * A reason why a node is infeasible for a pod.
 *
 * @param text exact text that users see
 * @param resolvable false if removing pods from the node cannot help
 */
public record FailureReason(String text, boolean resolvable) {
    /** A reason that preemption may resolve. */
    public static FailureReason resolvable(String text) {
        return new FailureReason(text, true);
    }

    /** A reason that preemption cannot resolve. */
    public static FailureReason unresolvable(String text) {
        return new FailureReason(text, false);
    }
}
