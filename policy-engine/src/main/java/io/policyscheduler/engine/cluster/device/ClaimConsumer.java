package io.policyscheduler.engine.cluster.device;

/**
 * Who may use a claim: an entry of {@code status.reservedFor}.
 *
 * @param apiGroup empty for the core group
 * @param resource such as {@code pods}
 */
public record ClaimConsumer(String apiGroup, String resource, String name, String uid) {
    /** A pod. */
    public static ClaimConsumer pod(String name, String uid) {
        return new ClaimConsumer("", "pods", name, uid);
    }
}
