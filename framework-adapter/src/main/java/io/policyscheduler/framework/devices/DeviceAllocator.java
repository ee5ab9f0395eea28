package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds devices for claims on a node, as kube-scheduler 1.34 does by default: without alpha features. Mirrors
 * {@code structured/internal/experimental/allocator_experimental.go}. Owned by one thread.
 */
public final class DeviceAllocator {
    private final DeviceSelectors selectors;
    private final Clock clock;
    private final Duration timeout;

    /** @param timeout how long the search may take on a node; zero for as long as it takes */
    public DeviceAllocator(DeviceSelectors selectors, Clock clock, Duration timeout) {
        this.selectors = selectors;
        this.clock = clock;
        this.timeout = timeout;
    }

    /**
     * What each claim gets on the node, in the order of the claims; null when not all can be had.
     *
     * @param claims none of them allocated
     * @param taken the devices that are not free
     * @throws AllocationException when nothing can be said
     * @throws AllocationTimeout when it takes too long
     */
    public @Nullable List<DeviceAllocation> allocate(
            NodeInfo node, List<ResourceClaimInfo> claims, ClusterObjects cluster, AssumedClaims taken)
            throws AllocationException, AllocationTimeout {
        List<Pool> pools = NodePools.of(node, cluster);
        DeviceJudge judge = new DeviceJudge(selectors);
        List<PreparedClaim> prepared = new RequestPreparation(cluster, pools, judge).prepare(claims);
        Instant deadline = timeout.isZero() ? null : clock.instant().plus(timeout);
        AllocationSearch search = new AllocationSearch(prepared, pools, judge, taken, clock, deadline);
        if (!search.run()) {
            return null;
        }
        List<DeviceAllocation> allocations = new ArrayList<>(claims.size());
        for (int i = 0; i < prepared.size(); i++) {
            List<PreparedRequest> chosen = new ArrayList<>();
            for (int request = 0; request < prepared.get(i).requests().size(); request++) {
                chosen.add(search.chosen(i, request));
            }
            allocations.add(AllocationResult.of(claims.get(i), search.taken(i), chosen, node.name()));
        }
        return allocations;
    }
}
