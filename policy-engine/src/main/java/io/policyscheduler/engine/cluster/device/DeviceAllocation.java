package io.policyscheduler.engine.cluster.device;

import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a claim has been given: {@code status.allocation}.
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
}
