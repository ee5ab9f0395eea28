package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.devices.AllocationSearch.AllocationResult;
import io.policyscheduler.framework.devices.AllocationSearch.SearchLimit;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationTimeout;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.DeviceSelectors.SelectorBudget;
import io.policyscheduler.framework.devices.DeviceUse.AvailableCounters;
import io.policyscheduler.framework.devices.RequestValidator.PreparedClaim;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The allocator of devices for claims on a node, with the default features of a release. Mirrors {@code
 * structured/internal/experimental} of 1.34, and {@code structured/internal/incubating} of later releases. Owned by one thread.
 */
public final class DeviceAllocator {
    private final DeviceSelectors selectors;
    private final Clock clock;
    private final Duration timeout;
    private final AllocatorVariant variant;

    /**
     * @param timeout maximum duration of the search on a node; zero for no limit
     * @param release the release whose allocator is used
     */
    public DeviceAllocator(Clock clock, Duration timeout, Release release) {
        this.clock = clock;
        this.timeout = timeout;
        this.variant = AllocatorVariant.of(release);
        this.selectors = new DeviceSelectors(variant);
    }

    /** The allocators that releases run with their default feature gates. */
    enum AllocatorVariant {
        EXPERIMENTAL_1_34,
        INCUBATING_1_35,
        INCUBATING_1_36;

        static AllocatorVariant of(Release release) {
            if (SchedulerChange.DEVICE_FEATURES.in(release)) {
                return INCUBATING_1_36;
            }
            return SchedulerChange.COMPLETE_POOLS.in(release) ? INCUBATING_1_35 : EXPERIMENTAL_1_34;
        }

        /** Returns whether incomplete and invalid pools are skipped. */
        boolean skipsUnusablePools() {
            return this != EXPERIMENTAL_1_34;
        }

        /** Returns whether device taints, shared counters, shared devices, and binding conditions count. */
        boolean honorsDeviceFeatures() {
            return this == INCUBATING_1_36;
        }

        /** Returns whether {@code distinctAttribute} is known; otherwise it is an error. */
        boolean knowsDistinctAttributes() {
            return this != INCUBATING_1_35;
        }

        /** Returns whether selectors read {@code device.allowMultipleAllocations}; for others, it is false. */
        boolean readsSharing() {
            return this != INCUBATING_1_35;
        }

        /** Returns whether an alternative that requests all devices is evaluated and searched apart from the others. */
        boolean keepsAlternative() {
            return this == INCUBATING_1_36;
        }
    }

    /** The state of the allocator that the nodes of one attempt share. */
    public static final class Attempt {
        private final AvailableCounters counters = new AvailableCounters();
        private final SelectorBudget budget = new SelectorBudget();

        /** Returns whether selectors or searches were stopped because they did too much work for one attempt. */
        public boolean isBudgetExceeded() {
            return budget.isExceeded();
        }
    }

    /**
     * The result of a search.
     *
     * @param found the allocation of each claim in the order of the claims; null if a claim cannot be satisfied
     * @param invalidPools whether the node has invalid pools, which may be the reason
     */
    public record Allocations(@Nullable List<DeviceAllocation> found, boolean invalidPools) {}

    /**
     * Searches devices for claims on a node.
     *
     * @param claims unallocated claims
     * @param taken the devices that are in use
     * @throws AllocationException if a claim, class, slice, or selector is invalid
     * @throws AllocationTimeout if the search exceeds the timeout or the steps of the attempt
     */
    public Allocations allocate(
            NodeInfo node, List<ResourceClaimInfo> claims, ClusterObjects cluster, AssumedClaims taken, Attempt attempt)
            throws AllocationException, AllocationTimeout {
        List<Pool> pools = DevicePools.of(node, cluster, variant);
        DeviceMatcher matcher = new DeviceMatcher(selectors, variant, attempt.budget);
        DeviceUse use = new DeviceUse(taken, pools, variant, attempt.counters);
        List<PreparedClaim> prepared =
                new RequestValidator(cluster, pools, matcher, variant, use::hasCapacity).prepare(claims);
        Instant deadline = timeout.isZero() ? null : clock.instant().plus(timeout);
        AllocationSearch search = new AllocationSearch(
                prepared, pools, matcher, variant, use, new SearchLimit(attempt.budget, clock, deadline));
        if (!search.run()) {
            return new Allocations(
                    null, variant.skipsUnusablePools() && pools.stream().anyMatch(Pool::isInvalid));
        }
        List<DeviceAllocation> allocations = new ArrayList<>(claims.size());
        for (int i = 0; i < prepared.size(); i++) {
            List<PreparedRequest> chosen = new ArrayList<>();
            for (int request = 0; request < prepared.get(i).requests().size(); request++) {
                chosen.add(search.chosen(i, request));
            }
            allocations.add(AllocationResult.of(claims.get(i), search.taken(i), chosen, node.name(), variant));
        }
        return new Allocations(List.copyOf(allocations), false);
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
        private final boolean honorsExtendedResources;

        /** @param release the release whose allocator is used */
        public ClaimReserver(Release release) {
            this.allocator = new DeviceAllocator(Clock.systemUTC(), Duration.ZERO, release);
            this.honorsExtendedResources = SchedulerChange.DEVICE_FEATURES.in(release);
        }

        /**
         * Allocates the unallocated claims of the pod and reserves all of them. If the allocation fails, the claims remain
         * unchanged.
         */
        public void give(ClusterView cluster, PodInfo pod, NodeInfo node) {
            List<ResourceClaimInfo> claims =
                    PodResourceClaims.of(pod, cluster.assumedClaims()).claims();
            ResourceClaimInfo special = special(cluster, pod, node);
            if (claims.isEmpty() && special == null) {
                return;
            }
            List<ResourceClaimInfo> open =
                    claims.stream().filter(claim -> claim.allocation() == null).toList();
            List<ResourceClaimInfo> toAllocate = new ArrayList<>(open);
            if (special != null) {
                toAllocate.add(special);
            }
            List<DeviceAllocation> found = allocate(cluster, node, toAllocate);
            if (found == null) {
                return;
            }
            for (ResourceClaimInfo claim : claims) {
                int index = open.indexOf(claim);
                if (index >= 0 || !claim.isReservedFor(pod)) {
                    DeviceAllocation allocation = index < 0 ? null : found.get(index);
                    cluster.assumedClaims().putWritten(ClaimWriter.reserved(claim, allocation, pod));
                }
            }
            if (special != null) {
                ResourceClaimInfo created = special.named(ExtendedResources.generateName(pod) + "0", special.uid());
                cluster.assumedClaims().created(ClaimWriter.reserved(created, found.get(open.size()), pod));
            }
        }

        private @Nullable List<DeviceAllocation> allocate(
                ClusterView cluster, NodeInfo node, List<ResourceClaimInfo> claims) {
            if (claims.isEmpty()) {
                return List.of();
            }
            try {
                return allocator
                        .allocate(node, claims, cluster, cluster.assumedClaims(), new Attempt())
                        .found();
            } catch (AllocationException | AllocationTimeout e) {
                return null;
            }
        }

        /** The claim for the extended resources of a pod that devices satisfy on the node, or null. */
        private @Nullable ResourceClaimInfo special(ClusterView cluster, PodInfo pod, NodeInfo node) {
            ExtendedResources extended =
                    honorsExtendedResources ? ExtendedResources.of(cluster) : ExtendedResources.NONE;
            if (!extended.isRequestedBy(pod)) {
                return null;
            }
            List<String> byDevices = ExtendedResources.requestedBy(pod).stream()
                    .filter(resource -> extended.isByDevices(resource, node))
                    .toList();
            return byDevices.isEmpty() ? null : extended.claim(pod, byDevices).claim();
        }
    }

    /** A report of the devices of a node, with the reason why each device does not satisfy a request. */
    public static final class DeviceReport {
        private static final AllocatorVariant VARIANT = AllocatorVariant.of(Release.NEWEST);

        private final DeviceMatcher matcher =
                new DeviceMatcher(new DeviceSelectors(VARIANT), VARIANT, new SelectorBudget());

        /**
         * The result for one device and one request.
         *
         * @param claim {@code namespace/name}
         * @param request name of the request, or {@code request/alternative}
         * @param slice the slice of the device; empty if the node has no devices
         * @param device {@code driver/pool/device}; empty if the node has no devices
         * @param why the reason, or that the device is suitable
         */
        public record Verdict(String claim, String request, String slice, String device, String why) {}

        /** Returns the results for the devices of a node, in the order of claims, requests, pools, and devices. */
        public List<Verdict> of(PodInfo pod, NodeInfo node, ClusterView cluster) {
            List<ResourceClaimInfo> open = PodResourceClaims.of(pod, cluster.assumedClaims()).claims().stream()
                    .filter(claim -> claim.allocation() == null)
                    .toList();
            List<Verdict> verdicts = new ArrayList<>();
            try {
                List<Pool> pools = DevicePools.of(node, cluster, VARIANT);
                DeviceUse use = new DeviceUse(cluster.assumedClaims(), pools, VARIANT, new AvailableCounters());
                for (PreparedClaim claim :
                        new RequestValidator(cluster, pools, matcher, VARIANT, use::hasCapacity).prepare(open)) {
                    for (PreparedClaim.Alternatives request : claim.requests()) {
                        for (PreparedRequest prepared : request.options()) {
                            report(claim.claim(), prepared, pools, use, verdicts);
                        }
                    }
                }
            } catch (AllocationException e) {
                verdicts.add(new Verdict("", "", "", "", String.valueOf(e.getMessage())));
            }
            return verdicts;
        }

        private void report(
                ResourceClaimInfo claim,
                PreparedRequest request,
                List<Pool> pools,
                DeviceUse use,
                List<Verdict> verdicts) {
            boolean any = false;
            for (Pool pool : pools) {
                for (PooledDevice slot : pool.devices()) {
                    if (!slot.isOnNode()) {
                        continue;
                    }
                    any = true;
                    verdicts.add(new Verdict(
                            claim.key(),
                            request.resultName(),
                            slot.slice().name(),
                            slot.id().toString(),
                            why(claim, request, pool, slot, use)));
                }
            }
            if (!any) {
                verdicts.add(new Verdict(claim.key(), request.resultName(), "", "", "the node has no devices"));
            }
        }

        private String why(
                ResourceClaimInfo claim, PreparedRequest request, Pool pool, PooledDevice slot, DeviceUse use) {
            if (pool.incomplete() || pool.isInvalid()) {
                return "the pool is " + (pool.isInvalid() ? "invalid: " + pool.problem() : "incomplete");
            }
            if (!request.exactRequest().adminAccess() && use.isTaken(slot.id())) {
                return "in use";
            }
            try {
                String rejection = matcher.rejection(claim, request, slot);
                if (!rejection.isEmpty()) {
                    return rejection;
                }
            } catch (AllocationException e) {
                return String.valueOf(e.getMessage());
            }
            if (!AllocationSearch.toleratesTaints(request.exactRequest(), slot.device())) {
                return "the request does not tolerate a taint of the device";
            }
            if (!use.hasCapacity(slot, request.exactRequest())) {
                return "not enough capacity";
            }
            return "matches; the request needs " + request.need()
                    + (request.need() == 1 ? " such device" : " such devices")
                    + (claim.constraints().isEmpty() ? "" : ", and constraints hold between them");
        }
    }
}
