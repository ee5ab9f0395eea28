package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.PodClaim;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a pod. Mirrors {@code resourceclaim.Name} and {@code foreachPodResourceClaim}.
 *
 * @param claims in the order of the spec; entries that need none are left out
 * @param problem why not all of them can be used yet; empty when they can
 */
public record PodClaims(List<ResourceClaimInfo> claims, String problem) {
    private static final PodClaims NONE = new PodClaims(List.of(), "");

    public PodClaims {
        claims = List.copyOf(claims);
    }

    /** Finds them. */
    public static PodClaims of(PodInfo pod, AssumedClaims known) {
        List<PodClaim> wanted = pod.spec().resourceClaims();
        if (wanted.isEmpty()) {
            return NONE;
        }
        List<ResourceClaimInfo> claims = new ArrayList<>(wanted.size());
        for (PodClaim entry : wanted) {
            boolean made = entry.claimName() == null;
            if (made && entry.templateName() == null) {
                return failed("pod \"" + pod.key() + "\", spec.resourceClaim \"" + entry.name()
                        + "\": none of the supported fields are set");
            }
            String name = entry.claimName();
            if (made) {
                PodClaim.Made status = made(pod, entry.name());
                if (status == null) {
                    return failed("pod \"" + pod.key() + "\": ResourceClaim not created yet");
                }
                name = status.claimName();
            }
            if (name == null) {
                continue;
            }
            ResourceClaimInfo claim = known.claim(pod.namespace(), name);
            if (claim == null) {
                return failed("could not find ResourceClaim \"" + pod.namespace() + "/" + name + "\"");
            }
            if (claim.terminating()) {
                return failed("resourceclaim \"" + claim.name() + "\" is being deleted");
            }
            if (made && !claim.isOwnedBy(pod)) {
                return failed("ResourceClaim " + claim.key() + " was not created for pod " + pod.key()
                        + " (pod is not owner)");
            }
            claims.add(claim);
        }
        return new PodClaims(claims, "");
    }

    private static PodClaims failed(String problem) {
        return new PodClaims(List.of(), problem);
    }

    private static PodClaim.@Nullable Made made(PodInfo pod, String entry) {
        for (PodClaim.Made made : pod.madeClaims()) {
            if (made.name().equals(entry)) {
                return made;
            }
        }
        return null;
    }
}
