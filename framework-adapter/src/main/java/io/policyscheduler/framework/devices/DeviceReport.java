package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.DeviceSelectors.DeviceMatcher;
import io.policyscheduler.framework.devices.RequestValidator.PreparedClaim;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import java.util.ArrayList;
import java.util.List;

/** A report of the devices of a node, with the reason why each device does not satisfy a request. */
public final class DeviceReport {
    private final DeviceMatcher judge = new DeviceMatcher(new DeviceSelectors());

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
            List<Pool> pools = DevicePools.of(node, cluster);
            for (PreparedClaim claim : new RequestValidator(cluster, pools, judge).prepare(open)) {
                for (PreparedClaim.Alternatives request : claim.requests()) {
                    for (PreparedRequest wanted : request.options()) {
                        report(claim.claim(), wanted, pools, cluster, verdicts);
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
            PreparedRequest wanted,
            List<Pool> pools,
            ClusterView cluster,
            List<Verdict> verdicts) {
        boolean any = false;
        for (Pool pool : pools) {
            for (ResourceSliceInfo slice : pool.slices()) {
                for (Device device : slice.devices()) {
                    any = true;
                    PooledDevice slot = PooledDevice.of(slice, device);
                    verdicts.add(new Verdict(
                            claim.key(),
                            wanted.resultName(),
                            slice.name(),
                            slot.id().toString(),
                            why(claim, wanted, slot, cluster)));
                }
            }
        }
        if (!any) {
            verdicts.add(new Verdict(claim.key(), wanted.resultName(), "", "", "the node has no devices"));
        }
    }

    private String why(ResourceClaimInfo claim, PreparedRequest wanted, PooledDevice slot, ClusterView cluster) {
        if (!wanted.wanted().adminAccess() && cluster.assumedClaims().isTaken(slot.id())) {
            return "in use";
        }
        try {
            String refusal = judge.refusal(claim, wanted, slot.slice(), slot.device());
            if (!refusal.isEmpty()) {
                return refusal;
            }
        } catch (AllocationException e) {
            return String.valueOf(e.getMessage());
        }
        if (slot.device().consumesCounters()) {
            return "it shares counters with other devices, which is not supported";
        }
        return "would do: of such " + wanted.need() + " are wanted"
                + (claim.constraints().isEmpty() ? "" : ", and constraints hold between them");
    }
}
