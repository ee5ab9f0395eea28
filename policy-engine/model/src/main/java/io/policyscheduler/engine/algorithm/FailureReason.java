package io.policyscheduler.engine.algorithm;

/**
 * A reason for which a node is not feasible for a pod.
 *
 * @param text exact text that users see
 * @param resolvable false when removing pods from the node cannot help
 */
public record FailureReason(String text, boolean resolvable) {
    /** A reason that preemption may lift. */
    public static FailureReason resolvable(String text) {
        return new FailureReason(text, true);
    }

    /** A reason that preemption cannot lift. */
    public static FailureReason unresolvable(String text) {
        return new FailureReason(text, false);
    }
}
