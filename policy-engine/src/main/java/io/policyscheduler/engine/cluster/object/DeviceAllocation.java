package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The devices that are allocated to a claim: {@code status.allocation}.
 *
 * @param results the devices, in the order in which they were taken
 * @param config what drivers are told
 * @param nodeTerms where the devices can be used, any of them; null for everywhere
 */
public record DeviceAllocation(
        List<Result> results,
        List<DeviceConfig> config,
        @Nullable List<NodeSelectorTerm> nodeTerms) {
    public DeviceAllocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
        nodeTerms = nodeTerms == null ? null : List.copyOf(nodeTerms);
    }

    /**
     * One device.
     *
     * @param request name of the request, or {@code request/alternative}
     * @param adminAccess the device stays free for others
     */
    public record Result(String request, DeviceId device, boolean adminAccess) {}

    /**
     * Who may use a claim: an entry of {@code status.reservedFor}.
     *
     * @param apiGroup empty for the core group
     * @param resource such as {@code pods}
     */
    public record ClaimConsumer(String apiGroup, String resource, String name, String uid) {
        /** A pod. */
        public static ClaimConsumer pod(String name, String uid) {
            return new ClaimConsumer("", "pods", name, uid);
        }
    }
}
