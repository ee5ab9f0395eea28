package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.ClusterObjects;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What can be said of claims before any node, and of allocated ones on a node. */
public final class ClaimChecks {
    private ClaimChecks() {}

    /**
     * What is wrong with a claim that is to be allocated.
     *
     * @param isError whether the attempt ends with an error, not with a rejection
     */
    public record Problem(boolean isError, String text) {}

    /** Whether the classes that a claim asks for exist; null when they do. */
    public static @Nullable Problem classes(ResourceClaimInfo claim, ClusterObjects cluster) {
        for (DeviceRequest request : claim.requests()) {
            DeviceRequest.Wanted exactly = request.exactly();
            if (exactly == null && request.firstAvailable().isEmpty()) {
                return new Problem(
                        false,
                        "resource claim " + claim.key() + ", request " + request.name() + ": unknown request type");
            }
            List<DeviceRequest.Wanted> wanted = exactly == null ? request.firstAvailable() : List.of(exactly);
            for (DeviceRequest.Wanted each : wanted) {
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

    /** Why the place of an allocation cannot be understood, or null. */
    public static @Nullable String placeProblem(DeviceAllocation allocation) {
        return allocation.nodeTerms() == null ? null : NodePools.problem(allocation.nodeTerms());
    }

    /** Whether what is allocated can be used on the node. */
    public static boolean isAvailable(DeviceAllocation allocation, NodeInfo node) {
        return allocation.nodeTerms() == null
                || NodeSelectorTerm.anyMatches(
                        allocation.nodeTerms(), node.node().labels(), node.name());
    }
}
