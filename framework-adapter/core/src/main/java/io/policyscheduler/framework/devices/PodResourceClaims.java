package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a pod. Mirrors {@code resourceclaim.Name} and {@code foreachPodResourceClaim}.
 *
 * @param claims the claims in the order of the spec, without entries that need none
 * @param problem why not all of them are usable yet; empty if they are
 */
public record PodResourceClaims(List<ResourceClaimInfo> claims, String problem) {
    private static final PodResourceClaims NONE = new PodResourceClaims(List.of(), "");

    public PodResourceClaims {
        claims = List.copyOf(claims);
    }

    /** Returns the claims of a pod, with problems in the format of the newest release. */
    public static PodResourceClaims of(PodInfo pod, AssumedClaims known) {
        return of(pod, known, Release.NEWEST);
    }

    /**
     * Returns the claims of a pod.
     *
     * @param release the release whose problem texts are used
     */
    public static PodResourceClaims of(PodInfo pod, AssumedClaims known, Release release) {
        List<PodClaim> podClaims = pod.spec().resourceClaims();
        if (podClaims.isEmpty()) {
            return NONE;
        }
        List<ResourceClaimInfo> claims = new ArrayList<>(podClaims.size());
        for (PodClaim entry : podClaims) {
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
                String kind = SchedulerChange.DEVICE_FEATURES.in(release) ? "Pod" : "pod";
                return failed("ResourceClaim " + claim.key() + " was not created for " + kind + " " + pod.key() + " ("
                        + kind + " is not owner)");
            }
            claims.add(claim);
        }
        return new PodResourceClaims(claims, "");
    }

    private static PodResourceClaims failed(String problem) {
        return new PodResourceClaims(List.of(), problem);
    }

    private static PodClaim.@Nullable Made made(PodInfo pod, String entry) {
        for (PodClaim.Made made : pod.madeClaims()) {
            if (made.name().equals(entry)) {
                return made;
            }
        }
        return null;
    }

    /** Checks of claims that do not need the allocator. */
    public static final class ClaimChecks {
        private ClaimChecks() {}

        /**
         * A problem of an unallocated claim.
         *
         * @param isError whether the attempt fails with an error instead of a rejection
         */
        public record Problem(boolean isError, String text) {}

        /** Returns the problem of the requested device classes, or null if all exist. */
        public static @Nullable Problem classes(ResourceClaimInfo claim, ClusterObjects cluster) {
            for (DeviceRequest request : claim.requests()) {
                DeviceRequest.RequestedDevices exactly = request.exactly();
                if (exactly == null && request.firstAvailable().isEmpty()) {
                    return new Problem(
                            false,
                            "resource claim " + claim.key() + ", request " + request.name() + ": unknown request type");
                }
                List<DeviceRequest.RequestedDevices> requests =
                        exactly == null ? request.firstAvailable() : List.of(exactly);
                for (DeviceRequest.RequestedDevices each : requests) {
                    String name = exactly == null ? request.name() + "/" + each.name() : request.name();
                    if (each.deviceClass().isEmpty()) {
                        return new Problem(true, "request " + name + ": unsupported request type");
                    }
                    if (cluster.deviceClass(each.deviceClass()) == null) {
                        return new Problem(
                                false, "request " + name + ": device class " + each.deviceClass() + " does not exist");
                    }
                }
            }
            return null;
        }

        /** Returns the error of an allocation's node selector, or null. */
        public static @Nullable String placeProblem(DeviceAllocation allocation) {
            return allocation.nodeTerms() == null ? null : DevicePools.problem(allocation.nodeTerms());
        }

        /** Returns whether the allocated devices are available on the node. */
        public static boolean isAvailable(DeviceAllocation allocation, NodeInfo node) {
            return allocation.nodeTerms() == null
                    || NodeSelectorTerm.anyMatches(
                            allocation.nodeTerms(), node.node().labels(), node.name());
        }
    }
}
