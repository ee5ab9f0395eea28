package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * Gives a pod its claims on the node where it goes, in a cluster that is decided about but not scheduled, so that the next pod sees
 * them given. What the filter has found on the node is found again.
 */
public final class ClaimGiver {
    private final DeviceAllocator allocator;

    public ClaimGiver() {
        this.allocator = new DeviceAllocator(new DeviceSelectors(), Clock.systemUTC(), Duration.ZERO);
    }

    /** Allocates what is not allocated, and reserves all claims for the pod. A claim that cannot be had stays as it is. */
    public void give(ClusterView cluster, PodInfo pod, NodeInfo node) {
        List<ResourceClaimInfo> claims =
                PodClaims.of(pod, cluster.assumedClaims()).claims();
        if (claims.isEmpty()) {
            return;
        }
        List<ResourceClaimInfo> open =
                claims.stream().filter(claim -> claim.allocation() == null).toList();
        List<DeviceAllocation> found;
        try {
            found = allocator.allocate(node, open, cluster, cluster.assumedClaims());
        } catch (AllocationException | AllocationTimeout e) {
            return;
        }
        if (found == null) {
            return;
        }
        for (ResourceClaimInfo claim : claims) {
            int index = open.indexOf(claim);
            if (index >= 0 || !claim.isReservedFor(pod)) {
                DeviceAllocation allocation = index < 0 ? null : found.get(index);
                cluster.assumedClaims().wrote(ClaimWriter.reserved(claim, allocation, pod));
            }
        }
    }
}
