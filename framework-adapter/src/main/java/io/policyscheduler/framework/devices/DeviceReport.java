package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.util.ArrayList;
import java.util.List;

/** Says of each device of a node why a request cannot have it, for people who wonder why claims cannot be allocated there. */
public final class DeviceReport {
    private final DeviceJudge judge = new DeviceJudge(new DeviceSelectors());

    /**
     * A device that a request cannot have, or that it could.
     *
     * @param claim {@code namespace/name}
     * @param request name of the request, or {@code request/alternative}
     * @param slice the slice that has the device; empty where the node has none
     * @param device {@code driver/pool/device}; empty where the node has none
     * @param why what speaks against it
     */
    public record Verdict(String claim, String request, String slice, String device, String why) {}

    /** The verdicts on the devices of a node, in the order of claims, requests, pools and devices. */
    public List<Verdict> of(PodInfo pod, NodeInfo node, ClusterView cluster) {
        List<ResourceClaimInfo> open = PodClaims.of(pod, cluster.assumedClaims()).claims().stream()
                .filter(claim -> claim.allocation() == null)
                .toList();
        List<Verdict> verdicts = new ArrayList<>();
        try {
            List<Pool> pools = NodePools.of(node, cluster);
            for (PreparedClaim claim : new RequestPreparation(cluster, pools, judge).prepare(open)) {
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
                    Slot slot = Slot.of(slice, device);
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

    private String why(ResourceClaimInfo claim, PreparedRequest wanted, Slot slot, ClusterView cluster) {
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
