package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.AllocationSearch.AllocationResult;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationTimeout;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.RequestValidator.PreparedClaim;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The allocator of devices for claims on a node, with the default features of kube-scheduler 1.34. Mirrors {@code
 * structured/internal/experimental/allocator_experimental.go}. Owned by one thread.
 */
public final class DeviceAllocator {
    private final DeviceSelectors selectors;
    private final Clock clock;
    private final Duration timeout;

    /** @param timeout maximum duration of the search on a node; zero for no limit */
    public DeviceAllocator(DeviceSelectors selectors, Clock clock, Duration timeout) {
        this.selectors = selectors;
        this.clock = clock;
        this.timeout = timeout;
    }

    /**
     * Returns the allocation of each claim on the node, in the order of the claims; null if a claim cannot be satisfied.
     *
     * @param claims unallocated claims
     * @param taken the devices that are in use
     * @throws AllocationException if a claim, class, slice, or selector is invalid
     * @throws AllocationTimeout if the search exceeds the timeout
     */
    public @Nullable List<DeviceAllocation> allocate(
            NodeInfo node, List<ResourceClaimInfo> claims, ClusterObjects cluster, AssumedClaims taken)
            throws AllocationException, AllocationTimeout {
        List<Pool> pools = DevicePools.of(node, cluster);
        DeviceMatcher judge = new DeviceMatcher(selectors);
        List<PreparedClaim> prepared = new RequestValidator(cluster, pools, judge).prepare(claims);
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

    /** Thrown if a claim, class, slice, or selector is invalid. The message is that of Kubernetes. */
    public static final class AllocationException extends Exception {
        private static final long serialVersionUID = 1L;

        AllocationException(String message) {
            super(message, null, false, false);
        }
    }

    /** Thrown if the search for devices exceeds its timeout. */
    public static final class AllocationTimeout extends Exception {
        private static final long serialVersionUID = 1L;

        AllocationTimeout() {
            super("filter operation aborted: context deadline exceeded", null, false, false);
        }
    }

    /**
     * Allocates and reserves the claims of a placed pod in memory, so that simulations of the next pods see them. Repeats
     * the search of the filter.
     */
    public static final class ClaimReserver {
        private final DeviceAllocator allocator;

        public ClaimReserver() {
            this.allocator = new DeviceAllocator(new DeviceSelectors(), Clock.systemUTC(), Duration.ZERO);
        }

        /**
         * Allocates the unallocated claims of the pod and reserves all of them. If the allocation fails, the claims remain
         * unchanged.
         */
        public void give(ClusterView cluster, PodInfo pod, NodeInfo node) {
            List<ResourceClaimInfo> claims =
                    PodResourceClaims.of(pod, cluster.assumedClaims()).claims();
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
}
