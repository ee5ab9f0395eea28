package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** Validates claims before the search, and resolves requests for all devices of a node. */
final class RequestValidator {
    private final ClusterObjects cluster;
    private final List<Pool> pools;
    private final DeviceMatcher matcher;
    private final AllocatorVariant variant;
    private final BiPredicate<PooledDevice, DeviceRequest.RequestedDevices> hasCapacity;

    /** @param hasCapacity whether a device has the capacity that a request consumes */
    RequestValidator(
            ClusterObjects cluster,
            List<Pool> pools,
            DeviceMatcher matcher,
            AllocatorVariant variant,
            BiPredicate<PooledDevice, DeviceRequest.RequestedDevices> hasCapacity) {
        this.cluster = cluster;
        this.pools = pools;
        this.matcher = matcher;
        this.variant = variant;
        this.hasCapacity = hasCapacity;
    }

    List<PreparedClaim> prepare(List<ResourceClaimInfo> claims) throws AllocationException {
        List<PreparedClaim> prepared = new ArrayList<>(claims.size());
        for (ResourceClaimInfo claim : claims) {
            prepared.add(prepare(claim));
        }
        return prepared;
    }

    private PreparedClaim prepare(ResourceClaimInfo claim) throws AllocationException {
        List<PreparedClaim.Alternatives> requests =
                new ArrayList<>(claim.requests().size());
        long least = 0;
        for (DeviceRequest request : claim.requests()) {
            PreparedClaim.Alternatives prepared = prepare(claim, request);
            requests.add(prepared);
            least += prepared.options().stream()
                    .mapToLong(PreparedRequest::need)
                    .min()
                    .orElse(0);
        }
        if (least > PreparedClaim.MAX_DEVICES) {
            throw new AllocationException("claim " + claim.key() + ": number of requested devices " + least
                    + " exceeds the claim limit of " + PreparedClaim.MAX_DEVICES);
        }
        int index = 0;
        for (DeviceConstraint constraint : claim.constraints()) {
            boolean isDistinct = variant.knowsDistinctAttributes() && constraint.distinctAttribute() != null;
            if (constraint.matchAttribute() == null && !isDistinct) {
                throw new AllocationException("claim " + claim.key() + ", constraint #" + index
                        + ": empty constraint (unsupported constraint type?)");
            }
            index++;
        }
        return new PreparedClaim(claim, requests);
    }

    private PreparedClaim.Alternatives prepare(ResourceClaimInfo claim, DeviceRequest request)
            throws AllocationException {
        DeviceRequest.RequestedDevices exactly = request.exactly();
        List<DeviceRequest.RequestedDevices> requests = exactly == null ? request.firstAvailable() : List.of(exactly);
        if (variant == AllocatorVariant.EXPERIMENTAL_1_34
                && requests.stream().anyMatch(option -> option.capacity() != null)) {
            throw new AllocationException("claim " + claim.key() + ", request " + request.name()
                    + ": has capacity requests, but the DRAConsumableCapacity feature is disabled");
        }
        // Until 1.35, Kubernetes caches the results under the previous index, so the second alternative uses those of
        // the first.
        Map<Integer, Map<Device, Boolean>> known = new HashMap<>();
        List<PreparedRequest> options = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            int key = variant.keepsAlternative() ? i : Math.max(0, i - 1);
            Map<Device, Boolean> verdicts = known.computeIfAbsent(key, unknown -> new IdentityHashMap<>());
            options.add(prepare(claim, exactly == null ? request.name() : "", requests.get(i), verdicts));
        }
        return new PreparedClaim.Alternatives(request, options);
    }

    private PreparedRequest prepare(
            ResourceClaimInfo claim,
            String parent,
            DeviceRequest.RequestedDevices requests,
            Map<Device, Boolean> verdicts)
            throws AllocationException {
        String place = "claim " + claim.key() + ", request " + requests.name();
        int index = 0;
        for (DeviceSelector selector : requests.selectors()) {
            if (selector.expression() == null) {
                throw new AllocationException(
                        place + ", selector #" + index + ": CEL expression empty (unsupported selector type?)");
            }
            index++;
        }
        if (requests.deviceClass().isEmpty()) {
            throw new AllocationException(place + ": missing device class name (unsupported request type?)");
        }
        DeviceClassInfo deviceClass = cluster.deviceClass(requests.deviceClass());
        if (deviceClass == null) {
            throw new AllocationException(place + ": could not retrieve device class " + requests.deviceClass()
                    + ": deviceclass.resource.k8s.io \"" + requests.deviceClass() + "\" not found");
        }
        PreparedRequest request = new PreparedRequest(requests, parent, deviceClass, List.of());
        return switch (requests.allocationMode()) {
            case DeviceRequest.RequestedDevices.EXACT_COUNT -> request;
            case DeviceRequest.RequestedDevices.ALL ->
                new PreparedRequest(requests, parent, deviceClass, all(claim, request, place, verdicts));
            default -> throw new AllocationException(place + ": unsupported count mode " + requests.allocationMode());
        };
    }

    private List<PooledDevice> all(
            ResourceClaimInfo claim, PreparedRequest request, String place, Map<Device, Boolean> verdicts)
            throws AllocationException {
        List<PooledDevice> all = new ArrayList<>();
        for (Pool pool : pools) {
            if (pool.incomplete()) {
                throw new AllocationException(place + ": asks for all devices, but resource pool " + pool.id()
                        + " is currently being updated");
            }
            if (pool.isInvalid()) {
                throw new AllocationException(
                        place + ": asks for all devices, but resource pool " + pool.id() + " is currently invalid");
            }
            for (PooledDevice slot : pool.devices()) {
                Boolean matches = verdicts.get(slot.device());
                if (matches == null) {
                    matches = matcher.isSelectable(claim, request, slot);
                    verdicts.put(slot.device(), matches);
                }
                if (matches && hasCapacity.test(slot, request.exactRequest())) {
                    all.add(slot);
                }
            }
        }
        return all;
    }

    /** A validated claim. */
    record PreparedClaim(ResourceClaimInfo claim, List<Alternatives> requests) {
        /** Maximum number of devices of a claim. */
        static final int MAX_DEVICES = 32;

        /**
         * A request with one option, or with several alternatives.
         *
         * @param options the request itself, or its alternatives in order of preference
         */
        record Alternatives(DeviceRequest request, List<PreparedRequest> options) {
            boolean isChoice() {
                return request.exactly() == null;
            }
        }
    }

    /**
     * A validated request or alternative.
     *
     * @param exactRequest the requested devices
     * @param parent for an alternative, the name of its request; otherwise empty
     * @param deviceClass the requested class
     * @param all the devices of a request for all devices; otherwise empty
     */
    record PreparedRequest(
            DeviceRequest.RequestedDevices exactRequest,
            String parent,
            DeviceClassInfo deviceClass,
            List<PooledDevice> all) {
        /** Returns the name of the request in allocation results. */
        String resultName() {
            return parent.isEmpty() ? exactRequest.name() : parent + "/" + exactRequest.name();
        }

        boolean isAll() {
            return exactRequest.allocationMode().equals(DeviceRequest.RequestedDevices.ALL);
        }

        /** Returns the name of the request in the claim, for an alternative that of its request. */
        String baseName() {
            return parent.isEmpty() ? exactRequest.name() : parent;
        }

        /** Returns the number of devices. */
        long need() {
            return isAll() ? all.size() : exactRequest.count();
        }

        /** Returns whether a constraint or configuration names the request. */
        boolean isNamedIn(List<String> requests) {
            return parent.isEmpty()
                    ? requests.contains(exactRequest.name())
                    : requests.contains(parent) || requests.contains(resultName());
        }
    }
}
