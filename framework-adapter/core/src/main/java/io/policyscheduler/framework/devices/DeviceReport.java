package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.DeviceSelectors.SelectorBudget;
import io.policyscheduler.framework.devices.DeviceUse.AvailableCounters;
import io.policyscheduler.framework.devices.RequestValidator.PreparedClaim;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import java.util.ArrayList;
import java.util.List;

/** A report of the devices of a node, with the reason why each device does not satisfy a request. */
public final class DeviceReport {
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
            ResourceClaimInfo claim, PreparedRequest request, List<Pool> pools, DeviceUse use, List<Verdict> verdicts) {
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

    private String why(ResourceClaimInfo claim, PreparedRequest request, Pool pool, PooledDevice slot, DeviceUse use) {
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
        return "matches; the request needs " + request.need() + (request.need() == 1 ? " such device" : " such devices")
                + (claim.constraints().isEmpty() ? "" : ", and constraints hold between them");
    }
}
