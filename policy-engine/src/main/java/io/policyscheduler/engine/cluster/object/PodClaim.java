package io.policyscheduler.engine.cluster.object;

import org.jspecify.annotations.Nullable;

/**
 * An entry of a pod's {@code spec.resourceClaims}: which claim the pod wants.
 *
 * @param name unique in the pod
 * @param claimName of a claim that is there by itself; null when absent
 * @param templateName of the template that a claim is made from for this pod alone; null when absent
 */
public record PodClaim(
        String name, @Nullable String claimName, @Nullable String templateName) {
    /**
     * An entry of {@code status.resourceClaimStatuses}: which claim was made.
     *
     * @param name of the entry in the spec
     * @param claimName null when no claim is needed
     */
    public record Made(String name, @Nullable String claimName) {}
}
